import { type AssumptionId, assumptionRegistry, createPlantMock } from 'plant-mock'
import type { ConformanceOptions, FetchLike } from 'plant-mock/conformance'
import { describe, expect, it } from 'vitest'
import { isJsonObject } from '../../src/util/json.ts'
import { assumptionOf, check, ruleOf, tokens } from '../support/conformance.ts'
import { type Gateway, type Quirks, quirkyService, type Req, strictLimit } from '../support/quirky-service.ts'

const checked = (behaviour: Quirks, options: Partial<ConformanceOptions> = {}) => {
  const service = quirkyService(behaviour)
  return check(service, { now: service.now, wait: service.wait, ...options })
}

const only = (...ids: readonly AssumptionId[]): Partial<ConformanceOptions> => ({
  rules: [],
  skip: assumptionRegistry.flatMap(({ id }) => (ids.includes(id) ? [] : [id])),
})

const instead =
  (applies: (request: Req) => boolean, status: number): Gateway =>
  (next) =>
  async (request) =>
    applies(request) ? new Response('', { status }) : next(request)

const isPost = ({ method }: Req) => method === 'POST'
const isOther = ({ headers }: Req) => headers.get('authorization') === `Bearer ${tokens.other}`
const sent = ({ text }: Req): Readonly<Record<string, unknown>> => JSON.parse(text)

/** `taken`: status where the first caller has the id. `fresh`: status for every other id. */
const failingForOther =
  (taken: number | undefined, fresh: number | undefined): Gateway =>
  (next) => {
    const ids = new Set<unknown>()
    return async (request) => {
      if (!isPost(request)) return next(request)
      if (!isOther(request)) {
        if (/^\{"id":\d+,/.test(request.text)) ids.add(sent(request).id)
        return next(request)
      }
      const status = ids.has(sent(request).id) ? taken : fresh
      return status === undefined ? next(request) : new Response('', { status })
    }
  }

const problem = { type: 'about:blank', title: 'Refused', status: 400, detail: 'why it is refused' }
const failing = (body: object, type = 'application/problem+json'): Quirks => ({
  failure: (status) => {
    const text = JSON.stringify({ ...body, ...('status' in body && { status: body.status === 400 ? status : 'bad' }) })
    return new Response(new TextEncoder().encode(text), {
      status,
      headers: type === '' ? {} : { 'content-type': type },
    })
  },
})

describe('a check finds', () => {
  it.each<readonly [string, AssumptionId, Quirks, object]>([
    [
      'that an empty name fails',
      'create.emptyStrings',
      { gateway: instead((request) => isPost(request) && request.text.includes('"name":""'), 500) },
      { outcome: 'other', found: 'POST /plants (an empty name): 500, not 400' },
    ],
    [
      'that a delete returns 202, in words without its id',
      'operation.delete',
      { gateway: instead(({ method }) => method === 'DELETE', 202) },
      { outcome: 'other', found: expect.stringMatching(/^DELETE \/plants\/\{id\}: 202, not \d+/) },
    ],
    [
      'that an id of another caller fails',
      'create.duplicateId',
      { gateway: failingForOther(500, undefined) },
      { outcome: 'other', found: 'it responds with 500' },
    ],
    [
      'that creates of another caller fail',
      'create.duplicateId',
      { gateway: failingForOther(403, 500) },
      { outcome: 'other', found: 'it responds with 500' },
    ],
    [
      'conflicts of one caller, where another may not create',
      'create.duplicateId',
      { gateway: failingForOther(403, 403) },
      { found: 'conflict', evidence: 'one caller' },
    ],
    [
      'conflicts of all callers',
      'create.duplicateId',
      { gateway: failingForOther(403, undefined) },
      { found: 'conflict-everywhere' },
    ],
    ...Object.entries({
      'problem documents': problem,
      'problem documents with other errors': { ...problem, errors: {} },
      'problem documents with a member of their own': { ...problem, code: 7 },
      'problem documents whose status is text': { ...problem, status: 0 },
      ...Object.fromEntries(
        (['type', 'title', 'status', 'detail'] as const).map((member) => {
          const { [member]: _, ...rest } = problem
          return [`problem documents without ${member}`, rest]
        }),
      ),
    }).map(
      ([name, body]) =>
        [
          name,
          'error.body',
          failing(body),
          { found: expect.stringMatching(/^application\/problem\+json \{/) },
        ] as const,
    ),
    [
      'JSON without a media type',
      'error.limitBody',
      {
        failure: (status, message, kind) => {
          const type = kind === 'limit' ? {} : { 'content-type': 'application/json' }
          return new Response(new TextEncoder().encode(JSON.stringify({ message })), { status, headers: type })
        },
      },
      { outcome: 'other', found: 'a body without a Content-Type' },
    ],
  ])('%s', async (_, id, service, result) => {
    expect(assumptionOf(await checked(service, only(id)), id)).toMatchObject(result)
  })
})

const refusing = (body: unknown, type: string, second: unknown = body, typeOfSecond = type): Quirks => {
  let failures = 0
  return {
    failure: (status) => {
      const [value, media] = failures++ % 2 === 0 ? [body, type] : [second, typeOfSecond]
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return new Response(new TextEncoder().encode(text), { status, headers: { 'content-type': media } })
    },
  }
}

describe('the form of failures', () => {
  const json = 'application/json'
  const own = { error: 'invalid-plant', message: 'why it is refused' }
  it.each<readonly [string, Quirks, string]>([
    ['that of the mock', refusing(own, json), 'json'],
    ['that of the mock, in another order', refusing({ message: own.message, error: own.error }, json), 'json'],
    ['with another code', refusing({ ...own, error: 'plant' }, json), '{"error":"plant","message":"{detail}"}'],
    ['with a capital', refusing({ ...own, error: 'Bad-plant' }, json), '{"error":"Bad-plant","message":"{detail}"}'],
    ['with a mark', refusing({ ...own, error: 'bad-plant!' }, json), '{"error":"bad-plant!","message":"{detail}"}'],
    [
      'with a member of its own',
      refusing({ ...own, code: 7 }, json),
      '{"error":"invalid-plant","message":"{detail}","code":7}',
    ],
    [
      'with a member of another name',
      refusing({ error: own.error, detail: own.message }, json),
      '{"error":"invalid-plant","detail":"{detail}"}',
    ],
    [
      'a problem document in shape alone',
      refusing({ type: 'about:blank', title: 'Refused', status: 4, detail: 'why it is refused' }, json),
      '{"type":"about:blank","title":"Refused","status":4,"detail":"{detail}"}',
    ],
    ['with a charset', refusing({ message: 'why it is' }, 'Application/JSON; charset=utf-8'), '{"message":"{detail}"}'],
    [
      'with another parameter',
      refusing({ message: 'why it is' }, 'application/json; charset=utf-8; v=2'),
      'application/json; charset=utf-8; v=2 {"message":"{detail}"}',
    ],
    [
      'a text',
      refusing('why it is refused', 'Text/Plain ; charset=utf-8'),
      'Text/Plain ; charset=utf-8 "why it is refused"',
    ],
    ['a page', refusing('<p>', 'text/html'), 'text/html "<p>"'],
    ['a page or a text', refusing('why', 'text/plain', '<p>', 'text/html'), 'text/plain, or text/html'],
    ['lists or objects', refusing({ message: 'why' }, json, ['why'], json), 'JSON objects, or application/json'],
    [
      'of two types',
      refusing({ code: 1 }, json, { code: 'x' }),
      'JSON objects that differ in fields or their types: code',
    ],
    [
      'with a member or without',
      refusing({ a: 1, b: 2 }, json, { a: 1 }),
      'JSON objects that differ in fields or their types: a+b; a',
    ],
    [
      'with no common member',
      refusing({ a: 1 }, json, { b: 2 }),
      'JSON objects that differ in fields or their types: a; b',
    ],
    [
      'pages of other markup',
      refusing('<p>a</p>', 'text/html', '<p><b>a</b></p>'),
      'text/html that differs in more than status, title and detail',
    ],
    ['pages of other words', refusing('<p>a b</p>', 'text/html', '<p>a c</p>'), 'text/html "<p>{detail}</p>"'],
    ['long', refusing({ code: 'x'.repeat(3_989) }, json), `{"code":"${'x'.repeat(3_989)}"}`],
    ['too long', refusing({ code: 'x'.repeat(3_990) }, json), 'a body with over 4000 characters'],
    [
      'a page beyond the limit',
      refusing(`<p>${'x '.repeat(16_001)}</p>`, 'text/html'),
      'a body with over 4000 characters',
    ],
  ])('is found: %s', async (_, service, found) => {
    expect(assumptionOf(await checked(service, only('error.body')), 'error.body')).toMatchObject({ found })
  })

  it('needs no media type where it is that of other responses', async () => {
    const type = 'application/hal+json'
    const service = { ...refusing({ message: 'why it is' }, type), type }
    const { assumptions } = await checked(service, only('json.contentType', 'error.body'))
    expect(assumptions.map((result) => 'found' in result && result.found).sort()).toEqual([
      type,
      '{"message":"{detail}"}',
    ])
  })

  it('is that of every refused token', async () => {
    const gateway: Gateway = (next) => async (request) =>
      request.headers.get('authorization')?.startsWith('Basic') ? new Response('no', { status: 401 }) : next(request)
    expect(assumptionOf(await checked({ gateway }, only('error.authBody')), 'error.authBody')).toMatchObject({
      outcome: 'other',
      found: 'JSON objects, or text/plain;charset=UTF-8',
    })
  })
})

describe('the status of invalid requests', () => {
  it('is that of bodies, and limits have their own', async () => {
    const report = await checked({ meaningStatus: 422 })
    expect(assumptionOf(report, 'error.invalidStatus')).toMatchObject({ found: 422 })
    expect(assumptionOf(report, 'error.limitStatus')).toMatchObject({ outcome: 'differs', found: 400 })
  })

  it('is no value where inputs of one kind are refused with several', async () => {
    const wide: Quirks = { limit: (values) => (Number(values[0] ?? 0) > 25 ? undefined : strictLimit(values)) }
    const bySize: Gateway = (next) => async (request) => {
      const response = await next(request)
      const isHuge = request.url.search === '?limit=1000000000'
      const isEmpty = request.method === 'POST' && !('name' in JSON.parse(request.text || '{}'))
      return isHuge || isEmpty ? new Response(response.body, { status: 413, headers: response.headers }) : response
    }
    const report = await checked({ ...wide, gateway: bySize })
    expect(assumptionOf(report, 'error.invalidStatus')).toMatchObject({
      outcome: 'other',
      found: expect.stringContaining('POST /plants (no name, no id): 413, not 400'),
    })
    expect(assumptionOf(report, 'error.limitStatus')).toMatchObject({
      outcome: 'other',
      found: expect.stringContaining('GET /plants?limit=1000000000: 413, not 400'),
    })
  })

  it('is that of limits where invalid bodies are stored', async () => {
    const report = await checked({ limitStatus: 422, isValid: () => true })
    expect(assumptionOf(report, 'error.invalidStatus')).toMatchObject({ found: 422 })
    expect(assumptionOf(report, 'error.limitStatus')).toMatchObject({ found: 'same' })
  })
})

describe('a plant that appears later', () => {
  it('is neither after a time nor after a number of lists where these differ', async () => {
    const rows: unknown[] = []
    const isVisible: NonNullable<Quirks['isVisible']> = (row, caller) => {
      if (!rows.includes(row)) rows.push(row)
      return (row.lists.get(caller) ?? 0) >= (row === rows[0] ? 2 : 4)
    }
    const report = await checked({ isVisible }, only('create.visibility'))
    expect(assumptionOf(report, 'create.visibility')).toMatchObject({
      outcome: 'other',
      found: 'a created plant appears after a varying number of lists',
    })
  })
})

describe('a list with an odd limit', () => {
  const withLimit =
    (odd: (values: readonly string[]) => boolean, plants: number): NonNullable<Quirks['limit']> =>
    (values) =>
      odd(values) ? plants : strictLimit(values)
  const isZero = ([value]: readonly string[]) => value === '0'
  const isDouble = ({ length }: readonly string[]) => length === 2

  it.each<readonly [AssumptionId, (values: readonly string[]) => boolean, number, string]>([
    ['list.zeroLimit', isZero, 1, 'GET /plants?limit=0: 1 plant'],
    ['list.zeroLimit', isZero, 2, 'GET /plants?limit=0: 2 plants'],
    ['list.zeroLimit', isZero, 3, 'GET /plants?limit=0: more plants'],
    ['list.zeroLimit', isZero, 9, 'GET /plants?limit=0: more plants'],
    ['list.repeatedLimit', isDouble, 1, 'first'],
    ['list.repeatedLimit', isDouble, 2, 'last'],
    ['list.repeatedLimit', isDouble, 3, 'GET /plants?limit=1&limit=2: more plants'],
    ['list.repeatedLimit', isDouble, 9, 'ignore'],
  ])('is reported without a number that grows with the store: %s, %o, %i plants', async (id, odd, plants, found) => {
    const service = { initial: 9, limit: withLimit(odd, plants) }
    expect(assumptionOf(await checked(service, { ...only(id), readOnly: true }), id)).toMatchObject({ found })
  })
})

describe('an ignored limit', () => {
  const limitsIgnored = async (initial: number) => {
    const service: Quirks = { initial, limit: (values) => strictLimit(values) ?? Number.POSITIVE_INFINITY }
    const report = await checked(service, { ...only('list.limitFormat', 'list.invalidLimit'), readOnly: true })
    return assumptionOf(report, 'list.invalidLimit')
  }

  it.each([1, 2])('shows with %i plants', async (plants) => {
    expect(await limitsIgnored(plants)).toMatchObject({ outcome: 'differs', found: 'ignore' })
  })
})

describe('a rate limit', () => {
  const limited = new Response('', { status: 429, headers: { 'retry-after': '0' } })
  const find = async (isLimited: (count: number, time: number) => boolean) => {
    let count = 0
    const gateway: Gateway = (next, clock) => async (request) =>
      isLimited(++count, clock.now()) ? limited.clone() : next(request)
    return (await checked({ gateway }, only('rate.limit'))).assumptions
  }

  it('is one of every fifth request', async () => {
    expect(await find((count) => count % 5 === 0)).toMatchObject([{ outcome: 'differs', found: 'every:5' }])
  })

  it.each<readonly [string, (count: number, time: number) => boolean]>([
    ['the requests 6, 11, 16, ... are limited', (count) => count > 1 && count % 5 === 1],
    ['one request alone is limited', (count) => count === 9],
    ['the distances differ', (count) => [3, 6, 10].includes(count)],
    [
      'every fifth is limited until a pause',
      (() => {
        let [last, inWindow] = [0, 0]
        return (_: number, time: number) => {
          if (time - last >= 1_000) inWindow = 0
          last = time
          return ++inWindow % 5 === 0
        }
      })(),
    ],
  ])('is no rule for numbers where %s', async (_, isLimited) => {
    expect(await find(isLimited)).toMatchObject([{ outcome: 'other', found: 'some requests get 429' }])
  })

  it('is unseen where its requests could not be sent', async () => {
    const large = `[${'{"name":"oak","tag":"tree"},'.repeat(350_000)}{}]`
    const gateway: Gateway = (next) => async (request) => (request.number > 5 ? new Response(large) : next(request))
    expect((await checked({ gateway }, only('rate.limit'))).assumptions).toMatchObject([
      { outcome: 'unseen', reason: 'the response is larger than 8 MiB' },
    ])
  })
})

describe('an assumption whose refusals show nothing', () => {
  it('is unseen, and none that was left out appears beside it', async () => {
    let hasRefused = false
    const service = quirkyService()
    const report = await check(async (url, init) => {
      hasRefused ||= url.endsWith('limit=abc')
      return hasRefused && init.method === 'GET' ? new Response('', { status: 422 }) : service(url, init)
    }, only('error.limitBody'))
    expect(report.assumptions).toMatchObject([
      { id: 'error.limitBody', outcome: 'unseen', reason: 'no later list succeeds, so a refusal proves nothing' },
    ])
  })
})

describe('an error of a given function', () => {
  const failingAt = (number: number): (() => number) => {
    let calls = 0
    return () => {
      if (++calls === number) throw new RangeError(`call ${number} fails`)
      return ((calls * 7_919) % 1_009) / 1_009
    }
  }

  it.each<readonly [string, Quirks]>([
    ['a usual service', {}],
    ['a service whose lists are 404', { listStatus: () => 404 }],
    [
      'a service that creates nothing after the wrong types',
      {
        gateway: (next) => {
          let hasWrong = false
          return async (request) => {
            hasWrong ||= request.text.includes('"three"')
            return hasWrong && isPost(request) ? new Response('', { status: 422 }) : next(request)
          }
        },
      },
    ],
  ])('ends the check of %s, wherever it happens', async (_, service) => {
    for (let number = 1; ; number = number < 4 ? number + 1 : 3 * number) {
      const random = failingAt(number)
      const outcome = await checked(service, {
        random,
        rules: ['create.stored', 'list.access', 'robust.refusal'],
        skip: ['body.maxSize', 'list.maxLimit'],
      }).then(
        () => 'no call fails any more',
        (error: unknown) => error,
      )
      if (number > 4 && outcome === 'no call fails any more') break
      expect(outcome).toEqual(new RangeError(`call ${number} fails`))
    }
  })
})

describe('a broken rule about refusals', () => {
  it('stays broken where later creates are refused', async () => {
    let creates = 0
    const report = await checked(
      {
        isValid: () => true,
        gateway: (next) => async (request) => {
          if (!isPost(request)) return next(request)
          const isWrong = request.text.includes('"name":1')
          return isWrong || creates++ > 6 ? new Response('', { status: 422 }) : next(request)
        },
      },
      { rules: ['robust.refusal'] },
    )
    expect(ruleOf(report, 'robust.refusal')).toMatchObject({ outcome: 'advised' })
  })
})

describe('an empty response to a create', () => {
  it('is no page, whatever its media type', async () => {
    const gateway: Gateway = (next) => async (request) => {
      const response = await next(request)
      const isCreated = isPost(request) && response.status === 201
      return isCreated ? new Response('', { status: 201, headers: { 'content-type': 'text/html' } }) : response
    }
    const report = await checked({ gateway })
    expect(ruleOf(report, 'create.shape')).toMatchObject({ outcome: 'failed', reason: 'The body is empty' })
    expect(report.incomplete).toBeUndefined()
  })
})

describe('a delay of created plants', () => {
  it.each([40, 250, 400, 2_500])('of %i ms is measured', async (delay) => {
    const report = await checked(
      { isVisible: ({ since }, _, { now }) => now() - since >= delay },
      only('create.visibility'),
    )
    expect(assumptionOf(report, 'create.visibility')).toMatchObject({ found: `after-ms:${delay}` })
  })
})

describe('the tokens of a service', () => {
  it('are any word, where it refuses those with a hyphen alone', async () => {
    const gateway: Gateway = (next) => async (request) => {
      const isWord = /^Bearer \w+$/.test(request.headers.get('authorization') ?? '')
      const headers = new Headers({ ...Object.fromEntries(request.headers), authorization: `Bearer ${tokens.caller}` })
      return next(isWord ? { ...request, headers } : request)
    }
    const report = await checked({ gateway }, only('auth.tokens'))
    expect(assumptionOf(report, 'auth.tokens')).toMatchObject({
      outcome: 'other',
      found: 'GET /plants?limit=1 (the unknown token): 401, not 200',
    })
  })
})

describe('the texts of limit', () => {
  const reading = (pattern: RegExp): Quirks => ({
    initial: 5,
    limit: ([text = '100'], ...rest) => (pattern.test(text) && rest.length === 0 ? Number(text) : undefined),
  })
  it.each<readonly [string, RegExp, object]>([
    [
      'with a sign or spaces',
      /^\s*\+?\d+\s*$/,
      { outcome: 'other', found: expect.stringMatching(/limit=%2B2: 200 with 2 plants.*limit=%202: .*limit=2%20: /) },
    ],
    ['of any number', /^(?=.*\S)/, { found: 'number' }],
    ['of digits alone', /^\d+$/, { found: 'digits' }],
  ])('%s are learned', async (_, pattern, expected) => {
    const service = reading(pattern)
    const limit: Quirks['limit'] = (values) => {
      const number = service.limit?.(values)
      return Number.isInteger(number) ? number : undefined
    }
    const report = await checked({ ...service, limit }, { ...only('list.limitFormat'), readOnly: true })
    expect(assumptionOf(report, 'list.limitFormat')).toMatchObject(expected)
  })
})

it('a rate limit that was not reached is none up to the number of requests', async () => {
  const report = await checked({}, only('rate.limit'))
  expect(assumptionOf(report, 'rate.limit')).toMatchObject({ found: 'none', upTo: 20 })
})

it('the form of failures names the path of the request, behind that of the base URL', async () => {
  const failure: Quirks['failure'] = (status) => Response.json({ status, path: '/v1/plants' }, { status })
  const gateway: Gateway = (next) => async (request) =>
    request.url.pathname === '/plants'
      ? next(request)
      : Response.json({ status: 404, path: `/v1${request.url.pathname}` }, { status: 404 })
  const report = await checked({ failure, gateway }, only('error.body', 'error.pathBody'))
  expect(assumptionOf(report, 'error.body')).toMatchObject({ found: '{"status":"{status}","path":"/v1{path}"}' })
  expect(assumptionOf(report, 'error.pathBody')).toMatchObject({ found: 'same' })
})

describe('the order of lists', () => {
  it.each(['id', 'id-descending'] as const)('is found as %s, although some plants have no id', async (order) => {
    const mock = createPlantMock({ assume: { 'list.order': order, 'create.required': 'name' } })
    expect(assumptionOf(await check(mock.fetch), 'list.order')).toMatchObject({ found: order })
  })
})

describe('operation.other', () => {
  const checkOther = (fetch: FetchLike) =>
    check(fetch, { rules: [], skip: assumptionRegistry.flatMap(({ id }) => (id === 'operation.other' ? [] : [id])) })

  it('is learned from PROPFIND alone where Allow names PUT or DELETE too', async () => {
    const report = await checkOther(answeringOtherMethods(() => status(405, { allow: 'GET, POST, PUT, DELETE' })))
    expect(assumptionOf(report, 'operation.other')).toMatchObject({ found: 405, evidence: 'PROPFIND' })
  })

  const answeringOtherMethods = (answer: (method: string) => Response): FetchLike => {
    const service = quirkyService()
    return async (url, init) =>
      /plants\b/.test(url) && init.method !== 'GET' && init.method !== 'POST'
        ? answer(init.method ?? '')
        : service(url, init)
  }
  const status = (code: number, headers: Record<string, string> = {}) => new Response(null, { status: code, headers })

  it('is not learned from an unknown method that gets 501, as with Koa', async () => {
    const report = await checkOther(
      answeringOtherMethods((method) => {
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
    expect(assumptionOf(await checkOther(answeringOtherMethods(answer)), 'operation.other')).toMatchObject(expected)
  })

  it('is found with safe methods alone', async () => {
    const methods = new Set<string>()
    await checkOther(
      answeringOtherMethods((method) => {
        methods.add(method)
        return status(404)
      }),
    )
    expect([...methods].sort()).toEqual(['OPTIONS', 'PROPFIND'])
  })
})

it('a name of any type that a service accepts is a finding about the create, and about no list', async () => {
  const isValid = (plant: unknown) => isJsonObject(plant) && ![plant.name, plant.id, plant.tag].includes(undefined)
  const { rules, ...report } = await checked({ isValid })
  expect(rules.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  expect(ruleOf({ rules, ...report }, 'robust.refusal')).toMatchObject({ outcome: 'advised' })
})

it.each([2, 3])('the text of a limit shows its effect where there are %i plants', async (initial) => {
  const limit = ([text = '100']: readonly string[]) => Number.parseInt(text, 10)
  const report = await check(quirkyService({ initial, limit }), { readOnly: true, rules: [] })
  expect(assumptionOf(report, 'list.limitFormat')).toMatchObject({ outcome: 'differs', found: 'prefix' })
})
