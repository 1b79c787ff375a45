import { type Fault, type PlantMock, PlantMockError } from 'plant-mock'
import { afterEach, describe, expect, it } from 'vitest'
import { ways } from '../support/mocks.ts'
import { as, post } from '../support/targets.ts'

const fern = { id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }
const aloe = { id: 8, name: 'Aloe vera', tag: 'succulent', access: ['alice'] }
const secret = 'a-token-of-forty-characters-that-is-real'

describe.each(ways)('a mock $name', ({ open }) => {
  let close: () => Promise<unknown> = async () => undefined
  afterEach(() => close())

  const start = async (options?: Parameters<typeof open>[0]): Promise<PlantMock> => {
    const opened = await open(options)
    close = opened.close
    return opened.mock
  }
  const list = async (mock: PlantMock, caller = 'alice', query = '') =>
    (await mock.fetch(`/plants${query}`, as(caller))).json()

  describe('and its plants', () => {
    it('are those of the fixtures and those created, with ids and access', async () => {
      const mock = await start({ fixtures: [fern] })
      await mock.fetch('/plants', post({ id: 9, name: 'Mint', tag: 'herb' }))
      expect(await mock.plants.all()).toEqual([fern, { id: 9, name: 'Mint', tag: 'herb', access: ['alice'] }])
      expect(await mock.plants.visibleTo('bob')).toEqual([fern])
      expect(await mock.plants.find(({ tag }) => tag === 'herb')).toMatchObject({ id: 9 })
      expect(await mock.plants.find(({ tag }) => tag === 'tree')).toBeUndefined()
    })

    it('are seeded, all of them or none', async () => {
      const mock = await start({ fixtures: [fern] })
      await mock.seed([aloe])
      const bad = { name: 7 } as unknown as typeof fern
      await expect(mock.seed([fern, bad])).rejects.toThrow(
        new PlantMockError(
          'The plant at index 1 of the fixtures cannot be used: name must be a string, not a number; tag is required.',
        ),
      )
      expect(await mock.plants.all()).toEqual([fern, aloe])
    })

    it('come back from a snapshot, as often as wanted, with the assumptions', async () => {
      const mock = await start({ fixtures: [fern] })
      await mock.assume({ 'list.order': 'newest' })
      const restore = await mock.snapshot()
      for (let time = 0; time < 2; time++) {
        await mock.seed([aloe])
        await mock.assume({ 'list.order': 'name' })
        await restore()
        expect(await mock.plants.all()).toEqual([fern])
        expect(await mock.assumptions()).toMatchObject({ 'list.order': 'newest' })
      }
    })

    it('can be replaced by others, to which a reset comes back', async () => {
      const mock = await start({ fixtures: [fern] })
      await mock.load([aloe])
      await mock.seed([fern])
      await mock.reset()
      expect(await mock.plants.all()).toEqual([aloe])
    })
  })

  describe('and its assumptions', () => {
    it('change from the next request on, and come back with a reset', async () => {
      const mock = await start({ assume: { 'list.order': 'newest' } })
      await mock.assume({ 'create.status': 200 })
      expect((await mock.fetch('/plants', post(fern))).status).toBe(200)
      await mock.reset()
      expect(await mock.assumptions()).toMatchObject({ 'create.status': 201, 'list.order': 'newest' })
    })

    it('are refused with the nearest name when there is none such', async () => {
      const mock = await start()
      const wrong = { 'create.statsu': 200 } as unknown as { 'create.status': 200 }
      await expect(mock.assume(wrong)).rejects.toThrow('Did you mean "create.status"?')
    })
  })

  describe('and its journal', () => {
    it('tells each exchange with request, answer, caller and source', async () => {
      const mock = await start({ fixtures: [fern] })
      await mock.fetch('/plants?limit=1', as('alice'))
      await mock.fetch(
        '/plants',
        post({ id: 9, name: 'Mint', tag: 'herb' }, as('bob').headers as Record<string, string>),
      )
      await mock.fetch(
        '/plants',
        post({ id: 9, name: 'Mint', tag: 'herb' }, as('bob').headers as Record<string, string>),
      )
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

    it('finds what a test of its own says', async () => {
      const mock = await start()
      await list(mock)
      await list(mock, 'alice', '?limit=3')
      expect(await mock.requests.count(({ url }) => url.includes('limit'))).toBe(1)
      expect(await mock.requests.find(({ url }) => url.includes('limit'))).toMatchObject({ id: 2 })
    })

    it('waits for a request that is still to come, and takes one that came already', async () => {
      const mock = await start()
      const waiting = mock.requests.waitFor({ operation: 'createPlant' })
      await list(mock)
      await mock.fetch('/plants', post(fern))
      expect(await waiting).toMatchObject({ id: 2, operation: 'createPlant' })
      expect(await mock.requests.waitFor(({ status }) => status === 201)).toMatchObject({ id: 2 })
    })

    it('says which requests came when the wait was in vain', async () => {
      const mock = await start()
      await list(mock)
      await expect(mock.requests.waitFor({ operation: 'createPlant' }, { timeout: 20 })).rejects.toThrow(
        new PlantMockError(
          'No request matched {"operation":"createPlant"} within 20 ms. 1 came; the last: GET /plants 200.',
        ),
      )
      await mock.requests.clear()
      await expect(mock.requests.waitFor(() => true, { timeout: 1 })).rejects.toThrow(/No request came\.$/)
    })

    it('keeps the latest, as many as it was told to', async () => {
      const mock = await start({ journal: 3 })
      for (let i = 0; i < 5; i++) await list(mock)
      expect((await mock.requests.all()).map(({ id }) => id)).toEqual([3, 4, 5])
    })

    it('is empty after a clear or a reset, and goes on from there', async () => {
      const mock = await start()
      for (const clear of [() => mock.requests.clear(), () => mock.reset()]) {
        await list(mock)
        await clear()
        expect(await mock.requests.all()).toEqual([])
        await list(mock)
        expect(await mock.requests.count()).toBe(1)
      }
    })

    it('holds no token, wherever the client put it', async () => {
      const mock = await start()
      const headers = { authorization: `Bearer ${secret}`, cookie: 'id=whatever', 'x-trace': `of ${secret}` }
      await mock.fetch(`/plants?access_token=whatever&limit=${secret}`, { headers })
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

    it('names what violates the contract, with the section', async () => {
      const mock = await start()
      await mock.fetch('/plants?page=2&limit=-1', as('alice'))
      await mock.fetch('/plants', post({ id: '7', name: 'Fern', colour: 'green' }))
      await mock.fetch('/plants', post('{', { 'content-type': 'text/plain' }))
      await mock.fetch('/plants')
      await mock.fetch('/plants', { method: 'DELETE', ...as('alice') })
      await mock.fetch('/plants', { method: 'OPTIONS' })
      const found = (await mock.violations()).map(({ request, section, detail }) => [
        request,
        section,
        detail,
      ])
      expect(found).toEqual([
        [1, '4.2', 'A list has no query parameter page; it has limit.'],
        [1, '4.2', 'limit is to be one number; it was "-1".'],
        [2, '2, 4.1', 'id must be an integer, not a string'],
        [2, '2, 4.1', 'colour is not a field of a plant'],
        [3, '4.1', 'Content-Type is to be application/json; it was text/plain.'],
        [3, '4.1', 'The body is to be a JSON object; it is not JSON.'],
        [4, '5', 'Send the header Authorization: Bearer <token>.'],
        [5, '4.3', 'The contract shows no DELETE of /plants; it shows GET and POST.'],
      ])
    })

    it('takes what the contract leaves open as no violation', async () => {
      const mock = await start({ assume: { 'create.required': 'none' } })
      await mock.fetch('/plants', post({}))
      await mock.fetch('/plants?limit=0', as('alice'))
      await mock.fetch('/plants', post(fern, { 'content-type': 'application/json; charset=utf-8' }))
      expect(await mock.violations()).toEqual([])
    })
  })

  describe('and its faults', () => {
    it('answer a status for as many requests of an operation as they are for', async () => {
      const mock = await start()
      await mock.fail({ operation: 'listPlants', status: 503, times: 2 })
      const statuses: number[] = []
      for (const init of [post(fern), as('alice'), as('alice'), as('alice')])
        statuses.push((await mock.fetch('/plants', init)).status)
      expect(statuses).toEqual([201, 503, 503, 200])
    })

    it('answer in the form of error.body, and say that they are faults', async () => {
      const mock = await start()
      await mock.fail({ status: 429 })
      const response = await mock.fetch('/plants', as('alice'))
      expect(response.headers.get('plant-mock-source')).toBe('fault; kind="status"')
      expect(await response.json()).toEqual({
        type: 'urn:problem-type:plant-mock:simulated-failure',
        title: 'A failure that the mock was asked for',
        status: 429,
        detail: 'The mock was asked to answer 429 here.',
      })
    })

    it('answer with body and headers of their own', async () => {
      const mock = await start()
      await mock.fail({ status: 429, body: { wait: true }, headers: { 'Retry-After': '3' } })
      const response = await mock.fetch('/plants', as('alice'))
      expect(response.headers.get('retry-after')).toBe('3')
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(await response.json()).toEqual({ wait: true })
      await mock.fail({ status: 502, body: '<h1>Bad Gateway</h1>', headers: { 'content-type': 'text/html' } })
      const html = await mock.fetch('/plants', as('alice'))
      expect([html.headers.get('content-type'), await html.text()]).toEqual([
        'text/html',
        '<h1>Bad Gateway</h1>',
      ])
      await mock.fail({ status: 204, body: 'none' })
      expect(await (await mock.fetch('/plants', as('alice'))).text()).toBe('')
    })

    it('are for one caller alone, by token or by pseudonym', async () => {
      const mock = await start()
      await list(mock, 'alice')
      await mock.fail({ caller: 'bob', status: 500 })
      await mock.fail({ caller: 'caller-1', status: 501 })
      const status = async (caller: string) => (await mock.fetch('/plants', as(caller))).status
      expect([await status('alice'), await status('bob'), await status('carol')]).toEqual([501, 500, 200])
    })

    it('happen with a probability that the seed draws, the same each time', async () => {
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

    it('let the service act and then spoil its answer', async () => {
      const mock = await start()
      await mock.fail({ malformed: true, times: 1 })
      const response = await mock.fetch('/plants', post(fern))
      expect([response.status, await response.text()]).toEqual([201, '{"name":"Nephrolepis e'])
      expect(await mock.plants.all()).toHaveLength(1)
    })

    it('cut the answer off in the middle', async () => {
      const mock = await start({ fixtures: [fern] })
      await mock.fail({ truncate: true, times: 1 })
      const response = await mock.fetch('/plants', as('alice'))
      await expect(response.text()).rejects.toThrow()
      expect(await list(mock)).toHaveLength(1)
    })

    it('reset the connection before the service acts', async () => {
      const mock = await start()
      await mock.fail({ reset: true, times: 1 })
      await expect(mock.fetch('/plants', post(fern))).rejects.toThrow(TypeError)
      expect(await mock.plants.all()).toEqual([])
      expect(await mock.requests.last()).toMatchObject({
        fault: 'reset',
        operation: 'createPlant',
        source: 'fault',
      })
    })

    it('let the answer drip without end', async () => {
      const mock = await start({ fixtures: [fern] })
      await mock.fail({ drip: true, times: 1 })
      const leaving = new AbortController()
      const response = await mock.fetch('/plants', { ...as('alice'), signal: leaving.signal })
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      const drops = [await reader?.read(), await reader?.read()]
      expect(drops.map((drop) => drop?.value?.trim())).toEqual(['', ''])
      await reader?.cancel()
      leaving.abort()
    })

    it('hold answers back, and say for how long', async () => {
      const mock = await start({ latency: [5, 9] })
      const response = await mock.fetch('/plants', as('alice'))
      const [, delay] = /; delay=(\d)$/.exec(response.headers.get('plant-mock-source') ?? '') ?? []
      expect(['5', '6', '7', '8', '9']).toContain(delay)
      expect(await mock.requests.last()).toMatchObject({ delay: Number(delay), source: 'assumption' })
      expect((await mock.requests.last())?.milliseconds).toBeGreaterThanOrEqual(4)
      await mock.fail({ delay: 3, status: 500 })
      expect((await mock.fetch('/plants', as('alice'))).headers.get('plant-mock-source')).toMatch(
        /^fault; kind="status"; delay=(8|9|10|11|12)$/,
      )
    })

    it('are named while they wait, and no more once they met what they are for', async () => {
      const mock = await start({ latency: 1 })
      expect(await mock.pending()).toEqual([])
      await mock.fail({ operation: 'listPlants', status: 503, times: 2, caller: 'alice' })
      await mock.fail({ operation: 'createPlant', reset: true })
      const named = async () => (await mock.pending()).map(({ name, hits }) => [name, hits])
      expect(await named()).toEqual([
        ['createPlant: reset', 0],
        ['listPlants of caller-1: status 503, 2 times', 0],
      ])
      await list(mock)
      expect(await named()).toEqual([
        ['createPlant: reset', 0],
        ['listPlants of caller-1: status 503, 2 times', 1],
      ])
      await list(mock)
      await mock.fetch('/plants', post(fern)).catch(() => undefined)
      expect(await named()).toEqual([])
    })

    it('are taken away by what fail gives, by clearFaults, and by a reset but for those of the start', async () => {
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

    it.each<[unknown, RegExp]>([
      [{}, /nothing happens in it\. Give it status, malformed, reset, truncate, drip or delay\.$/],
      [{ status: 99 }, /"status" must be a status from 200 to 599\.$/],
      [{ status: 500, reset: true }, /status and reset exclude each other\.$/],
      [{ stauts: 500 }, /there is no "stauts"/],
      [{ operation: 'deletePlant', status: 500 }, /"operation" must be one of createPlant, listPlants\.$/],
      [{ status: 500, times: 0 }, /"times" must be a whole number from 1 on\.$/],
      [{ status: 500, probability: 2 }, /"probability" must be a number from 0 to 1\.$/],
      [{ delay: [9, 3] }, /the least delay comes first, then the longest\.$/],
      [{ delay: 1, body: 'x' }, /body and headers go with status\.$/],
      [{ status: 500, headers: { 'a b': 'c' } }, /"headers/],
      [{ status: 500, headers: { a: 'b\r\nc: d' } }, /"headers/],
    ])('are refused when they cannot be used: %j', async (fault, message) => {
      const mock = await start()
      await expect(mock.fail(fault as Fault)).rejects.toThrow(message)
      await expect(mock.fail(fault as Fault)).rejects.toThrow(PlantMockError)
      expect(await mock.faults()).toEqual([])
    })
  })

  describe('and its coverage', () => {
    it('counts each outcome that a client has met, and names the others', async () => {
      const mock = await start({ fixtures: [aloe, { ...aloe, id: 9 }] })
      await list(mock)
      await list(mock, 'alice', '?limit=1')
      await list(mock, 'bob')
      await list(mock, 'alice', '?limit=x')
      await mock.fetch('/plants')
      await mock.fetch('/plants', post(fern))
      await mock.fetch('/plants', post(fern))
      await mock.fetch('/plants', post(fern, { 'content-type': 'text/plain' }))
      await mock.fail({ operation: 'createPlant', malformed: true, delay: 1, times: 1 })
      await mock.fetch('/plants', post({ ...fern, id: 70 }))
      await mock.fail({ status: 500, times: 1 })
      await mock.fetch('/plants', as('alice'))
      await mock.fetch('/elsewhere', as('alice'))
      const rows = await mock.coverage()
      const met = rows
        .filter(({ count }) => count > 0)
        .map(({ operation, outcome, count }) => [operation, outcome, count])
      expect(met).toEqual([
        ['createPlant', 'success', 1],
        ['createPlant', 'conflict', 1],
        ['createPlant', 'unsupported', 1],
        ['createPlant', 'slow', 1],
        ['createPlant', 'malformed', 1],
        ['listPlants', 'success', 1],
        ['listPlants', 'empty', 1],
        ['listPlants', 'cut', 1],
        ['listPlants', 'unauthorized', 1],
        ['listPlants', 'invalid', 1],
        ['listPlants', 'server-error', 1],
      ])
      expect(rows).toHaveLength(21)
    })

    it('outlives a reset, and starts anew when it is cleared', async () => {
      const mock = await start()
      await list(mock)
      await mock.reset()
      const total = async () => (await mock.coverage()).reduce((sum, { count }) => sum + count, 0)
      expect(await total()).toBe(1)
      await mock.clearCoverage()
      expect(await total()).toBe(0)
    })
  })

  describe('and its sessions', () => {
    it('have plants, journal, faults and assumptions of their own, from the same start', async () => {
      const mock = await start({ fixtures: [fern], assume: { 'list.order': 'newest' } })
      const other = mock.session('other')
      await other.seed([aloe])
      await other.assume({ 'create.status': 200 })
      await other.fail({ operation: 'listPlants', status: 503 })
      await other.fetch('/plants', as('alice'))
      expect(await other.plants.all()).toEqual([fern, aloe])
      expect(await other.assumptions()).toMatchObject({ 'create.status': 200, 'list.order': 'newest' })
      expect(await mock.plants.all()).toEqual([fern])
      expect(await mock.assumptions()).toMatchObject({ 'create.status': 201 })
      expect(await mock.faults()).toEqual([])
      expect(await mock.requests.all()).toEqual([])
      expect(await other.requests.count()).toBe(1)
    })

    it('are the same whenever they are asked for by the same id, from anywhere', async () => {
      const mock = await start()
      await mock.session('one').seed([fern])
      expect(await mock.session('two').session('one').plants.all()).toEqual([fern])
    })

    it('are listed, and dropped with all that is in them', async () => {
      const mock = await start()
      await mock.session('one').seed([fern])
      await mock.session('two').fetch('/plants', as('alice'))
      expect(await mock.sessions.all()).toEqual(
        expect.arrayContaining([
          { id: 'one', requests: 0 },
          { id: 'two', requests: 1 },
        ]),
      )
      expect([await mock.sessions.drop('one'), await mock.sessions.drop('one')]).toEqual([true, false])
      expect(await mock.session('one').plants.all()).toEqual([])
    })

    it.each(['', ' a', 'ä', 'a\nb', 'x'.repeat(201)])('cannot have the id %j', async (id) => {
      const mock = await start()
      expect(() => mock.session(id)).toThrow(PlantMockError)
    })
  })
})
