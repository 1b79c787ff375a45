import { type Fault, PlantMockError } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { listPlants, mocksFor, useMock } from '../../support/mocks.ts'
import { fern } from '../../support/plants.ts'
import { as, post } from '../../support/targets.ts'

const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
const cyclic: Record<string, unknown> = {}
cyclic.self = cyclic

describe.each(mocksFor('faults'))('the faults of a mock $name', ({ open }) => {
  const start = useMock(open)

  it('answer with a status as often as times says, for one operation', async () => {
    const mock = await start()
    await mock.fail({ operation: 'listPlants', status: 503, times: 2 })
    const statuses: number[] = []
    for (const init of [post(fern), as('alice'), as('alice'), as('alice')])
      statuses.push((await mock.fetch('/plants', init)).status)
    expect(statuses).toEqual([201, 503, 503, 200])
  })

  it('answer in the format of error.body and name the source fault', async () => {
    const mock = await start()
    await mock.fail({ status: 429 })
    const response = await mock.fetch('/plants', as('alice'))
    expect(response.headers.get('plant-mock-source')).toBe('fault; kind="status"; names="error.body"')
    expect(await response.json()).toEqual({
      type: 'urn:problem-type:plant-mock:simulated-failure',
      title: 'A simulated failure',
      status: 429,
      detail: 'A fault responds with 429 here.',
    })
  })

  it('answer with the configured body and headers', async () => {
    const mock = await start()
    await mock.fail({ status: 429, body: { wait: true }, headers: { 'Retry-After': '3' } })
    const response = await mock.fetch('/plants', as('alice'))
    expect(response.headers.get('retry-after')).toBe('3')
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({ wait: true })
    await mock.fail({ status: 502, body: '<h1>Bad Gateway</h1>', headers: { 'content-type': 'text/html' } })
    const html = await mock.fetch('/plants', as('alice'))
    expect([html.headers.get('content-type'), await html.text()]).toEqual(['text/html', '<h1>Bad Gateway</h1>'])
    await mock.fail({ status: 204, body: 'none' })
    expect(await (await mock.fetch('/plants', as('alice'))).text()).toBe('')
  })

  it('send each configured header once, also those that the mock sets itself', async () => {
    const mock = await start()
    const headers = { 'plant-mock-source': 'none', 'CONTENT-TYPE': 'text/html' }
    await mock.fail({ status: 500, headers })
    const response = await mock.fetch('/plants', as('alice'))
    expect(response.headers.get('plant-mock-source')).toBe('none')
    expect(response.headers.get('content-type')).toBe('text/html')
  })

  it('apply to a single caller, given by token or by pseudonym', async () => {
    const mock = await start()
    await listPlants(mock, 'alice')
    await mock.fail({ caller: 'bob', status: 500 })
    await mock.fail({ caller: 'caller-1', status: 501 })
    const status = async (caller: string) => (await mock.fetch('/plants', as(caller))).status
    expect([await status('alice'), await status('bob'), await status('carol')]).toEqual([501, 500, 200])
  })

  it('happen with a probability, in the same order for the same seed', async () => {
    const mock = await start({ seed: 5, failRate: 0.5 })
    const run = async () => {
      const statuses: number[] = []
      for (let i = 0; i < 40; i++) statuses.push((await mock.fetch('/plants', as('alice'))).status)
      return statuses
    }
    const first = await run()
    expect(new Set(first)).toEqual(new Set([200, 503]))
    await mock.reset()
    expect(await run()).toEqual(first)
  })

  it('corrupt the response after the operation took effect', async () => {
    const mock = await start()
    await mock.fail({ malformed: true, times: 1 })
    const response = await mock.fetch('/plants', post(fern))
    expect([response.status, await response.text()]).toEqual([201, '{"name":"Nephrolepis e'])
    expect(await mock.plants.all()).toHaveLength(1)
  })

  it('truncate the response body', async () => {
    const mock = await start({ fixtures: [fern] })
    await mock.fail({ truncate: true, times: 1 })
    const response = await mock.fetch('/plants', as('alice'))
    await expect(response.text()).rejects.toThrow()
    expect(await listPlants(mock)).toHaveLength(1)
  })

  it('reset the connection before the operation takes effect', async () => {
    const mock = await start()
    await mock.fail({ reset: true, times: 1 })
    await expect(mock.fetch('/plants', post(fern))).rejects.toThrow(TypeError)
    expect(await mock.plants.all()).toEqual([])
    expect(await mock.requests.last()).toMatchObject({
      fault: 'reset',
      operation: 'createPlant',
      source: 'fault',
      status: 0,
      response: { headers: {} },
    })
    expect((await mock.requests.last())?.problem).toBeUndefined()
    await expect(mock.requests.waitFor({ status: 200 }, { timeout: 1 })).rejects.toThrow('POST /plants reset.')
  })

  it('send the response in drips without end', async () => {
    const mock = await start({ fixtures: [fern] })
    await mock.fail({ endless: true, times: 1 })
    const controller = new AbortController()
    const response = await mock.fetch('/plants', { ...as('alice'), signal: controller.signal })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    const drops = [await reader?.read(), await reader?.read()]
    expect(drops.map((drop) => drop?.value?.trim())).toEqual(['', ''])
    await reader?.cancel()
    controller.abort()
  })

  it('delay responses and record the delay', async () => {
    const mock = await start({ latency: [5, 9] })
    const response = await mock.fetch('/plants', as('alice'))
    const [, delay] = /; delay=(\d)$/.exec(response.headers.get('plant-mock-source') ?? '') ?? []
    expect(['5', '6', '7', '8', '9']).toContain(delay)
    expect(await mock.requests.last()).toMatchObject({ delay: Number(delay), source: 'assumption' })
    expect((await mock.requests.last())?.milliseconds).toBeGreaterThanOrEqual(4)
    await mock.fail({ delay: 3, status: 500 })
    expect((await mock.fetch('/plants', as('alice'))).headers.get('plant-mock-source')).toMatch(
      /^fault; kind="status"; names="error.body"; delay=(8|9|10|11|12)$/,
    )
  })

  it('are pending until their times are used up', async () => {
    const mock = await start({ latency: 1 })
    expect(await mock.pending()).toEqual([])
    await mock.fail({ operation: 'listPlants', status: 503, times: 2, caller: 'alice' })
    await mock.fail({ operation: 'createPlant', reset: true })
    const pending = async () => (await mock.pending()).map(({ name, hits }) => [name, hits])
    expect(await pending()).toEqual([
      ['createPlant: reset', 0],
      ['listPlants of caller-1: status 503, 2 times', 0],
    ])
    await listPlants(mock)
    expect(await pending()).toEqual([
      ['createPlant: reset', 0],
      ['listPlants of caller-1: status 503, 2 times', 1],
    ])
    await listPlants(mock)
    await mock.fetch('/plants', post(fern)).catch(() => undefined)
    expect(await pending()).toEqual([])
  })

  it('are removed by the function that fail returns, by clearFaults, and by a reset except the initial ones', async () => {
    const mock = await start({ faults: [{ status: 500 }] })
    const names = async () => (await mock.faults()).map(({ name }) => name)
    const remove = await mock.fail({ status: 501 })
    await mock.fail({ status: 502 })
    await remove()
    await remove()
    expect(await names()).toEqual(['any request: status 502', 'any request: status 500'])
    await mock.reset()
    expect(await names()).toEqual(['any request: status 500'])
    await mock.clearFaults()
    expect(await names()).toEqual([])
    expect((await mock.fetch('/plants', as('alice'))).status).toBe(200)
  })

  it.each<[string, unknown, RegExp]>([
    ['no effect', {}, /it has no effect\. Give it status, malformed, reset, truncate, endless or delay\.$/],
    ['another status', { status: 99 }, /"status" must be a status from 200 to 599\.$/],
    ['two effects', { status: 500, reset: true }, /status and reset exclude each other\.$/],
    ['a misspelt property', { stauts: 500 }, /unknown property "stauts"/],
    [
      'another operation',
      { operation: 'retrievePlant', status: 500 },
      /"operation" must be one of createPlant, listPlants, deletePlant\.$/,
    ],
    ['no times', { status: 500, times: 0 }, /"times" must be a whole number, 1 or more\.$/],
    ['a probability above 1', { status: 500, probability: 2 }, /"probability" must be a number from 0 to 1\.$/],
    ['an empty range', { delay: [9, 3] }, /the range of its delay must be \[min, max\]\.$/],
    ['a body without a status', { delay: 1, body: 'x' }, /body and headers need a status\.$/],
    ['an invalid name of a header', { status: 500, headers: { 'a b': 'c' } }, /"headers/],
    ['an invalid value of a header', { status: 500, headers: { a: 'b\r\nc: d' } }, /"headers/],
    ['a body that is a function', { status: 503, body: () => 1 }, /^Invalid fault: its body cannot be written as JSON/],
    ['a body that is a bigint', { status: 503, body: 1n }, /^Invalid fault: its body cannot be written as JSON/],
    ['a deep body', { status: 503, body: deep }, /^Invalid fault: its body cannot be written as JSON/],
    ['a body with a cycle', { status: 503, body: cyclic }, /^Invalid fault: its body cannot be written as JSON/],
    [
      'a number of times that is a function',
      { status: 503, times: () => 1 },
      /^Invalid fault: "times" must be a whole number/,
    ],
    [
      'a number of times that is a BigInt',
      { status: 503, times: 1n },
      /^Invalid fault: "times" must be a whole number/,
    ],
    [
      'a header that is a number',
      { status: 503, headers: { 'x-a': 1 } },
      /^Invalid fault: "headers\.x-a" has the wrong type/,
    ],
    ['a date', new Date(0), /^Invalid fault: it has no effect/],
    ['nothing', undefined, /^Invalid fault: it must be an object such as/],
  ])('are refused for %s in the same words everywhere', async (_, fault, message) => {
    const mock = await start()
    const refused = mock.fail(fault as Fault)
    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.toThrow(PlantMockError)
    expect(await mock.faults()).toEqual([])
  })

  it('keep what getters and a prototype give them', async () => {
    const mock = await start()
    class Outage {
      get status() {
        return 503
      }
    }
    await mock.fail(Object.create(new Outage()))
    expect(await mock.faults()).toMatchObject([{ name: 'any request: status 503' }])
  })
})
