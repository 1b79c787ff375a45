import { assumptionRegistry } from 'plant-mock'
import { type FetchLike, renderConformance } from 'plant-mock/conformance'
import { describe, expect, it } from 'vitest'
import { assumptionOf, check, idsOf, ruleOf, tokens } from '../support/conformance.ts'
import { type Quirks, quirkyService, strictLimit } from '../support/quirky-service.ts'

const checkService = (quirks: Quirks) => {
  const service = quirkyService(quirks)
  return check(service, { now: service.now, wait: service.wait, skip: ['body.maxSize'] })
}

const brokenBy = async (quirks: Quirks) => idsOf(await checkService(quirks), 'failed')

const limitFrom =
  (first: number, broken: (limit: number) => number): NonNullable<Quirks['limit']> =>
  (values) => {
    const limit = strictLimit(values)
    return limit !== undefined && values.length > 0 && limit >= first ? broken(limit) : limit
  }

const counted = <In, Out>(first: number, usual: (value: In) => Out, broken: (value: In) => Out) => {
  let count = 0
  return (value: In): Out => (++count < first ? usual(value) : broken(value))
}

/** Changes the response to lists of this limit or more. */
const listsFrom =
  (first: number, change: (response: Response) => Response | Promise<Response>): NonNullable<Quirks['gateway']> =>
  (next) =>
  async (request) => {
    const response = await next(request)
    const isChanged = request.method === 'GET' && Number(request.url.searchParams.get('limit') ?? 0) >= first
    return isChanged && response.status === 200 ? change(response) : response
  }

const json = { 'content-type': 'application/json' }

/** Lists never show the plants with these numbers, in the order of their creates. */
const neverListed = (isLost: (number: number) => boolean): NonNullable<Quirks['isVisible']> => {
  const numbers = new Map<unknown, number>()
  return (row) => {
    if (row.sent === undefined) return true
    if (!numbers.has(row)) numbers.set(row, numbers.size + 1)
    return !isLost(numbers.get(row) ?? 0)
  }
}

/** Responds to every nth list whose header `Authorization` matches as to a caller. */
const granting =
  (authorization: RegExp, nth: number): NonNullable<Quirks['gateway']> =>
  (next) => {
    let count = 0
    return async (request) => {
      const isMeant = request.method === 'GET' && authorization.test(request.headers.get('authorization') ?? '')
      if (!isMeant || ++count % nth !== 0) return next(request)
      return Response.json([{ name: 'fern', tag: 'climber' }])
    }
  }

describe('a service that breaks list.limit', () => {
  it.each([1, 3, 40, 100])('by one plant from limit=%i on is called broken', async (first) => {
    expect(await brokenBy({ limit: limitFrom(first, (limit) => limit + 1) })).toEqual(['list.limit'])
  })

  it.each([31, 100])('by ignoring limits from %i on is called broken', async (first) => {
    expect(await brokenBy({ limit: limitFrom(first, () => Number.POSITIVE_INFINITY) })).toEqual(['list.limit'])
  })

  it('only below its maximum is called broken', async () => {
    const limit = limitFrom(20, (asked) => Math.min(asked + 1, 33))
    expect(
      await brokenBy({ limit: (values) => (values.length === 0 ? 33 : Math.min(limit(values) ?? 0, 33)) }),
    ).toContain('list.limit')
  })
})

describe('a service that breaks a rule only later', () => {
  it.each<readonly [string, string, () => Quirks]>([
    [
      'shows ids in lists of 50 plants or more',
      'list.elements',
      () => ({
        listBody: (elements) =>
          elements.length < 50 ? elements : elements.map((element) => ({ ...(element as object), id: 1 })),
      }),
    ],
    [
      'returns objects for limits from 100 on',
      'list.array',
      () => ({ gateway: listsFrom(100, async (list) => Response.json({ plants: await list.json() })) }),
    ],
    [
      'declares lists as text for limits from 20 on',
      'list.json',
      () => ({
        gateway: listsFrom(
          20,
          async (list) => new Response(await list.text(), { headers: { 'content-type': 'text/plain' } }),
        ),
      }),
    ],
    [
      'fails with 500 for limits from 30 to 900',
      'list.succeeds',
      () => ({
        gateway: (next) => async (request) => {
          const limit = Number(request.url.searchParams.get('limit') ?? 0)
          return limit >= 30 && limit < 900 ? new Response('{}', { status: 500, headers: json }) : next(request)
        },
      }),
    ],
    [
      'returns ids from the twentieth create on',
      'create.shape',
      () => ({
        createBody: counted(
          20,
          ({ fields: { name, tag } }) => ({ name, tag }),
          ({ fields }) => fields,
        ),
      }),
    ],
    [
      'stores another tag from the fortieth plant on',
      'create.stored',
      () => ({
        stored: counted(
          40,
          (fields) => fields,
          (fields) => ({ ...fields, tag: 'lost' }),
        ),
      }),
    ],
    [
      'shows the plants of the second caller to the first',
      'list.access',
      () => ({ leaks: (_, caller) => caller === tokens.caller }),
    ],
    [
      'shows all plants to the second caller with limit=1',
      'list.access',
      () => ({ leaks: (_, caller, url) => caller === tokens.other && url.search === '?limit=1' }),
    ],
    ['never lists its fifteenth plant', 'create.stored', () => ({ isVisible: neverListed((n) => n === 15) })],
    ['never lists one of its plants in a batch', 'create.stored', () => ({ isVisible: neverListed((n) => n === 72) })],
    ['lists one plant in five never', 'create.stored', () => ({ isVisible: neverListed((n) => n % 5 === 0) })],
    ['accepts every third list without a token', 'auth.list', () => ({ gateway: granting(/^$/, 3) })],
    ['accepts lists with another scheme', 'auth.list', () => ({ gateway: granting(/^Basic /, 1) })],
  ])('and %s breaks %s', async (_, id, quirks) => {
    expect(await brokenBy(quirks())).toContain(id)
  })
})

describe('a service that keeps what it does not promise', () => {
  it('never shows one plant is not said to lose the oldest', async () => {
    const report = await checkService({ isVisible: neverListed((n) => n === 30) })
    expect(renderConformance(report)).not.toContain('loses the oldest')
  })

  it('stores a plant and refuses its create, gets advice', async () => {
    const ids = new Set<unknown>()
    const gateway: NonNullable<Quirks['gateway']> = (next) => async (request) => {
      const response = await next(request)
      const { id } = response.ok && request.method === 'POST' ? (JSON.parse(request.text) as { id?: unknown }) : {}
      const isTaken = id !== undefined && ids.has(id)
      ids.add(id)
      return isTaken ? new Response('{"error":"taken"}', { status: 409, headers: json }) : response
    }
    const report = await checkService({ duplicates: 'accept', gateway })
    expect(ruleOf(report, 'robust.refusal')).toMatchObject({
      outcome: 'advised',
      reason: expect.stringContaining('a create was refused with 409, but lists show its plant'),
    })
    expect(report.conforms).toBe(true)
  })

  it('and refuses a create that it carried out before a lost response, gets none', async () => {
    let lost = 0
    const service = quirkyService()
    const { now, wait } = service
    const fetch: FetchLike = async (url, init) => {
      const response = await service(url, init)
      if (init.method === 'POST' && response.ok && ++lost === 20) throw new TypeError('the connection was reset')
      return response
    }
    const report = await check(fetch, { now, wait })
    expect(ruleOf(report, 'robust.refusal')).toMatchObject({ outcome: 'passed' })
  })
})

describe('operation.other', () => {
  const checkOther = (fetch: FetchLike) =>
    check(fetch, { rules: [], skip: assumptionRegistry.flatMap(({ id }) => (id === 'operation.other' ? [] : [id])) })

  it('is learned from PROPFIND alone where Allow names PUT or DELETE too', async () => {
    const report = await checkOther(answering(() => status(405, { allow: 'GET, POST, PUT, DELETE' })))
    expect(assumptionOf(report, 'operation.other')).toMatchObject({ found: 405, evidence: 'PROPFIND' })
  })

  /** Responds to methods other than GET and POST. */
  const answering = (answer: (method: string) => Response): FetchLike => {
    const service = quirkyService()
    return async (url, init) =>
      /plants\b/.test(url) && init.method !== 'GET' && init.method !== 'POST'
        ? answer(init.method ?? '')
        : service(url, init)
  }
  const status = (code: number, headers: Record<string, string> = {}) => new Response(null, { status: code, headers })

  it('is not learned from an unknown method that gets 501, as with Koa', async () => {
    const report = await checkOther(
      answering((method) => {
        if (method === 'PROPFIND') return status(501, { allow: 'HEAD, GET, POST' })
        return status(method === 'OPTIONS' ? 200 : 405, { allow: 'HEAD, GET, POST' })
      }),
    )
    expect(assumptionOf(report, 'operation.other')).toMatchObject({
      outcome: 'unseen',
      reason: expect.stringContaining('PROPFIND is unknown (501)'),
    })
  })

  it.each<readonly [string, (method: string) => Response, object]>([
    ['405 with Allow', () => status(405, { allow: 'GET, POST' }), { outcome: 'agrees', found: 405 }],
    ['501 to OPTIONS too', () => status(501), { outcome: 'differs', found: 501 }],
    [
      '404 to PROPFIND alone',
      (method) => status(method === 'OPTIONS' ? 204 : 404),
      { outcome: 'differs', found: 404, evidence: 'PROPFIND' },
    ],
  ])('is learned from %s', async (_, answer, expected) => {
    expect(assumptionOf(await checkOther(answering(answer)), 'operation.other')).toMatchObject(expected)
  })

  it('is found with safe methods alone', async () => {
    const methods = new Set<string>()
    await checkOther(
      answering((method) => {
        methods.add(method)
        return status(404)
      }),
    )
    expect([...methods].sort()).toEqual(['OPTIONS', 'PROPFIND'])
  })
})

describe('advice', () => {
  // As stock Fastify does.
  const accepting = () =>
    checkService({
      isValid: (plant) =>
        typeof plant === 'object' && plant !== null && 'name' in plant && 'id' in plant && 'tag' in plant,
      stored: ({ id, name, tag }) => ({ id: Number(id), name: String(name), tag: String(tag) }),
    })

  it('breaks nothing: a service that accepts wrong types conforms', async () => {
    const report = await accepting()
    expect(report.conforms).toBe(true)
    expect(idsOf(report, 'advised')).toEqual(['robust.refusal'])
  })

  it('has an outcome of its own in each form of the report', async () => {
    const report = await accepting()
    expect(renderConformance(report)).toMatch(/^Advice\n {2}robust\.refusal: /m)
    expect(renderConformance(report)).toContain('0 broken, 0 skipped. Advice: 1.')
    expect(renderConformance(report, 'json')).toContain('"outcome": "advised"')
    expect(renderConformance(report, 'junit')).toMatch(/failures="0"[\s\S]*robust\.refusal[\s\S]*advice: /)
  })
})
