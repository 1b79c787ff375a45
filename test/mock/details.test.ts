import { bearer, createPlantMock } from 'plant-mock'
import { describe, expect, it, vi } from 'vitest'
import { mocksFor, useMock } from '../support/mocks.ts'
import { aloe } from '../support/plants.ts'
import { as } from '../support/targets.ts'

describe('the violations of a mock', () => {
  it('are those of requests that violate the contract, and the last one shown counts the others', async () => {
    const mock = createPlantMock()
    await mock.fetch('/plants', as('alice'))
    await mock.fetch(`/plants?${Array.from({ length: 25 }, (_, index) => `q${index}=1`).join('&')}`, as('alice'))
    await mock.fetch('/plants?page=1', as('alice'))
    const violations = await mock.violations()
    expect(violations).toHaveLength(21)
    expect(violations.flatMap(({ omitted }, index) => (omitted === undefined ? [] : [[index, omitted]]))).toEqual([
      [19, 5],
    ])
    expect(violations.at(-1)).not.toHaveProperty('omitted')
  })
})

describe('a wait for a request that does not come', () => {
  const messageOf = async (send: number, match: object | (() => boolean), path = '/plants'): Promise<string> => {
    const mock = createPlantMock()
    for (let count = 0; count < send; count++) await mock.fetch(path, as('alice'))
    const waiting = mock.requests.waitFor(match as never, { timeout: 1 })
    return waiting.then(
      () => '',
      ({ message }: Error) => message,
    )
  }

  it('says what was wanted, and the latest six of the requests that came', async () => {
    expect(await messageOf(0, () => false)).toBe(
      'No request matched the given function within 1 ms. No request was received.',
    )
    const message = await messageOf(8, { status: 409 })
    expect(message).toContain('No request matched {"status":409} within 1 ms. Requests received: 8; the latest: GET')
    expect(message.match(/GET \/plants 200/g)).toHaveLength(6)
  })

  it('hides a token in the filter, but shows a short name or a pseudonym', async () => {
    expect(await messageOf(0, { caller: 'a-token-of-some-length' })).toContain('{"caller":"…"}')
    expect(await messageOf(0, { caller: 'al' })).toContain('{"caller":"al"}')
    expect(await messageOf(0, { caller: 'x'.repeat(16) })).toContain('{"caller":"…"}')
    expect(await messageOf(0, { caller: 'x'.repeat(15) })).toContain(`{"caller":"${'x'.repeat(15)}"}`)
  })

  it('leaves out a part of the filter that is undefined', async () => {
    expect(await messageOf(0, { caller: undefined, status: 409 })).toContain('No request matched {"status":409} within')
  })

  it('shortens long URLs', async () => {
    const message = await messageOf(1, { status: 409 }, `/plants?limit=${'1'.repeat(500)}`)
    expect(message.length).toBeLessThan(400)
  })
})

describe('events of a mock', () => {
  it('end a wait with the request, not with its timeout', async () => {
    const mock = createPlantMock()
    // Longer than a test may take.
    const waiting = mock.requests.waitFor({ status: 200 }, { timeout: 60_000 })
    await mock.fetch('/plants?limit=x', as('alice'))
    await mock.fetch('/plants', as('alice'))
    expect(await waiting).toMatchObject({ url: '/plants' })
  })

  it('end with the listener, so that a later request does not call it', async () => {
    const mock = createPlantMock()
    const entry = await Promise.all([mock.requests.waitFor({ status: 200 }), mock.fetch('/plants', as('alice'))])
    expect(entry[0]).toMatchObject({ method: 'GET', status: 200 })
    expect(mock.instances.root.hasListeners).toBe(false)
    const find = vi.spyOn(mock.requests, 'all')
    await mock.fetch('/plants', as('alice'))
    expect(find).not.toHaveBeenCalled()
  })
})

describe('the fetch of a mock', () => {
  it('takes a Request, alone or with changes', async () => {
    const mock = createPlantMock({ fixtures: [aloe] })
    const request = new Request('https://api.example.com/plants', { headers: bearer('alice') })
    expect((await mock.fetch(request.clone())).status).toBe(200)
    expect((await mock.fetch(request, { method: 'DELETE' })).status).toBe(405)
    expect((await mock.fetch(new URL('https://api.example.com/plants'))).status).toBe(401)
  })

  it('rejects like fetch when a fault resets the connection, with the reason', async () => {
    const mock = createPlantMock({ faults: [{ reset: true }] })
    const error: unknown = await mock.fetch('/plants', as('alice')).catch((error: unknown) => error)
    expect(error).toMatchObject({ name: 'TypeError', cause: 'A fault resets this connection.' })
  })

  it('takes a session id of 200 characters', async () => {
    const mock = createPlantMock()
    expect((await mock.session('x'.repeat(200)).fetch('/plants', as('alice'))).status).toBe(200)
    expect(() => mock.session('x'.repeat(201))).toThrow('Use 1 to 200 ASCII characters')
  })
})

describe('a limit that is no row of digits', () => {
  const countUnder = async (format: 'number' | 'prefix' | 'digits', limit: string): Promise<number> => {
    const mock = createPlantMock({ fixtures: [aloe, { ...aloe, id: 2 }], assume: { 'list.limitFormat': format } })
    const response = await mock.fetch(`/plants?limit=${encodeURIComponent(limit)}`, as('alice'))
    return response.ok ? ((await response.json()) as unknown[]).length : response.status
  }

  it.each([
    ['number', '1.0', 1],
    ['number', '-0', 0],
    ['number', '1e0', 1],
    ['number', '-1', 400],
    ['number', '1.5', 400],
    ['prefix', '1x', 1],
    ['prefix', '0x', 0],
    ['prefix', 'x1', 400],
    ['digits', '1.0', 400],
    ['digits', ' 1', 400],
  ] as const)('under list.limitFormat=%s, %s gives %i', async (format, limit, result) => {
    expect(await countUnder(format, limit)).toBe(result)
  })
})

describe.each(mocksFor('filters'))('a filter of a mock $name', ({ open }) => {
  const opened = useMock(open)

  it('that is async is refused, because a promise would select everything', async () => {
    const mock = await opened({ fixtures: [aloe] })
    const filter = (async () => false) as unknown as () => boolean
    await mock.fetch('/plants', as('alice'))
    for (const act of [
      () => mock.plants.remove(filter),
      () => mock.plants.all(filter),
      () => mock.requests.count(filter),
      () => mock.requests.all(filter),
    ])
      await expect(act()).rejects.toThrow('A filter must return true or false, not a promise.')
    expect(await mock.plants.all()).toHaveLength(1)
  })

  it('has no misspelt options of a wait', async () => {
    const mock = await opened()
    const options = { timout: 3 } as object
    await expect(mock.requests.waitFor({}, options)).rejects.toThrow('Did you mean "timeout"?')
  })
})
