import { execFile, spawnSync } from 'node:child_process'
import type { RequestListener } from 'node:http'
import { promisify } from 'node:util'
import fc from 'fast-check'
import {
  type Assumptions,
  assumptionRegistry,
  createPlantMock,
  defaultAssumptions,
  type FixturePlant,
  type NewPlant,
  PlantMockError,
} from 'plant-mock'
import {
  type ConformanceReport,
  checkConformance,
  type FetchLike,
  renderConformance,
  UnreachableError,
} from 'plant-mock/conformance'
import { valuesOf } from 'plant-mock/contract'
import { loadFixtures } from 'plant-mock/node'
import { afterEach, describe, expect, it } from 'vitest'
import {
  assumptionOf,
  baseUrl,
  check,
  failuresOf,
  idsOf,
  learned,
  listen,
  noting,
  numbers,
  ruleOf,
  tokens,
} from '../support/conformance.ts'
import { targets } from '../support/targets.ts'
import { liberties, type Mistake, mistakes, serveWrong, wrongService } from '../support/wrong-service.ts'

/** What the command line says that a check creates, at the most. */
const mostCreated = 125
const mark = 'plant-mock check'

const fixtures: Readonly<Record<string, readonly FixturePlant[]>> = {
  empty: [],
  garden: await loadFixtures('garden'),
  crowded: await loadFixtures('crowded'),
}

describe('a service without a mistake', () => {
  it('keeps every rule', async () => {
    const report = await check(wrongService())
    expect(report.conforms).toBe(true)
    expect(idsOf(report, 'passed')).toEqual(report.rules.map(({ id }) => id))
  })

  it('keeps every rule over HTTP, checked with nothing but its address and two tokens', async () => {
    const service = await serveWrong(wrongService())
    const report = await checkConformance({ baseUrl: service.url, tokens })
    expect(idsOf(report, 'passed')).toEqual(report.rules.map(({ id }) => id))
    expect(report.requests).toBe(service.requests)
    await service.close()
  })
})

describe('a service with a mistake', () => {
  const cases = Object.entries(mistakes) as [Mistake, readonly string[]][]

  it('is there for every rule', async () => {
    const { rules } = await check(wrongService())
    const broken = new Set<string>(Object.values(mistakes).flat())
    expect(rules.filter(({ id }) => !broken.has(id))).toEqual([])
  })

  const reports = new Map<Mistake, Promise<ConformanceReport>>()
  const reportOf = (mistake: Mistake): Promise<ConformanceReport> => {
    const report = reports.get(mistake) ?? check(wrongService([mistake]))
    reports.set(mistake, report)
    return report
  }

  it.each(cases)('"%s" breaks %j and no other rule', async (mistake, broken) => {
    const report = await reportOf(mistake)
    expect([...idsOf(report, 'failed')].sort()).toEqual([...broken].sort())
    expect(report.conforms).toBe(false)
  })

  it.each(cases)('"%s" is told with a reason and a curl line, and without a token', async (mistake) => {
    const report = await reportOf(mistake)
    for (const { id, reason, curl } of failuresOf(report)) {
      expect(reason).toMatch(/\w/)
      expect(curl).toMatch(/^curl -i .*'http:\/\/plants\.example\/plants[^']*'$/s)
      const isOfNobody = id.startsWith('auth.') || /no token|bad token/.test(mistake)
      expect(curl).toMatch(isOfNobody ? /^(?!.*token-of)/ : /"Authorization: Bearer \$(?:OTHER_)?TOKEN"/)
    }
    for (const form of ['text', 'json', 'junit'] as const)
      expect(renderConformance(report, form)).not.toContain(tokens.caller)
  })

  it('that names tokens is quoted with the right variable for each', async () => {
    const report = await reportOf('lists are forbidden')
    expect(ruleOf(report, 'list.succeeds')).toMatchObject({
      reason: expect.stringContaining('"$TOKEN may not'),
    })
    expect(ruleOf(report, 'list.access')).toMatchObject({
      reason: expect.stringContaining('"$OTHER_TOKEN may not'),
    })
  })

  const hasCurl = spawnSync('curl', ['--version']).status === 0
  it.runIf(hasCurl)('shows itself when a shell runs the curl line', async () => {
    const service = await serveWrong(wrongService(['limit is one too many', 'a create answers the id']))
    const { rules } = await checkConformance({ baseUrl: service.url, tokens })
    const run = async (id: string) => {
      const rule = rules.find((rule) => rule.id === id)
      const curl = rule?.outcome === 'failed' ? rule.curl : ''
      const env = { PATH: process.env.PATH, TOKEN: tokens.caller }
      return (await promisify(execFile)('sh', ['-c', curl], { env })).stdout
    }
    expect(await run('list.limit')).toMatch(/^HTTP\/1\.1 200 [\s\S]*\[\{[^}]+\},\{[^}]+\}\]$/)
    // The plant is there by now.
    expect(await run('create.shape')).toMatch(/^HTTP\/1\.1 409 /)
    await service.close()
  })

  it('is measured by the length of its lists, even where the plants in them show no names', async () => {
    const report = await check(wrongService(['limit is ignored', 'lists show no names']))
    expect(idsOf(report, 'failed')).toEqual(['list.elements', 'list.limit'])
  })

  it.each(['empty', 'garden'])('is found with the plants of %s there before', async (name) => {
    const report = await check(wrongService(['nothing is stored'], fixtures[name]))
    expect(idsOf(report, 'failed')).toEqual(['create.stored'])
  })

  it('has the benefit of the doubt where lists may be cut before it shows', async () => {
    const report = await check(wrongService(['nothing is stored'], fixtures.crowded))
    expect(report.rules).toContainEqual(
      expect.objectContaining({ id: 'create.stored', reason: 'the list may have been cut at 250 plants' }),
    )
  })
})

describe('a service that takes a liberty', () => {
  it.each(Object.keys(liberties) as (keyof typeof liberties)[])(
    'breaks no rule when "%s", and is found to be none of the alternatives',
    async (liberty) => {
      const report = await check(wrongService([liberty]))
      expect(failuresOf(report)).toEqual([])
      const [id, found] = liberties[liberty]
      expect(assumptionOf(report, id)).toMatchObject({
        outcome: 'other',
        found: typeof found === 'string' ? found : expect.stringMatching(found),
      })
    },
  )
})

describe.each(targets)('$name', ({ open }) => {
  it.each(Object.keys(fixtures))(
    'keeps every rule and agrees with every assumption, from %s',
    async (name) => {
      const target = await open({ fixtures: fixtures[name] ?? [], tokens: Object.values(tokens), assume })
      const report = await check((url, init) => target.request(url.slice(baseUrl.length), init))
      await target.close()
      expect(report.rules.filter(({ outcome }) => outcome !== 'passed')).toEqual([])
      expect(report.assumptions.filter(({ outcome }) => outcome !== 'agrees')).toEqual([])
    },
  )
  const assume = { 'auth.tokens': 'any' } as const
})

const varied = assumptionRegistry.filter(({ alternatives }) => alternatives.length > 0)

it('looks at every assumption that can vary', async () => {
  const { assumptions } = await check(wrongService())
  expect(varied.filter(({ id }) => !assumptions.some((result) => result.id === id))).toEqual([])
})

describe('learning', () => {
  const mockWith = (assumptions: Assumptions, plants: readonly FixturePlant[] = [], seed = 1) =>
    createPlantMock({ fixtures: plants, tokens: Object.values(tokens), assume: assumptions, seed })

  /** Checks a mock, then one made of what was found, against what was found. */
  const roundTrip = async (assumptions: Assumptions, plants: readonly FixturePlant[], seed: number) => {
    const random = numbers(seed)
    const first = await check(mockWith(assumptions, plants, seed).fetch, { assumptions, random })
    const found = { ...defaultAssumptions, ...learned(first) }
    const second = await check(mockWith(found, plants, seed).fetch, { assumptions: found, random })
    return { first, found, second }
  }

  it.each(
    varied.flatMap(({ id, alternatives }) =>
      alternatives.map((value) => [`${id}=${value}`, id, value] as const),
    ),
  )('finds %s, and a mock that imitates it shows no difference', async (_, id, value) => {
    const assumptions = { ...defaultAssumptions, [id]: value } as Assumptions
    const { first, found, second } = await roundTrip(assumptions, fixtures.garden ?? [], 1)
    expect(found).toEqual(assumptions)
    for (const report of [first, second]) {
      expect(failuresOf(report)).toEqual([])
      // Under this one value, no list can show a limit by default of 100.
      const hidden = id === 'list.maxLimit' && value === 'clamp' ? ['list.defaultLimit'] : []
      const others = report.assumptions.filter(({ outcome }) => outcome !== 'agrees')
      expect(others.map(({ id, outcome }) => [id, outcome])).toEqual(hidden.map((id) => [id, 'unseen']))
    }
  })

  const anyAssumptions = fc
    .tuple(...varied.map((row) => fc.constantFrom(...valuesOf(row)).map((value) => [row.id, value])))
    .map((entries) => ({ ...defaultAssumptions, ...Object.fromEntries(entries) }) as Assumptions)
  const anySituation = [
    anyAssumptions,
    fc.constantFrom('empty', 'garden', 'crowded'),
    fc.nat({ max: 100_000 }),
  ] as const

  it('never finds a wrong value, whatever the assumptions, and a second check sees no difference', {
    timeout: 60_000,
  }, async () => {
    const property = fc.asyncProperty(...anySituation, async (assumptions, name, seed) => {
      const { first, second } = await roundTrip(assumptions, fixtures[name] ?? [], seed)
      for (const report of [first, second]) {
        expect(failuresOf(report)).toEqual([])
        const wrong = report.assumptions.filter(({ outcome }) => outcome === 'differs' || outcome === 'other')
        expect(wrong).toEqual([])
      }
      const unseen = first.assumptions.filter(({ outcome }) => outcome === 'unseen').map(({ id }) => id)
      const isCut = assumptions['list.maxLimit'] !== 'none'
      expect(unseen.filter((id) => !mayBeUnseen(id, name === 'crowded' && isCut))).toEqual([])
    })
    await fc.assert(property, { numRuns: 40 })
  })

  /** Limits that hide each other; and what takes a look at plants that no list shows. */
  const mayBeUnseen = (id: string, hidesNewPlants: boolean): boolean =>
    ['list.defaultLimit', 'list.order'].includes(id) ||
    (hidesNewPlants && ['create.visibility', 'create.duplicateId'].includes(id))

  it.each(varied.map(({ id }) => id))('finds %s when it looks at nothing else', async (id) => {
    const skip = assumptionRegistry.map((row) => row.id).filter((other) => other !== id)
    const { assumptions } = await check(mockWith(defaultAssumptions).fetch, { rules: [], skip })
    expect(assumptions).toMatchObject([{ id, outcome: 'agrees' }])
  })

  it.each(['added', 'newest', 'name'] as const)(
    'finds the order %s even where chance gives names in the order of creation',
    async (order) => {
      const assumptions = { ...defaultAssumptions, 'list.order': order }
      const report = await check(mockWith(assumptions).fetch, { assumptions, random: () => 0.5 })
      expect(assumptionOf(report, 'list.order')).toMatchObject({ outcome: 'agrees', found: order })
    },
  )

  it('finds the order or says that it cannot, where a list shows few of the created plants', async () => {
    const assumptions = { ...defaultAssumptions, 'list.order': 'name', 'list.maxLimit': 'clamp' } as const
    // The fewer places others leave in a list of 100, the fewer of the created plants are in it.
    const outcomes = new Set<string | undefined>()
    for (let others = 85; others < 99; others++) {
      const many = Array.from({ length: others }, (_, id) => ({ id, name: 'a', tag: 't' }))
      const report = await check(mockWith(assumptions, many).fetch, { assumptions, random: () => 0.5 })
      outcomes.add(assumptionOf(report, 'list.order')?.outcome)
    }
    expect([...outcomes].sort()).toEqual(['agrees', 'unseen'])
  })

  it('creates few plants that anyone can tell, whatever the assumptions', { timeout: 60_000 }, async () => {
    const property = fc.asyncProperty(...anySituation, async (assumptions, name, seed) => {
      const before = fixtures[name] ?? []
      const mock = mockWith(assumptions, before, seed)
      const { created } = await check(mock.fetch, { random: numbers(seed) })
      const added = (await mock.plants.all()).slice(before.length)
      expect(created).toBeLessThanOrEqual(mostCreated)
      expect(added.length).toBeLessThanOrEqual(created)
      for (const { id = 1_900_000_000, name, tag } of added) {
        expect([name, tag].some((text) => text.startsWith(mark))).toBe(true)
        expect(id).toBeGreaterThanOrEqual(1_900_000_000)
        expect(id).toBeLessThanOrEqual(2_147_483_647)
      }
    })
    await fc.assert(property, { numRuns: 25 })
  })
})

describe('what a check does to a service', () => {
  it('creates nothing with readOnly, and says so of each rule that it skips', async () => {
    const mock = createPlantMock({ fixtures: fixtures.garden ?? [] })
    const report = await check(mock.fetch, { readOnly: true })
    expect(await mock.plants.all()).toEqual(fixtures.garden)
    const skipped = report.rules.filter(({ outcome }) => outcome === 'skipped')
    expect(skipped.map(({ id }) => id)).toContain('create.succeeds')
    for (const rule of skipped) expect(rule).toMatchObject({ reason: 'nothing may be created' })
    expect(report).toMatchObject({ conforms: true, created: 0 })
  })

  it('sends no create with readOnly, not even one to be refused', async () => {
    const service = noting(wrongService(['wrong types are accepted', 'creates need no token']))
    await check(service, { readOnly: true })
    expect([...new Set(service.sent.map(({ method }) => method))].sort()).toEqual(['GET', 'PROPFIND'])
  })

  it('finds with readOnly what shows without a create', async () => {
    const assumptions = {
      ...defaultAssumptions,
      'list.defaultLimit': 20,
      'error.invalidStatus': 422,
      'list.zeroLimit': 'reject',
    } as const
    const mock = createPlantMock({ fixtures: fixtures.crowded ?? [], assume: assumptions })
    const report = await check(mock.fetch, { readOnly: true, assumptions })
    expect(report.assumptions.filter(({ outcome }) => outcome === 'differs' || outcome === 'other')).toEqual(
      [],
    )
    for (const id of [
      'list.defaultLimit',
      'list.maxLimit',
      'error.invalidStatus',
      'list.zeroLimit',
      'rate.limit',
    ])
      expect(assumptionOf(report, id)).toMatchObject({ id, outcome: 'agrees' })
  })

  it('says nothing of limits with readOnly where there are too few plants to tell', async () => {
    const report = await check(createPlantMock().fetch, { readOnly: true })
    expect(idsOf(report, 'failed')).toEqual([])
    expect(report.rules).toContainEqual(
      expect.objectContaining({ id: 'list.limit', reason: 'there are fewer than two plants to list' }),
    )
    for (const id of ['list.defaultLimit', 'list.maxLimit', 'list.zeroLimit'])
      expect(assumptionOf(report, id)).toMatchObject({ id, outcome: 'unseen' })
  })

  it('creates no more than it says, even where everything is taken and nothing is kept', async () => {
    const ways = ['wrong types are accepted', 'creates need no token', 'nothing is stored'] as const
    const service = noting(wrongService(ways))
    const { created } = await check(service)
    expect(created).toBeLessThanOrEqual(mostCreated)
    // Lists that do not grow are not worth a hundred plants.
    expect(service.sent.filter(({ method }) => method === 'POST').length).toBeLessThan(60)
  })

  it('creates no more than it says, even where every create succeeds and plants get lost', async () => {
    let plants: object[] = []
    let isLost = false
    const fetch = noting(async (url, init) => {
      const { method, body } = new Request(url, init)
      const limit = Number(new URL(url).searchParams.get('limit') ?? 1000)
      if (limit === 101 && !isLost) plants = []
      isLost ||= limit === 101
      if (method !== 'POST') return Response.json(plants.slice(0, limit))
      const text = await new Response(body).text()
      const { name, tag } = text.startsWith('{"id"')
        ? (JSON.parse(text) as NewPlant)
        : { name: 'x', tag: 'x' }
      plants.push({ name, tag })
      return Response.json({ name, tag }, { status: 201 })
    })
    const { created } = await check(fetch)
    expect(created).toBe(mostCreated)
    expect(fetch.sent.filter(({ method }) => method === 'POST')).toHaveLength(mostCreated)
  })

  it('sends no large body where one that should be refused is taken', async () => {
    const service = wrongService(['wrong types are accepted'])
    const sizes: number[] = []
    const report = await check((url, init) => {
      sizes.push((init.body as Uint8Array | undefined)?.byteLength ?? 0)
      return service(url, init)
    })
    expect(Math.max(...sizes)).toBeLessThan(20_000)
    expect(assumptionOf(report, 'body.maxSize')).toMatchObject({ outcome: 'unseen' })
  })

  it('sends one request at a time', async () => {
    const service = wrongService()
    let atOnce = 0
    let most = 0
    await check(async (url, init) => {
      most = Math.max(most, ++atOnce)
      const response = await service(url, init)
      atOnce--
      return response
    })
    expect(most).toBe(1)
  })

  it('uses the two tokens, a made-up one, and none', async () => {
    const service = noting(wrongService())
    await check(service)
    const callers = new Set(service.sent.map(({ headers }) => headers.get('authorization')))
    for (const expected of [`Bearer ${tokens.caller}`, `Bearer ${tokens.other}`, null])
      expect(callers).toContain(expected)
    expect([...callers].filter((caller) => caller?.startsWith('Bearer plant-mock-check-'))).toHaveLength(1)
  })
})

describe('options', () => {
  it('check some rules alone', async () => {
    const { rules } = await check(wrongService(), { rules: ['list.limit', 'auth.list'] })
    expect(rules.map(({ id }) => id).sort()).toEqual(['auth.list', 'list.limit'])
    expect((await check(wrongService(), { rules: [] })).rules).toEqual([])
  })

  it('leave out rules and assumptions', async () => {
    const skip = ['list.access', 'list.order'] as const
    const { rules, assumptions } = await check(wrongService(['callers see everything']), { skip })
    expect(rules.filter(({ outcome }) => outcome === 'failed')).toEqual([])
    expect([...rules, ...assumptions].filter(({ id }) => skip.some((left) => left === id))).toEqual([])
  })

  it('skip what takes a second caller where there is none', async () => {
    const report = await check(wrongService(['callers see everything']), {
      tokens: { caller: 'token-of-alice' },
    })
    expect(report.rules).toContainEqual(
      expect.objectContaining({ id: 'list.access', reason: 'there is no token of another caller' }),
    )
    expect(report.conforms).toBe(true)
  })

  it('compare with what is assumed', async () => {
    const assumptions = { ...defaultAssumptions, 'create.status': 200 } as const
    const report = await check(createPlantMock().fetch, { assumptions })
    expect(report.assumptions.filter(({ outcome }) => outcome !== 'agrees')).toEqual([
      expect.objectContaining({ id: 'create.status', outcome: 'differs', assumed: 200, found: 201 }),
    ])
  })

  it('send headers with every request', async () => {
    const service = noting(wrongService())
    await check(service, { headers: { 'X-Team': 'frontend', 'Content-Type': 'text/plain' } })
    expect(service.sent.filter(({ headers }) => headers.get('x-team') !== 'frontend')).toEqual([])
    // Never two values for one header.
    const types = service.sent.map(({ headers }) => headers.get('content-type') ?? '')
    expect(types.filter((type) => type.includes(','))).toEqual([])
  })

  it('are told of each rule and assumption in turn', async () => {
    const told: (readonly [string, number, number])[] = []
    const { rules, assumptions } = await check(wrongService(), {
      onProgress: (...progress) => told.push(progress),
    })
    const ids = [...rules, ...assumptions].map(({ id }) => id)
    expect(told.map(([id]) => id).sort()).toEqual(ids.sort())
    expect(told.map(([, done, of]) => [done, of])).toEqual(told.map((_, i) => [i, told.length]))
  })

  it.each(['http://plants.example/v1', 'http://plants.example/v1/', 'HTTP://plants.example:80/v1//'])(
    'take the address %s',
    async (baseUrl) => {
      const service = noting(wrongService())
      const report = await check(service, { baseUrl, rules: ['list.succeeds'] })
      expect(report.baseUrl).toBe('http://plants.example/v1')
      const paths = service.sent.map(({ url }) => url.split('?')[0])
      expect([...new Set(paths)]).toEqual(['http://plants.example/v1/plants'])
    },
  )

  it.each([
    [
      'an unknown rule',
      { rules: ['list.lenght'] },
      /There is no rule "list\.lenght"\. There are list\.succeeds, /,
    ],
    ['an unknown id to skip', { skip: ['list.lenght'] }, /no rule or assumption "list\.lenght" to skip/],
    ['the same token twice', { tokens: { caller: 'secret-a', other: 'secret-a' } }, /tokens are the same/],
    ['what is no token', { tokens: { caller: 'secret a' } }, /cannot be a bearer token/],
    ['an empty token', { tokens: { caller: 'secret-a', other: '' } }, /cannot be a bearer token/],
    ['what is no address', { baseUrl: 'plants.example' }, /"plants\.example" is not an address/],
    ['an address that is not HTTP', { baseUrl: 'ftp://plants.example' }, /is not an address/],
    ['a query', { baseUrl: 'http://plants.example/?x=secret' }, /leave out the part from \? on/],
    ['an empty query', { baseUrl: 'http://plants.example/?' }, /leave out the part from \? on/],
    ['a fragment', { baseUrl: 'http://plants.example/#secret' }, /leave out the part from # on/],
    ['a password', { baseUrl: 'http://me:secret@plants.example/?x' }, /has a user name or password in it/],
    [
      'a header of its own',
      { headers: { AUTHORIZATION: 'Basic secret' } },
      /header Authorization cannot be given/,
    ],
    ['what is no header', { headers: { 'X-Key': 'secret\u20AC' } }, /The header "X-Key" cannot be sent/],
    ['no time at all', { timeout: 0 }, /timeout must be a number of milliseconds/],
    ['more time than a timer holds', { timeout: 2 ** 31 }, /timeout must be a number of milliseconds/],
  ])(
    'are refused with %s, before anything is sent and without what is secret',
    async (_, options, message) => {
      const service = noting(wrongService())
      const error = await check(service, options).catch((error: unknown) => error)
      expect(error).toBeInstanceOf(PlantMockError)
      expect((error as Error).message).toMatch(message)
      expect((error as Error).message).not.toContain('secret')
      expect(service.sent).toEqual([])
    },
  )
})

describe('a signal', () => {
  it('ends a check with what is known by then', async () => {
    const stop = new AbortController()
    const service = noting(wrongService(['lists are declared as HTML']))
    const report = await check(service, {
      signal: stop.signal,
      onProgress: (id) => id === 'create.stored' && stop.abort(),
    })
    expect(idsOf(report, 'failed')).toEqual(['list.json'])
    expect(report.rules.at(-1)).toMatchObject({
      id: 'create.stored',
      outcome: 'skipped',
      reason: 'the check was stopped',
    })
    expect(report.assumptions).toEqual([])
    expect(service.sent.filter(({ method }) => method === 'PROPFIND')).toEqual([])
  })

  it('ends a check that has not begun, with an empty report', async () => {
    const service = noting(wrongService())
    const report = await check(service, { signal: AbortSignal.abort() })
    expect([report.rules, report.assumptions, service.sent]).toEqual([[], [], []])
  })

  it('ends a check that waits for its first answer, with an empty report', async () => {
    const stop = new AbortController()
    const report = await check(
      () => {
        stop.abort()
        return new Promise(() => undefined)
      },
      { signal: stop.signal },
    )
    expect([report.rules, report.requests]).toEqual([[], 1])
  })

  it('ends a wait for a rate limit', async () => {
    const stop = new AbortController()
    const service = wrongService()
    const report = await checkConformance({
      baseUrl,
      tokens,
      signal: stop.signal,
      fetch: async (url, init) => {
        if (init.method !== 'POST') return service(url, init)
        // Only once the answer is read, the wait begins.
        setImmediate(() => setImmediate(() => stop.abort()))
        return new Response('', { status: 429, headers: { 'retry-after': '3600' } })
      },
    })
    expect(report.rules.at(-1)).toMatchObject({ outcome: 'skipped', reason: 'the check was stopped' })
  })
})

describe("in a backend team's own test file", () => {
  it('the store keeps the contract', async () => {
    const { rules } = await checkConformance({ fetch: wrongService(), baseUrl: 'http://localhost', tokens })
    expect(rules.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  })

  it('a broken rule is named, with its reason, by the one line that fails', async () => {
    const service = wrongService(['a create answers the id'])
    const { rules } = await checkConformance({ fetch: service, baseUrl: 'http://localhost', tokens })
    expect(() => expect(rules.filter(({ outcome }) => outcome === 'failed')).toEqual([])).toThrow(
      expect.objectContaining({
        actual: [
          expect.objectContaining({ id: 'create.shape', reason: expect.stringMatching(/^the body is/) }),
        ],
      }),
    )
  })
})

describe('a bad target', () => {
  const ends: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
  })
  const serve = async (listener: RequestListener) => {
    const server = await listen(listener)
    ends.push(server.close)
    return server
  }
  const checkAt = (baseUrl: string, timeout = 100) => checkConformance({ baseUrl, tokens, timeout })
  const unreachable = async (baseUrl: string, timeout?: number) => {
    const error = await checkAt(baseUrl, timeout).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(UnreachableError)
    return (error as Error).message
  }

  it('that hangs is unreachable', async () => {
    const server = await serve(() => undefined)
    expect(await unreachable(server.url, 1_000)).toBe(
      `${server.url} cannot be reached: no whole answer came within 1 s.`,
    )
    expect(server.requests).toBe(1)
  })

  it('that sends headers and no body is unreachable', async () => {
    const server = await serve((_, res) => res.writeHead(200).flushHeaders())
    expect(await unreachable(server.url, 1_000)).toMatch(/no whole answer came within 1 s/)
    expect(server.requests).toBe(1)
  })

  it('that answers byte by byte, without an end, is unreachable', async () => {
    const server = await serve((_, res) => {
      const timer = setInterval(() => res.write('['), 5)
      res.on('close', () => clearInterval(timer))
    })
    expect(await unreachable(server.url, 1_000)).toMatch(/no whole answer came within 1 s/)
    expect(server.requests).toBe(1)
  })

  it('with an endless body is unreachable, and is not read to the end', async () => {
    const written: number[] = []
    const server = await serve((_, res) => {
      const chunk = Buffer.alloc(64 * 1024, '[')
      const write = () => {
        while (!res.destroyed && res.write(chunk)) written.push(chunk.length)
      }
      res.on('drain', write)
      write()
    })
    expect(await unreachable(server.url, 20_000)).toMatch(/the answer is larger than 8 MiB/)
    expect(server.requests).toBe(1)
    // What sockets hold may come on top.
    expect(written.length * 64).toBeLessThan(64 * 1024)
  })

  it('that resets its connections is unreachable', async () => {
    const server = await serve((req) => req.socket.resetAndDestroy())
    expect(await unreachable(server.url, 5_000)).toMatch(
      /cannot be reached: .*(?:ECONNRESET|other side closed)/,
    )
    expect(server.requests).toBeLessThanOrEqual(3)
  })

  it('that closes in the middle of a body is unreachable', async () => {
    const server = await serve((_, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      res.write('[', () => res.destroy())
    })
    expect(await unreachable(server.url, 5_000)).toMatch(/cannot be reached: \w+/)
    expect(server.requests).toBeLessThanOrEqual(3)
  })

  it('that nobody serves is unreachable', async () => {
    const { url, close } = await listen(() => undefined)
    await close()
    expect(await unreachable(url)).toMatch(/cannot be reached: .*ECONNREFUSED/)
  })

  it('that answers HTML to everything breaks the rules that say JSON, and gets few creates', async () => {
    const posts: string[] = []
    const server = await serve((req, res) => {
      if (req.method === 'POST') posts.push(req.url ?? '')
      req.resume()
      res.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Welcome</title>')
    })
    const report = await checkAt(server.url, 5_000)
    expect(idsOf(report, 'failed')).toEqual(
      expect.arrayContaining(['list.array', 'list.json', 'create.json']),
    )
    expect(ruleOf(report, 'list.array')).toMatchObject({ reason: expect.stringContaining('<!doctype html>') })
    expect(posts.length).toBeLessThan(40)
    expect(server.requests).toBeLessThan(100)
  })

  it('that answers 500 to everything breaks the rules that say so, and shows nothing of the others', async () => {
    const server = await serve((req, res) => {
      req.resume()
      res.writeHead(500, { 'content-type': 'text/plain' }).end('out of order')
    })
    const report = await checkAt(server.url, 5_000)
    expect([...idsOf(report, 'failed')].sort()).toEqual([
      'create.succeeds',
      'list.succeeds',
      'robust.input',
      'robust.refusal',
    ])
    expect(idsOf(report, 'passed')).toEqual([])
    expect(ruleOf(report, 'list.succeeds')).toMatchObject({ reason: 'the answer is 500: out of order' })
    expect(report.assumptions.filter(({ outcome }) => outcome === 'differs' || outcome === 'agrees')).toEqual(
      [expect.objectContaining({ id: 'rate.limit', found: 'none' })],
    )
    expect(server.requests).toBeLessThan(100)
  })

  it('that redirects elsewhere is told so, and nothing is sent there', async () => {
    const elsewhere = await serve((_, res) => res.end('[]'))
    const server = await serve((req, res) => {
      req.resume()
      res.writeHead(307, { location: `${elsewhere.url}${req.url}` }).end()
    })
    const report = await checkAt(server.url, 5_000)
    expect(ruleOf(report, 'list.succeeds')).toMatchObject({
      outcome: 'failed',
      reason: `it redirects (307) to ${elsewhere.url}/plants?limit=1, which is not followed`,
    })
    expect(elsewhere.requests).toBe(0)
    expect(idsOf(report, 'passed')).toEqual(['robust.input'])
  })

  it('that stops answering half-way is asked a few times more, and then no more', async () => {
    const service = wrongService()
    let answers = 0
    const fetch = noting((url, init) =>
      answers++ < 12 ? service(url, init) : Promise.reject(new TypeError('fetch failed')),
    )
    const report = await check(fetch)
    expect(fetch.sent.length).toBe(15)
    expect(failuresOf(report).length).toBeLessThanOrEqual(3)
    expect(failuresOf(report).map(({ reason }) => reason)).toContain('fetch failed')
    expect(report.rules.at(-1)).toMatchObject({
      outcome: 'skipped',
      reason: 'the target gave no usable answer 3 times in a row, so it was not asked again',
    })
  })

  it('that answers 429 for good is left alone, and nothing is made of its refusals', async () => {
    const service = wrongService()
    let answers = 0
    const waits: number[] = []
    const fetch = noting(async (url, init) =>
      answers++ < 8
        ? service(url, init)
        : new Response('', { status: 429, headers: { 'retry-after': '3600' } }),
    )
    const report = await check(fetch, { wait: async (milliseconds) => void waits.push(milliseconds) })
    expect(failuresOf(report)).toEqual([])
    expect(fetch.sent.length).toBeLessThan(60)
    expect(Math.max(...waits)).toBeLessThanOrEqual(5_000)
    expect(report.assumptions.filter(({ outcome }) => outcome === 'differs')).toEqual([])
    expect(assumptionOf(report, 'rate.limit')).toMatchObject({ outcome: 'other' })
  })

  it('behind a fetch that heeds no signal is unreachable all the same', async () => {
    const never: FetchLike = () => new Promise(() => undefined)
    await expect(check(never, { timeout: 50 })).rejects.toThrow(UnreachableError)
    const endless: FetchLike = async () => new Response(new ReadableStream({ start: () => undefined }))
    await expect(check(endless, { timeout: 50 })).rejects.toThrow(/no whole answer came within 0\.05 s/)
  })
})
