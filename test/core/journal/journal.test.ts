import { PlantMockError } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { listPlants, mocksFor, useMock } from '../../support/mocks.ts'
import { fern } from '../../support/plants.ts'
import { as, post } from '../../support/targets.ts'

const secret = 'a-token-of-forty-characters-that-is-real'

describe.each(mocksFor('journal'))('the journal of a mock $name', ({ open }) => {
  const start = useMock(open)

  it('gives entries that a user may change', async () => {
    const mock = await start({ fixtures: [fern] })
    const sources = async () => (await mock.requests.all()).map(({ assumptions }) => assumptions.length)
    await mock.fetch('/plants', as('alice'))
    const [before] = await sources()
    const [entry] = await mock.requests.all()
    ;(entry?.assumptions as string[]).length = 0
    await mock.fetch('/plants', as('alice'))
    expect(await sources()).toEqual([before, before])
  })

  it('records each exchange with request, response, caller and source', async () => {
    const mock = await start({ fixtures: [fern] })
    await mock.fetch('/plants?limit=1', as('alice'))
    await mock.fetch('/plants', post({ id: 9, name: 'Mint', tag: 'herb' }, as('bob').headers as Record<string, string>))
    await mock.fetch('/plants', post({ id: 9, name: 'Mint', tag: 'herb' }, as('bob').headers as Record<string, string>))
    const [first, second, third, ...rest] = await mock.requests.all()
    expect(rest).toEqual([])
    expect(first).toMatchObject({
      id: 1,
      operation: 'listPlants',
      caller: 'caller-1',
      method: 'GET',
      url: '/plants?limit=1',
      status: 200,
      source: 'assumption',
      assumptions: expect.arrayContaining(['list.status', 'list.order']),
      violations: [],
      request: { headers: { authorization: 'Bearer caller-1' } },
      response: {
        headers: { 'content-type': 'application/json' },
        json: [{ name: fern.name, tag: 'fern' }],
      },
    })
    expect(second).toMatchObject({
      id: 2,
      operation: 'createPlant',
      caller: 'caller-2',
      status: 201,
      request: { json: { id: 9, name: 'Mint', tag: 'herb' } },
      response: { body: '{"name":"Mint","tag":"herb"}' },
    })
    expect(third).toMatchObject({ status: 409, problem: 'duplicate-id' })
    expect(Math.abs(Date.parse(first?.time ?? '') - Date.now())).toBeLessThan(60_000)
    expect(first?.milliseconds).toBeGreaterThanOrEqual(0)
    expect(first?.milliseconds).toBeLessThan(60_000)
  })

  it.each([
    [{ operation: 'createPlant' }, [2, 3]],
    [{ operation: 'createPlant', status: 409 }, [3]],
    [{ method: 'GET' }, [1, 4]],
    [{ caller: 'bob' }, [4]],
    [{ caller: 'caller-1' }, [1, 2, 3]],
    [{ caller: 'nobody' }, []],
    [{ problem: 'duplicate-id' }, [3]],
    [{ source: 'fault' }, [4]],
    [{ fault: 'status' }, [4]],
    [{ violating: true }, [1]],
    [{ violating: false }, [2, 3, 4]],
    [{}, [1, 2, 3, 4]],
  ] as const)('finds the requests that match %j', async (filter, ids) => {
    const mock = await start()
    await mock.fetch('/plants?page=2', as('alice'))
    await mock.fetch('/plants', post(fern))
    await mock.fetch('/plants', post(fern))
    await mock.fail({ caller: 'bob', status: 503 })
    await mock.fetch('/plants', as('bob'))
    const found = await mock.requests.all(filter)
    expect(found.map(({ id }) => id)).toEqual(ids)
    expect(await mock.requests.count(filter)).toBe(ids.length)
    expect((await mock.requests.find(filter))?.id).toBe(ids[0])
    expect((await mock.requests.last(filter))?.id).toBe(ids.at(-1))
  })

  it('finds requests by a predicate', async () => {
    const mock = await start()
    await listPlants(mock)
    await listPlants(mock, 'alice', '?limit=3')
    expect(await mock.requests.count(({ url }) => url.includes('limit'))).toBe(1)
    expect(await mock.requests.find(({ url }) => url.includes('limit'))).toMatchObject({ id: 2 })
  })

  it('waits for a request, or finds one that arrived before', async () => {
    const mock = await start()
    const waiting = mock.requests.waitFor({ operation: 'createPlant' }, { timeout: 60_000 })
    await listPlants(mock)
    await mock.fetch('/plants', post(fern))
    expect(await waiting).toMatchObject({ id: 2, operation: 'createPlant' })
    expect(await mock.requests.waitFor(({ status }) => status === 201, { timeout: 60_000 })).toMatchObject({ id: 2 })
  })

  it('reports the requests that arrived when a wait times out', async () => {
    const mock = await start()
    await listPlants(mock)
    await expect(mock.requests.waitFor({ operation: 'createPlant' }, { timeout: 20 })).rejects.toThrow(
      new PlantMockError(
        'No request matched {"operation":"createPlant"} within 20 ms. Requests received: 1; the latest: GET /plants 200.',
      ),
    )
    await mock.requests.clear()
    await expect(mock.requests.waitFor(() => true, { timeout: 1 })).rejects.toThrow(
      'No request matched the given function within 1 ms. No request was received.',
    )
  })

  it.each([Number.POSITIVE_INFINITY, 2 ** 31, Number.MAX_SAFE_INTEGER])(
    'waits with a timeout of %d ms',
    async (timeout) => {
      const mock = await start()
      let settled = false
      const waiting = mock.requests.waitFor({ operation: 'createPlant' }, { timeout }).finally(() => {
        settled = true
      })
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(settled).toBe(false)
      await mock.fetch('/plants', post(fern))
      expect(await waiting).toMatchObject({ id: 1 })
    },
  )

  it('shows six requests, with short URLs, and a short filter in the message of a wait that times out', async () => {
    const mock = await start()
    for (let i = 0; i < 8; i++) await mock.fetch(`/plants?x=${'a'.repeat(10_000)}`, as('alice'))
    const failure = mock.requests.waitFor({ method: 'b'.repeat(10_000) }, { timeout: 1 })
    await expect(failure).rejects.toThrow(/^No request matched \{"method":"b{188}…/)
    await expect(failure).rejects.toSatisfy(({ message }: Error) => message.length < 2_000)
    await expect(failure).rejects.toSatisfy(({ message }: Error) => message.match(/GET \/plants/g)?.length === 6)
  })

  it.each([
    [null, 'Send a filter such as {"operation":"createPlant"}.'],
    [{ statuss: 409 }, 'Unknown filter "statuss". Did you mean "status"?'],
    [{ token: 'supersecrettoken-0123456789' }, 'Unknown filter "token".'],
    [{ operation: 'nope' }, 'The filter operation cannot be "nope". Use one of createPlant, listPlants, deletePlant.'],
    [{ ['x'.repeat(200)]: 1 }, `Unknown filter "${'x'.repeat(99)}…".`],
  ])('refuses the filter %j', async (filter, message) => {
    const { requests } = await start()
    for (const ask of [requests.all, requests.count, requests.find, requests.last, requests.waitFor]) {
      const failure = ask(filter as object)
      await expect(failure).rejects.toThrow(PlantMockError)
      await expect(failure).rejects.toThrow(message)
      await expect(failure).rejects.not.toThrow('supersecret')
    }
  })

  it('takes a filter as the control interface does', async () => {
    const mock = await start()
    await listPlants(mock)
    const filters = [{ status: '200' }, { violating: 'false' }, { method: undefined, status: 200 }]
    for (const filter of filters) expect(await mock.requests.count(filter as object)).toBe(1)
  })

  it('keeps the latest entries up to the option journal', async () => {
    const mock = await start({ journal: 3 })
    for (let i = 0; i < 5; i++) await listPlants(mock)
    expect((await mock.requests.all()).map(({ id }) => id)).toEqual([3, 4, 5])
  })

  it('is empty after a clear or a reset, and records the next requests', async () => {
    const mock = await start()
    for (const clear of [() => mock.requests.clear(), () => mock.reset()]) {
      await listPlants(mock)
      await clear()
      expect(await mock.requests.all()).toEqual([])
      await listPlants(mock)
      expect(await mock.requests.count()).toBe(1)
    }
  })

  it('holds no token, wherever the client sent it', async () => {
    const mock = await start()
    const headers = { authorization: `Bearer ${secret}`, cookie: 'id=whatever', 'x-trace': `of ${secret}` }
    await mock.fetch(`/plants?access_token=${secret}&limit=${secret}`, { headers })
    await mock.fetch('/plants', post({ id: 1, name: secret, tag: 'x' }, headers))
    await mock.fetch('/plants', { headers: { authorization: 'Basic whatever' } })
    await mock.fail({ caller: secret, status: 500 })
    const text = JSON.stringify([
      await mock.requests.all(),
      await mock.violations(),
      await mock.faults(),
      await mock.requests.waitFor({ caller: secret }),
    ])
    expect(text).not.toContain(secret)
    expect(text).not.toContain('whatever')
    expect(text).toContain('of caller-1')
  })

  it('records each violation of the contract with its section', async () => {
    const mock = await start()
    await mock.fetch('/plants?page=2&limit=-1', as('alice'))
    await mock.fetch('/plants', post({ id: '7', name: 'Fern', colour: 'green' }))
    await mock.fetch('/plants', post('{', { 'content-type': 'text/plain' }))
    await mock.fetch('/plants')
    await mock.fetch('/plants', { method: 'DELETE', ...as('alice') })
    await mock.fetch('/plants', { method: 'OPTIONS' })
    const recorded = await mock.violations()
    expect(recorded.map((violation) => violation.operation ?? Object.keys(violation).includes('operation'))).toEqual([
      ...['listPlants', 'listPlants', 'createPlant', 'createPlant', 'createPlant', 'createPlant', 'listPlants'],
      false,
    ])
    const violations = recorded.map(({ request, section, detail }) => [request, section, detail])
    expect(violations).toEqual([
      [1, '4.2', 'A list has no query parameter page; it has limit.'],
      [1, '4.2', 'limit must be one number; the query has "-1".'],
      [2, '2, 4.1', 'id must be an integer, not a string.'],
      [2, '2, 4.1', 'colour is not a field of a plant.'],
      [3, '4.1', 'Content-Type must be application/json; it is text/plain.'],
      [3, '4.1', 'The body must be a JSON object; it is not JSON.'],
      [4, '5', 'Send the header Authorization: Bearer alice (by default, any token is accepted).'],
      [5, '4.3', 'The contract has no DELETE /plants; it has POST /plants and GET /plants.'],
    ])
  })

  it('records no violation where the contract leaves a point open', async () => {
    const mock = await start({ assume: { 'create.required': 'none' } })
    await mock.fetch('/plants', post({}))
    await mock.fetch('/plants?limit=0', as('alice'))
    await mock.fetch('/plants', post(fern, { 'content-type': 'application/json; charset=utf-8' }))
    expect(await mock.violations()).toEqual([])
  })
})
