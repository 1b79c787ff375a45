import { assumptionRegistry } from 'plant-mock'
import type { ConformanceOptions } from 'plant-mock/conformance'
import { describe, expect, it } from 'vitest'
import { assumptionOf, checkSmall as check } from '../support/conformance.ts'
import { once } from '../support/once.ts'
import { type Quirks, quirkyService } from '../support/quirky-service.ts'
import { wrongService } from '../support/wrong-service.ts'

const isPost = (init: RequestInit) => init.method === 'POST'

describe('Retry-After', () => {
  it.each([
    ['1.5', 2_000],
    ['0.2', 1_000],
    ['-1', 1_000],
    ['soon', 1_000],
    ['2 seconds', 1_000],
    ['', 1_000],
    ['7', 7_000],
    ['60', 60_000],
    ['Fri, 02 Jan 2026 00:00:09 GMT', 9_000],
    ['on Fri, 02 Jan 2026 00:00:09 GMT', 1_000],
    ['Fri, 02 Jan 2026 00:00:09 GMT', 4_000, 'Fri, 02 Jan 2026 00:00:05 GMT'],
    ['Fri, 02 Jan 2026 00:00:05 GMT', 0, 'Fri, 02 Jan 2026 00:00:09 GMT'],
    ['Fri, 02 Jan 2026 00:00:09 GMT', 9_000, 'today'],
  ])('of "%s" is a pause of %i ms', async (text, pause, date?: string) => {
    const pauses: number[] = []
    const headers = { 'retry-after': text, ...(date !== undefined && { date }) }
    const limited = () => new Response('', { status: 429, headers })
    await check(
      once(wrongService(), () => true, limited),
      {
        rules: ['list.succeeds'],
        now: () => Date.UTC(2026, 0, 2),
        wait: async (milliseconds) => void pauses.push(milliseconds),
      },
    )
    expect(pauses[0]).toBe(pause)
  })

  const askingFor = (seconds: (count: number) => string, nth = 4): Quirks => {
    let count = 0
    return {
      gateway: (next) => async (request) =>
        request.number % nth === 0
          ? new Response('', { status: 429, headers: { 'retry-after': seconds(++count) } })
          : next(request),
    }
  }
  const checkPauses = async (behaviour: Quirks, options: Partial<ConformanceOptions> = {}) => {
    const service = quirkyService(behaviour)
    const pauses: number[] = []
    const wait = async (milliseconds: number) => {
      pauses.push(milliseconds)
      await service.wait(milliseconds)
    }
    return { report: await check(service, { now: service.now, wait, ...options }), pauses }
  }

  it('is missing from some responses: the pauses double', async () => {
    const pauses: number[] = []
    const service = wrongService()
    let failures = 0
    await check(async (url, init) => (failures++ < 3 ? new Response('', { status: 503 }) : service(url, init)), {
      rules: ['list.succeeds'],
      wait: async (milliseconds) => void pauses.push(milliseconds),
    })
    expect(pauses.slice(0, 3)).toEqual([1_000, 2_000, 4_000])
  })

  it('of over a minute ends the check', async () => {
    const { report, pauses } = await checkPauses(askingFor(() => '61'))
    expect(report.incomplete).toBe('the service responds with 429 and asks for a pause of 61 s')
    expect(pauses).toEqual([])
  })

  it('of over five minutes in all ends the check', async () => {
    const { report, pauses } = await checkPauses(askingFor(() => '60'))
    expect(report.incomplete).toBe('the service asks for pauses of over 5 minutes')
    expect(pauses).toEqual([60, 60, 60, 60, 60].map((seconds) => seconds * 1000))
  })

  it('is kept for as long as the longest, to tell a limit by number from one by time', async () => {
    const seconds = ['1', '3', '2']
    const only = assumptionRegistry.flatMap(({ id }) => (id === 'rate.limit' ? [] : [id]))
    const { report, pauses } = await checkPauses(
      askingFor((count) => seconds[count - 1] ?? '0', 7),
      {
        rules: [],
        skip: only,
      },
    )
    expect(report.assumptions).toMatchObject([{ id: 'rate.limit', outcome: 'differs', found: 'every:7' }])
    expect(pauses).toEqual([1_000, 3_000, 3_000, 2_000])
  })
})

describe('the list that confirms a failure', () => {
  const pausesBefore = async (control: () => Response) => {
    const service = wrongService()
    const pauses: number[] = []
    let failures = 0
    const report = await check(
      async (url, init) => {
        if (failures === 0 ? url.endsWith('limit=abc') : failures === 1) {
          failures++
          return failures === 1 ? new Response('', { status: 500 }) : control()
        }
        return service(url, init)
      },
      { rules: ['robust.input'], wait: async (milliseconds) => void pauses.push(milliseconds) },
    )
    expect(report.incomplete).toBeUndefined()
    return pauses.slice(0, 1)
  }

  it('is repeated after the pause that it asks for', async () => {
    const limited = () => new Response('', { status: 429, headers: { 'retry-after': '2' } })
    expect(await pausesBefore(limited)).toEqual([2_000])
  })

  it('is repeated at once where it asks for none', async () => {
    expect(await pausesBefore(() => new Response('', { status: 500 }))).not.toEqual([2_000])
  })
})

describe('a rate limit', () => {
  it('counts the lists that confirm a failure, and no list of another caller', async () => {
    const counts = new Map<string, number>()
    const service = wrongService(['a limit in words causes 500', 'a negative limit causes 500'])
    const report = await check(async (url, init) => {
      const caller = new Headers(init.headers).get('authorization') ?? ''
      const count = (counts.get(caller) ?? 0) + 1
      if (!url.endsWith('/plants') && !url.includes('/plants?')) return service(url, init)
      if (init.method !== 'GET' && !isPost(init)) return service(url, init)
      counts.set(caller, count)
      if (count % 9 === 0) return new Response('', { status: 429, headers: { 'retry-after': '0' } })
      const isForbidden = isPost(init) && caller.endsWith('other')
      return isForbidden ? new Response('', { status: 403 }) : service(url, init)
    })
    expect(assumptionOf(report, 'rate.limit')).toMatchObject({ outcome: 'differs', found: 'every:9' })
  })
})
