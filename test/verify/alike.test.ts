import { assumptionRegistry, createPlantMock } from 'plant-mock'
import { type ConformanceReport, checkConformance, type FetchLike, learn, parseEntries } from 'plant-mock/conformance'
import { describe, expect, it } from 'vitest'
import { check, listen, numbers, tokens } from '../support/conformance.ts'
import { expressService } from '../support/express-service.ts'
import { type Gateway, type Quirks, quirkyService } from '../support/quirky-service.ts'
import { wrongService } from '../support/wrong-service.ts'

const learned = (found: ConformanceReport['assumptions']) =>
  parseEntries(JSON.stringify(learn(found, new Map(), { host: 'stock.example', date: '2026-11-24' })), 'learned.json')

/** These probes send the most requests and the largest requests. */
const filling = ['list.maxLimit', 'list.defaultLimit', 'body.maxSize']

const measured = async (fetch: FetchLike, options: Parameters<typeof check>[1] = {}) => {
  const { alike, ...report } = await check(fetch, { rules: [], skip: filling, imitate: learned, ...options })
  if (alike === undefined) throw new Error('nothing was measured')
  return { ...report, alike, causes: alike.differences.map(({ cause }) => cause) }
}

describe('a mock of a service built with Express', () => {
  it('is alike in most exchanges, and each difference is of an assumption', async () => {
    const { url, close } = await listen(await expressService(Object.values(tokens)))
    const { alike, rules } = await checkConformance({
      baseUrl: url,
      tokens,
      wait: async () => undefined,
      random: numbers(1),
      imitate: learned,
      skip: ['body.maxSize'],
    })
    await close()
    expect(rules.filter(({ outcome }) => outcome === 'failed')).toEqual([])
    expect(alike?.heldOut.exchanges).toBe(40)
    expect(Number(alike?.alike) / Number(alike?.exchanges)).toBeGreaterThan(0.93)
    expect(alike?.differences.filter(({ cause }) => cause.because === 'unknown')).toEqual([])
  })
})

describe('a mock that imitates a service', () => {
  it('is alike in every exchange with a service that has the values of the registry', async () => {
    const mock = createPlantMock({
      assume: { 'list.order': 'newest', 'error.body': 'json' },
      tokens: Object.values(tokens),
    })
    const { alike } = await measured(mock.fetch)
    expect([alike.differences, alike.alike]).toEqual([[], alike.exchanges])
  })

  it.each([
    ['empty', 'absent'],
    ['omit', 'null'],
    ['null', 'reject'],
  ] as const)(
    'shows plants without a tag as %s, and takes the tag null as %s, which breaks no rule',
    async (missingTag, nullTag) => {
      const mock = createPlantMock({
        assume: { 'create.required': 'name', 'create.missingTag': missingTag, 'create.nullTag': nullTag },
        tokens: Object.values(tokens),
        fixtures: [{ name: 'Fern' }, { id: 2, name: 'Ivy', tag: 'climber' }],
      })
      const { alike, rules, assumptions } = await check(mock.fetch, { skip: filling, imitate: learned })
      expect(rules.filter(({ outcome }) => outcome === 'failed')).toEqual([])
      expect(assumptions.find(({ id }) => id === 'create.missingTag')).toMatchObject({ found: missingTag })
      expect(assumptions.find(({ id }) => id === 'create.nullTag')).toMatchObject({ found: nullTag })
      expect([alike?.differences, alike?.alike]).toEqual([[], alike?.exchanges])
    },
  )

  it.each(['newest', 'id-descending', 'shuffled'] as const)(
    'starts with the plants that lists show, in the order %s',
    async (order) => {
      const mock = createPlantMock({
        assume: { 'list.order': order },
        tokens: Object.values(tokens),
        fixtures: [
          { id: 7, name: 'Zinnia', tag: 'old' },
          { id: 3, name: 'aloe', tag: 'old' },
          { id: 2_147_483_647, name: 'Monstera', tag: 'old' },
          { id: 5, name: 'Fern', tag: 'of one', access: [tokens.other] },
        ],
      })
      const { alike } = await measured(mock.fetch)
      expect(alike.differences).toEqual([])
    },
  )

  it('counts the requests of a rate limit from where the service does', async () => {
    const mock = createPlantMock({ assume: { 'rate.limit': 'every:7' }, tokens: Object.values(tokens) })
    for (let i = 0; i < 3; i++) await mock.fetch('/plants', { headers: { authorization: `Bearer ${tokens.caller}` } })
    const { alike } = await measured(mock.fetch)
    expect(alike.differences).toEqual([])
  })

  it('has the plants of an earlier check', async () => {
    const mock = createPlantMock({ assume: { 'create.duplicateId': 'conflict' }, tokens: Object.values(tokens) })
    await check(mock.fetch, { now: () => Date.UTC(2026, 0, 1) })
    const { alike } = await measured(mock.fetch, { random: numbers(2) })
    expect(alike.differences).toEqual([])
  })

  it('is alike where failures have an id, a time and a number of their own', async () => {
    let count = 0
    const failure = (status: number) =>
      Response.json(
        { request: crypto.randomUUID(), at: new Date().toISOString(), seq: ++count, code: status },
        { status },
      )
    const { alike } = await measured(quirkyService({ failure }))
    expect(alike.differences.filter(({ parts }) => parts.every((part) => part === 'body'))).toEqual([])
    expect(JSON.stringify(alike)).not.toContain(tokens.caller)
  })
})

const everyTwentyThird: Gateway = (next) => {
  let count = 0
  return async (request) =>
    ++count % 23 === 0 ? new Response('slow down', { status: 429, headers: { 'retry-after': '0' } }) : next(request)
}

describe('a difference', () => {
  it('is of the rule that the service breaks', async () => {
    const { causes } = await measured(wrongService(['a create returns the id']))
    expect(causes).toContainEqual({ because: 'rule', id: 'create.shape' })
  })

  it.each<readonly [string, readonly number[], Quirks]>([
    [
      'changes names',
      [1],
      { element: ({ fields: { name, tag } }) => ({ name: String(name).replaceAll('<', ''), tag }) },
    ],
    [
      'lists equal plants once',
      // A list that may be truncated proves no removal: the next full list differs once more.
      [2, 2],
      {
        gateway: (next) => async (request) => {
          const response = await next(request)
          if (request.method !== 'GET' || !response.ok) return response
          const all: readonly object[] = await response.json()
          return Response.json([...new Map(all.map((one) => [JSON.stringify(one), one])).values()])
        },
      },
    ],
  ])('is of the rule, and counts once for each plant, where the service %s', async (_, expectedCounts, quirks) => {
    const { alike } = await measured(quirkyService(quirks), { rules: ['create.stored'] })
    const ofLists = alike.differences.filter(({ exchange }) => exchange.startsWith('GET'))
    const expected = { cause: { because: 'rule', id: 'create.stored' } }
    expect(ofLists).toMatchObject(ofLists.map(() => expected))
    const counts = ofLists.map(({ exchanges }) => exchanges)
    expect(counts).toEqual(expectedCounts)
  })

  it('has a cause that is neither a value nor seen, and the nearest value is set', async () => {
    let count = 0
    const failure: Quirks['failure'] = (status, message, kind) =>
      Response.json({ code: status, ...(kind === 'limit' && ++count % 2 === 0 ? {} : { message }) }, { status })
    const { alike, assumptions } = await measured(quirkyService({ failure, meaningStatus: 418 }))
    const nearest = Object.fromEntries(assumptions.flatMap((one) => ('nearest' in one ? [[one.id, one.nearest]] : [])))
    expect(nearest).toMatchObject({
      'error.limitBody': '{"code":"{status}","message":"{detail}"}',
      'error.invalidStatus': 400,
    })
    expect(alike.differences.filter(({ parts }) => parts.join() === 'type')).toEqual([])
  })

  it('is of an assumption for which the service has no value', async () => {
    const { causes } = await measured(quirkyService({ meaningStatus: 418 }))
    expect(causes).toContainEqual({ because: 'other', id: 'error.invalidStatus' })
  })

  it('is of the visibility of plants where a service shows some later than others', async () => {
    const lists = new Map<unknown, number>()
    const { causes } = await measured(
      quirkyService({
        isVisible(row) {
          const count = (lists.get(row) ?? 0) + 1
          lists.set(row, count)
          return count > (Number(row.fields.id) % 2 === 0 ? 1 : 3)
        },
      }),
    )
    const ids = causes.map((cause) => ('id' in cause ? cause.id : cause.because))
    expect(ids).toContain('create.visibility')
    expect(ids).not.toContain('unknown')
  })

  it('is of the rate limit where the service counts what the mock does not', async () => {
    const { causes } = await measured(quirkyService({ gateway: everyTwentyThird }))
    expect(causes).toContainEqual({ because: 'other', id: 'rate.limit' })
    expect(causes).not.toContainEqual({ because: 'assumption', id: 'plant.meaning' })
  })

  it('counts once where the service has a plant that the mock refuses', async () => {
    const { alike } = await measured(wrongService(['wrong types are accepted']))
    expect(alike.differences.filter(({ exchange }) => exchange.startsWith('GET'))).toEqual([])
  })

  it('is of plants that no list showed at the start', async () => {
    const mock = createPlantMock({ tokens: Object.values(tokens) })
    let lists = 0
    const { causes } = await measured(
      async (url, init) => {
        if (init.method === 'GET' && ++lists % 40 === 0)
          await mock.seed([{ name: `Plant ${lists}`, tag: 'of somebody', access: [tokens.caller] }])
        return mock.fetch(url, init)
      },
      { skip: ['body.maxSize'] },
    )
    expect(causes).toContainEqual({ because: 'plants' })
  })

  it('is of plant-mock where no assumption covers it', async () => {
    const mock = createPlantMock({ tokens: Object.values(tokens) })
    const { causes } = await measured(
      async (url, init) => {
        const response = await mock.fetch(url, init)
        if (!url.endsWith('limit=1000')) return response
        return new Response(await response.text(), {
          status: response.status,
          headers: { 'content-type': 'application/json;a=b' },
        })
      },
      { skip: [] },
    )
    expect(causes).toContainEqual({ because: 'unknown' })
  })
})

describe('the exchanges after a check', () => {
  it('of other seeds are alike as often as the report expects', async () => {
    const service = quirkyService({ meaningStatus: 418, limitStatus: 418 })
    const { alike, assumptions } = await measured(service)
    const options = { skip: assumptionRegistry.map(({ id }) => id), imitate: () => learned(assumptions) }
    let [exchanges, same] = [0, 0]
    for (let seed = 2; seed < 10; seed++) {
      const { heldOut } = (await measured(service, { ...options, seed, random: numbers(seed) })).alike
      exchanges += heldOut.exchanges
      same += heldOut.alike
    }
    expect(Math.abs(Number(alike.expected) - same / exchanges)).toBeLessThan(0.05)
    expect(same / exchanges).toBeLessThan(0.8)
  })

  it('are 40, the same for the same seed', async () => {
    const sent = async (seed: number) => {
      const paths: string[] = []
      const mock = createPlantMock({ tokens: Object.values(tokens) })
      const { alike } = await measured(
        (url, init) => {
          paths.push(`${init.method} ${new URL(url).search}`)
          return mock.fetch(url, init)
        },
        { seed, skip: assumptionRegistry.map(({ id }) => id) },
      )
      expect(alike.heldOut.exchanges).toBe(40)
      return paths
    }
    const five = await sent(5)
    expect(await sent(5)).toEqual(five)
    expect(await sent(6)).not.toEqual(five)
  })

  it('are 40 at a service that redirects instead of refusing, which the check confirms each time', async () => {
    const service = quirkyService({ failure: () => new Response(null, { status: 302, headers: { location: '/' } }) })
    expect((await measured(service)).alike.heldOut.exchanges).toBe(40)
  })

  it('create nothing in a read-only check', async () => {
    const service = wrongService()
    const { alike } = await measured(service, { readOnly: true })
    expect([alike.heldOut.exchanges, service.accepted]).toEqual([40, []])
  })
})
