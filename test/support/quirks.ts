import type { AssumptionId } from 'plant-mock'
import type { ConformanceOptions } from 'plant-mock/conformance'
import { type Gateway, type Quirks, type Req, type Row, strictLimit } from './quirky-service.ts'

/** A finding: a value, a pattern of words, or `unseen`. A list allows each of its entries. */
export type Expected = string | number | RegExp | typeof unseen | readonly Expected[]
export const unseen = Symbol('unseen')

export type Quirk = {
  readonly service: Quirks
  readonly options?: Partial<ConformanceOptions>
  readonly breaks?: readonly string[]
  /** Rules that may be skipped, because no client can tell whether the service breaks them. */
  readonly skips?: readonly string[] | 'any'
  readonly finds?: Readonly<Partial<Record<AssumptionId, Expected>>>
  /** Assumptions that may stay unseen, because no client can tell their value. */
  readonly hides?: readonly AssumptionId[] | 'any'
  /** Expected reason for an incomplete report; without a reason, the report must be complete. */
  readonly incomplete?: RegExp
}

const template = '{"error":{"code":"{status}","message":"{detail}"}}'

export const usual: Readonly<Partial<Record<AssumptionId, Expected>>> = {
  'create.status': 201,
  'create.required': 'name+id+tag',
  'create.nullTag': 'reject',
  'create.unknownFields': 'ignore',
  'create.emptyStrings': 'accept',
  'create.duplicateId': 'conflict',
  'create.duplicateStatus': 409,
  'create.contentType': 'require',
  'create.visibility': 'immediate',
  'list.status': 200,
  'list.defaultLimit': 'none',
  'list.maxLimit': 'none',
  'list.zeroLimit': 'empty',
  'list.invalidLimit': 'reject',
  'list.order': 'added',
  'auth.tokens': 'listed',
  'auth.status': 401,
  'auth.unknownStatus': 'same',
  'error.body': template,
  'error.authBody': 'same',
  'error.invalidStatus': 400,
  'error.limitStatus': 'same',
  'error.syntaxStatus': 'same',
  'body.maxSize': '1MiB',
  'rate.limit': 'none',
  'operation.other': 405,
  // A delete stays unseen where plants may share an id.
  'operation.delete': ['none', unseen],
  'json.keyOrder': 'name-tag',
  'json.contentType': 'bare',
  'error.limitBody': 'same',
  'error.pathBody': 'same',
  'error.syntaxBody': 'same',
  'error.duplicateBody': 'same',
  'auth.scheme': 'any',
  'auth.scope': 'path',
  'auth.malformedStatus': 'same',
  'list.limitFormat': 'digits',
  'list.repeatedLimit': 'same',
}

const someGet429 = /^some requests get 429$/

type Limit = NonNullable<Quirks['limit']>
const one = (values: readonly string[]) => values[0]
const defaultLimit =
  (max: number): Limit =>
  (values) =>
    values.length === 0 ? max : strictLimit(values)
export const limitBy =
  (change: (limit: number) => number): Limit =>
  (values) => {
    const limit = strictLimit(values)
    return limit === undefined ? undefined : change(limit)
  }
export const clampLimit = (max: number): Limit => limitBy((limit) => Math.min(limit, max))
const rejectLimit =
  (max: number): Limit =>
  (values) => {
    const limit = strictLimit(values)
    return limit === undefined || (values.length > 0 && limit > max) ? undefined : limit
  }
const byNumber =
  (read: (number: number) => number | undefined): Limit =>
  (values) =>
    values.length === 1 && /^-?\d+(?:\.\d+)?$/.test(one(values) ?? '') ? read(Number(one(values))) : strictLimit(values)

const textOf = (field: string, { fields }: Row) => String(fields[field])
const sorted =
  (compare: (a: Row, b: Row) => number): NonNullable<Quirks['order']> =>
  (rows) =>
    rows.toSorted(compare)
/** A DATETIME column has whole seconds: plants of one second stay in the order of creation. */
const newestSecondFirst: NonNullable<Quirks['order']> = (rows) =>
  rows.toSorted((a, b) => Math.floor(b.since / 1000) - Math.floor(a.since / 1000))
const shuffler = (): NonNullable<Quirks['order']> => {
  let state = 1
  const next = () => {
    state = (state * 48_271) % 2_147_483_647
    return state
  }
  return (rows) => {
    const keys = new Map(rows.map((row) => [row, next()]))
    return rows.toSorted((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0))
  }
}

const typed =
  (type: string, text: (status: number, detail: string) => string): NonNullable<Quirks['failure']> =>
  (status, detail) =>
    new Response(text(status, detail), { status, headers: type === '' ? {} : { 'content-type': type } })
const jsonFailure = (body: (status: number, detail: string) => unknown, type = 'application/json') =>
  typed(type, (status, detail) => JSON.stringify(body(status, detail)))

const generatedFailure = () => {
  const count = counter()
  return jsonFailure((status, message) => {
    const number = count()
    const day = new Date(Date.UTC(2026, 0, 1) + number * 86_400_000).toISOString()
    return {
      code: status,
      message,
      requestId: (number * 7_919_000_000_017).toString(16).padStart(12, 'a').slice(0, 12),
      day: day.slice(0, 10),
      stamp: day.slice(0, 19).replaceAll(/[-:]/g, ''),
      took: number % 2,
    }
  })
}
const generatedTemplate =
  '{"code":"{status}","message":"{detail}","requestId":"0000000000000000","day":"2000-01-01","stamp":"20000101T000000Z","took":0}'

const counter = () => {
  let count = 0
  return () => ++count
}

const isOperation = ({ method }: Req) => method === 'GET' || method === 'POST'
const refusal = (status: number, headers: Readonly<Record<string, string>> = {}, body = '{"error":{}}') =>
  new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } })
export const hanging = (first: number, onHang: () => void): Gateway =>
  from(first, () => {
    onHang()
    return new Promise(() => undefined)
  })

const dropped = () => {
  throw new TypeError('fetch failed')
}
const isBeyondAscii = ({ method, text }: Req) => method === 'POST' && /[\u0080-\uffff]/.test(text)

const torn = (status: number) =>
  new Response(
    new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('[{"name":')),
      pull: (controller) => controller.error(new TypeError('terminated')),
    }),
    { status, headers: { 'content-type': 'application/json' } },
  )

const from =
  (first: number, respond: (request: Req, next: () => Promise<Response>) => Response | Promise<Response>): Gateway =>
  (next) =>
  async (request) =>
    request.number >= first ? respond(request, () => next(request)) : next(request)

export const instead =
  (applies: (request: Req) => boolean, response: (request: Req) => Response): Gateway =>
  (next) =>
  async (request) =>
    applies(request) ? response(request) : next(request)

const expiring = (requests: number, status: number): Gateway =>
  from(requests + 1, ({ headers }, next) =>
    headers.has('authorization')
      ? refusal(status, {}, `{"error":{"code":${status},"message":"the token has expired"}}`)
      : next(),
  )

const everyNth =
  (nth: number, refuse: () => Response): Gateway =>
  (next) => {
    const counts = new Map<string, number>()
    return async (request) => {
      const caller = request.headers.get('authorization') ?? ''
      if (!isOperation(request)) return next(request)
      const count = (counts.get(caller) ?? 0) + 1
      counts.set(caller, count)
      return count % nth === 0 ? refuse() : next(request)
    }
  }

const passing =
  (nth: number, respond: () => Response, isAfterwards = false): Gateway =>
  (next) => {
    const count = counter()
    return async (request) => {
      if (count() % nth !== 0) return next(request)
      if (isAfterwards) await next(request)
      return respond()
    }
  }

const stray =
  (nth: number, status: number, applies: (request: Req) => boolean = () => true): Gateway =>
  (next) => {
    const count = counter()
    return async (request) => {
      const hasToken = /^bearer token-of/i.test(request.headers.get('authorization') ?? '')
      return hasToken && applies(request) && count() % nth === 0 ? refusal(status) : next(request)
    }
  }

export const isCreate = ({ method }: Req) => method === 'POST'
const isAnonymous = ({ headers }: Req) => !headers.has('authorization')
const limitOver = (limit: number) => (request: Req) => Number(request.url.searchParams.get('limit')) > limit

const quota =
  (plants: number, status: number): Gateway =>
  (next) => {
    let created = 0
    return async (request) => {
      if (!isCreate(request) || isAnonymous(request)) return next(request)
      if (created >= plants) return refusal(status)
      const response = await next(request)
      if (response.ok) created++
      return response
    }
  }

const cached =
  (milliseconds: number): Gateway =>
  (next, clock) => {
    const cache = new Map<string, { readonly until: number; readonly response: Response }>()
    return async (request) => {
      if (request.method !== 'GET') return next(request)
      const key = `${request.headers.get('authorization')} ${request.url}`
      const hit = cache.get(key)
      if (hit !== undefined && hit.until > clock.now()) return hit.response.clone()
      const response = await next(request)
      cache.set(key, { until: clock.now() + milliseconds, response: response.clone() })
      return response
    }
  }

const rewriting =
  (change: (bytes: Uint8Array, headers: Headers) => Uint8Array): Gateway =>
  (next) =>
  async (request) => {
    const { status, headers, body } = await next(request)
    const bytes = new Uint8Array(await new Response(body).arrayBuffer())
    const changed = new Headers(headers)
    return new Response(status === 204 ? null : (change(bytes, changed) as BodyInit), { status, headers: changed })
  }

const latin1 = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => (character > '\u00ff' ? '?' : character).charCodeAt(0))

const afterTime =
  (milliseconds: number): NonNullable<Quirks['isVisible']> =>
  (row, _, { now }) =>
    now() - row.since >= milliseconds

type Fields = Readonly<Record<string, unknown>>
const _changing =
  (change: (text: string) => string, ...names: readonly string[]) =>
  (fields: Fields): Fields => ({
    ...fields,
    ...Object.fromEntries(
      names.map((name) => [name, typeof fields[name] === 'string' ? change(fields[name]) : fields[name]]),
    ),
  })
const isObject = (plant: unknown): plant is Fields =>
  typeof plant === 'object' && plant !== null && !Array.isArray(plant)
const valid =
  (id: (id: unknown) => boolean, name: (name: unknown) => boolean, tag: (tag: unknown) => boolean) =>
  (plant: unknown) =>
    isObject(plant) && id(plant.id) && name(plant.name) && tag(plant.tag)
const isText = (value: unknown): value is string => typeof value === 'string'
const isId = (id: unknown) => Number.isSafeInteger(id)

const listsTooShort = {
  hides: ['create.visibility', 'list.order', 'list.defaultLimit'],
  skips: ['create.stored', 'list.access', 'auth.create'],
} satisfies Partial<Quirk>

const shownOnlyInLists = [
  'create.visibility',
  'create.duplicateId',
  'list.order',
  'list.defaultLimit',
  'list.maxLimit',
] as const
const throughCreates = ['create.shape', 'create.json', 'create.stored', 'list.access', 'auth.create', 'robust.refusal']

/** A create that got 500 may have been stored, and counts towards the maximum of creates. */
const countedCreates: readonly AssumptionId[] = ['list.maxLimit', 'list.defaultLimit']

const textLayers = (type: string, body: (detail: string) => string) => {
  const template = (detail: string): string => `${type} ${JSON.stringify(body(detail))}`
  return {
    'error.body': template('the fields are not valid'),
    'error.authBody': template('{detail}'),
    'error.syntaxBody': template('{400=the body is not JSON|413=the body is too large|415=the body must be JSON}'),
    'error.limitBody': template('limit must be a whole number'),
    'error.duplicateBody': template('the id is taken'),
    'error.pathBody': template('{404=no such path|405=no such method}'),
  }
}

const takesAnything: NonNullable<Quirk['finds']> = {
  'create.required': 'none',
  'create.missingTag': 'omit',
  'create.nullTag': 'null',
  'create.duplicateId': 'accept',
  'create.duplicateStatus': unseen,
  'error.duplicateBody': unseen,

  'error.invalidStatus': [400, unseen],
  'body.maxSize': unseen,
}

export const quirks = {
  'no quirk': { service: {} },

  'creates return 204': {
    service: { createStatus: 204 },
    breaks: ['create.shape'],
    skips: ['create.json'],
    finds: { 'create.status': /204/ },
    hides: ['json.keyOrder'],
  },
  'empty lists are 404': {
    service: { listStatus: (length) => (length === 0 ? 404 : 200) },
    breaks: ['list.succeeds'],
    skips: ['list.array', 'list.json', 'list.access'],
    finds: { 'list.zeroLimit': 'reject' },
  },
  'truncated lists are 206': {
    service: { listStatus: (_, truncated) => (truncated ? 206 : 200) },
    finds: { 'list.status': /206/ },
  },

  'tokens expire after 20 requests with 403': {
    service: { gateway: expiring(20, 403) },
    skips: 'any',
    hides: 'any',
    incomplete: /no longer accepted/,
  },
  'lists take any token or none': {
    service: { unguarded: 'GET' },
    breaks: ['auth.list'],
    finds: { 'auth.tokens': /POST \/plants/, 'auth.status': 401 },
    hides: ['auth.unknownStatus', 'error.authBody'],
  },
  'creates take any token or none': {
    service: { unguarded: 'POST' },
    breaks: ['auth.create'],
    finds: { 'auth.tokens': 'listed' },
  },
  'lists without a token show shared plants': {
    service: { isPublic: true, initial: 5, initialOwner: '*' },
    breaks: ['auth.list'],
    finds: {
      'auth.unknownStatus': ['same', unseen],
    },
  },

  'limits over 1 are refused': {
    service: { limit: rejectLimit(1) },
    finds: { 'list.maxLimit': 'reject:1' },
    hides: ['list.limitFormat', 'list.repeatedLimit'],
  },
  'lists have 20 plants by default, and limits over 200 are refused': {
    service: { limit: (values) => (values.length === 0 ? 20 : rejectLimit(200)(values)) },
    finds: { 'list.defaultLimit': 20, 'list.maxLimit': 'reject:200' },
  },
  'lists have 250 plants by default, of 1,000': {
    service: { limit: defaultLimit(250), initial: 1_000 },
    finds: { 'list.defaultLimit': 250 },
    hides: shownOnlyInLists,
    skips: ['create.stored', 'list.access', 'auth.create'],
  },
  'lists have 50 plants at most, of 1,000, the newest first': {
    service: { limit: clampLimit(50), initial: 1_000, order: (rows) => rows.toReversed() },
    finds: { 'list.maxLimit': 'clamp:50', 'list.order': 'newest' },
    hides: ['list.defaultLimit'],
    skips: ['list.access'],
  },
  'lists have 50 plants at most, of 1,000, and ids may repeat': {
    service: { limit: clampLimit(50), initial: 1_000, duplicates: 'accept' },
    finds: {
      'list.maxLimit': 'clamp:50',
      'create.duplicateId': unseen,
      'create.duplicateStatus': unseen,
      'error.duplicateBody': unseen,
    },
    ...listsTooShort,
  },
  'limit is one too few': {
    service: {
      limit: (values) => (values.length === 1 ? byNumber((n) => Math.max(0, n - 1))(values) : strictLimit(values)),
    },
    finds: {
      'list.maxLimit': [/./, unseen],
      'list.invalidLimit': /limit=-1/,
      'list.limitFormat': /limit=2\.0/,
      'list.repeatedLimit': 'reject',
    },
  },
  'limit=0 is the default of 20': {
    service: { limit: (values) => (values.length === 0 || one(values) === '0' ? 20 : strictLimit(values)) },
    breaks: ['list.limit'],
    finds: { 'list.defaultLimit': 20, 'list.zeroLimit': /./ },
  },
  'a negative limit counts from the end': {
    service: { limit: byNumber((n) => (Number.isInteger(n) ? n : undefined)) },
    finds: {
      'list.invalidLimit': /limit=-1: 200/,
      'list.repeatedLimit': 'reject',
      'list.limitFormat': /limit=2\.0: 200 with 2 plants/,
    },
  },
  'a limit with a fraction is truncated': {
    service: { limit: byNumber((n) => (n < 0 ? undefined : Math.trunc(n))) },
    finds: {
      'list.invalidLimit': /limit=1\.5: 200 with 1 plant/,
      'list.repeatedLimit': 'reject',
      'list.limitFormat': /limit=2\.0: 200 with 2 plants.*limit=2\.9: 200 with 2 plants/,
    },
  },

  'lists are by name, in the order of a language': {
    service: { order: sorted((a, b) => textOf('name', a).localeCompare(textOf('name', b), 'en')) },
    finds: { 'list.order': ['name-ignoring-case', /no known order/] },
  },
  'lists are the newest first, by the second': {
    service: { order: newestSecondFirst },
    finds: { 'list.order': /order/ },
  },

  'failures have request ids of 12 hexadecimal digits, dates and durations': {
    service: { failure: generatedFailure() },
    finds: { 'error.body': generatedTemplate },
  },
  'failures are HTML': {
    service: { failure: typed('text/html; charset=utf-8', (status, detail) => `<h1>${status}</h1><p>${detail}</p>`) },
    finds: textLayers('text/html; charset=utf-8', (detail) => `<h1>{status}</h1><p>${detail}</p>`),
  },

  'plants never appear': {
    service: { isVisible: () => false },
    breaks: ['create.stored'],
    skips: ['list.access', 'list.elements', 'list.limit', 'auth.create'],
    finds: { 'create.visibility': /no list shows a created plant/ },
    hides: ['list.order', 'list.maxLimit', 'list.defaultLimit', 'list.zeroLimit'],
  },
  'lists are cached for a second': {
    service: { gateway: cached(1_000) },
    finds: { 'create.visibility': [/./, 'after-ms:1000'], 'list.invalidLimit': 'reject' },
  },

  'another caller sees everything with a limit': {
    service: { leaks: (_, __, url) => url.searchParams.has('limit') },
    breaks: ['list.access'],
    finds: { 'list.defaultLimit': [/leaves out plants/, 'none', unseen] },
  },
  'another caller sees everything, and lists are objects': {
    service: { leaks: () => true, listBody: (items) => ({ items }) },
    breaks: ['list.access', 'list.array'],
    skips: ['list.elements', 'list.limit', 'create.stored', 'auth.create'],
    hides: 'any',
  },
  'plants appear after 0.3 s, and can be deleted then': {
    service: { isVisible: afterTime(300), deletes: true },
    finds: { 'create.visibility': 'after-ms:300', 'operation.delete': 204, 'delete.missingStatus': 404 },
  },
  'plants appear in the second list, and limit=0 is no limit': {
    service: {
      isVisible: ({ lists }, caller) => (lists.get(caller) ?? 0) > 0,
      limit: limitBy((limit) => limit || Number.POSITIVE_INFINITY),
    },
    breaks: ['list.limit'],
    finds: { 'create.visibility': 'eventual', 'list.zeroLimit': /limit=0: more plants/ },
  },
  'creators see plants after 2 s, others after 3 s': {
    service: {
      isVisible: afterTime(2_000),
      leaks: (row, _, __, { now }) => now() - row.since >= 3_000,
    },
    breaks: ['list.access'],
    finds: { 'create.visibility': 'after-ms:2000' },
  },

  'names are ASCII only': {
    service: { isValid: valid(isId, (name) => isText(name) && /^[ -~]*$/.test(name), isText) },
  },
  'names beyond ASCII fail with 500': {
    service: { gateway: instead(isBeyondAscii, () => refusal(500)) },
    breaks: ['create.succeeds'],
  },

  'JSON begins with a byte order mark': {
    service: {
      gateway: rewriting((bytes) => (bytes.length === 0 ? bytes : Uint8Array.of(0xef, 0xbb, 0xbf, ...bytes))),
    },
  },
  'bodies are in Latin-1': {
    service: {
      type: 'application/json; charset=iso-8859-1',
      gateway: rewriting((bytes) => latin1(new TextDecoder().decode(bytes))),
    },
    breaks: ['create.shape', 'create.stored'],
    finds: { 'json.contentType': /iso-8859-1/ },
  },

  'every third request of a caller is 429': {
    service: { gateway: everyNth(3, () => refusal(429, { 'retry-after': '0' })) },
    finds: { 'rate.limit': ['every:3', someGet429] },
  },
  'every eleventh request is 503 with Retry-After': {
    service: { gateway: passing(11, () => refusal(503, { 'retry-after': '1' })) },
    // A retried create may be refused as a duplicate of itself.
    hides: ['create.duplicateId', 'create.duplicateStatus', 'error.duplicateBody'],
  },
  'every ninth request is 502, and was handled': {
    service: { gateway: passing(9, () => refusal(502, {}, '<h1>502</h1>'), true) },
    skips: 'any',
    hides: 'any',
  },
  'from request 15 on, every response is 503': {
    service: { gateway: from(15, () => refusal(503)) },
    skips: 'any',
    hides: 'any',
    incomplete: /503/,
  },

  ...Object.fromEntries(
    [401, 500].flatMap((status): [string, Quirk][] => [
      [
        `every 7th request with a valid token is ${status}`,
        { service: { gateway: stray(7, status) }, ...(status === 500 && { hides: countedCreates }) },
      ],
      [
        `every 3rd create with a valid token is ${status}`,
        { service: { gateway: stray(3, status, isCreate) }, hides: countedCreates },
      ],
    ]),
  ),
  'limits over 5,000 fail with 500': {
    service: { gateway: instead(limitOver(5_000), () => refusal(500)) },
    breaks: ['robust.input'],
    finds: { 'list.maxLimit': unseen },
  },
  'limits over 5,000 are 504': {
    service: { gateway: instead(limitOver(5_000), () => refusal(504, { 'retry-after': '0' })) },
    skips: ['robust.input'],
    finds: { 'list.maxLimit': unseen },
  },
  'creates are 503': {
    service: { gateway: instead(isCreate, () => refusal(503)) },
    skips: ['create.succeeds', ...throughCreates, 'list.elements', 'list.limit', 'robust.input'],
    hides: 'any',
    incomplete: /creates return 503/,
  },
  'creates do not accept the token': {
    service: { gateway: instead(isCreate, () => refusal(401)) },
    skips: ['create.succeeds', ...throughCreates, 'list.elements', 'list.limit', 'robust.input'],
    hides: 'any',
    incomplete: /creates do not accept the token \(401\)/,
  },
  'creates are 422 from plant 10 on': {
    service: { gateway: quota(9, 422) },
    skips: 'any',
    hides: 'any',
    finds: { 'error.body': [template, unseen] },
    incomplete: /creates no longer succeed/,
  },
  'requests without a token get no response': {
    service: { gateway: instead(isAnonymous, dropped) },
    skips: ['auth.list', 'auth.create', 'robust.input'],
    hides: ['auth.status', 'auth.unknownStatus', 'auth.malformedStatus', 'auth.scope', 'error.authBody'],
  },
  'failures are 200': {
    service: { failure: (_, error) => Response.json({ error }) },
    skips: ['auth.list', 'auth.create', 'robust.refusal'],
    hides: 'any',
    finds: { 'error.body': unseen, 'create.required': unseen, 'create.duplicateId': unseen },
  },
  ...Object.fromEntries(
    (
      [
        ['a page of HTML', 200, 'text/html'],
        ['a redirect', 302, ''],
        ['404', 404, ''],
      ] as const
    ).map(([what, status, type]): [string, Quirk] => [
      `from request 60 on, every response is ${what}`,
      {
        service: { gateway: from(60, () => refusal(status, { 'content-type': type }, '<h1>soon</h1>')) },
        skips: 'any',
        hides: 'any',
        incomplete: /page of HTML|302|404/,
      },
    ]),
  ),

  'lists redirect with 301 to /plants/': {
    service: {
      gateway: instead(
        ({ method }) => method === 'GET',
        () => refusal(301, { location: '/plants/' }),
      ),
    },
    skips: 'any',
    hides: 'any',
    finds: { 'list.status': /301/, 'auth.status': [/301/, unseen] },
    incomplete: /redirect/,
  },

  'names are from a list': {
    service: { isValid: valid(isId, (name) => name === 'Fern' || name === 'Ivy', isText) },
    skips: 'any',
    hides: 'any',
    incomplete: /--plant/,
  },
  'names are from a list, and the check knows one': {
    service: { isValid: valid(isId, (name) => name === 'Fern' || name === 'Ivy', isText) },
    options: { plant: { name: 'Fern' } },
    hides: ['list.order', 'create.emptyStrings', 'create.required', 'create.nullTag'],
  },
  'ids are below 20,000, and the check knows that': {
    service: { isValid: valid((id) => isId(id) && Number(id) > 0 && Number(id) < 20_000, isText, isText) },
    options: { plant: { id: 1 } },
  },
  'creates are forbidden': {
    service: {
      gateway: instead(
        ({ method, headers }) => method === 'POST' && headers.has('authorization'),
        () => refusal(403, {}, '{"error":{"code":403,"message":"you may not create"}}'),
      ),
    },
    breaks: ['create.succeeds'],
    skips: [...throughCreates, 'list.elements', 'list.limit'],
    hides: 'any',
    finds: { 'error.invalidStatus': [400, /./, unseen], 'body.maxSize': unseen },
  },

  'half of the given ids are taken, which is 422': {
    service: { initial: 6_000, initialOwner: 'somebody', duplicates: 'everywhere', duplicateStatus: 422 },
    options: { plant: { id: 1_000 } },
    finds: { 'create.duplicateId': 'conflict-everywhere', 'create.duplicateStatus': 422 },
  },
  'all of the given ids are taken': {
    service: { initial: 11_000, initialOwner: 'somebody', duplicates: 'everywhere' },
    options: { plant: { id: 1_000 } },
    skips: 'any',
    hides: 'any',
    incomplete: /ids in a row are taken \(409\); give a plant with another first id with --plant/,
  },
  'a second create with an id replaces the plant, and returns 200': {
    service: { duplicates: 'replace', againStatus: 200 },
    finds: {
      'create.duplicateId': 'replace',
      'create.duplicateStatus': /200, not 201/,
      'error.duplicateBody': unseen,
    },
  },

  'a second create with an id replaces the plant of another caller': {
    service: { duplicates: 'replace everywhere' },
    breaks: ['create.stored'],
    finds: { 'create.duplicateId': 'replace', 'create.duplicateStatus': unseen, 'error.duplicateBody': unseen },
  },

  'bodies without a Content-Type are JSON': {
    service: { acceptsType: (declared) => declared === null || declared.startsWith('application/json') },
    finds: { 'create.contentType': /without a Content-Type\): 201, not 415/ },
  },

  'the store holds 50 plants, and lists are the newest first': {
    service: { capacity: 50, order: (rows) => rows.toReversed() },
    finds: { 'list.maxLimit': /loses the oldest/, 'list.order': 'newest' },
    hides: ['list.defaultLimit'],
  },

  'bodies end in the middle from request 12 on': {
    service: { gateway: from(12, () => torn(200)) },
    skips: 'any',
    hides: 'any',
    incomplete: /stopped responding/,
  },
  'every 13th connection drops': {
    service: { gateway: passing(13, dropped) },
    skips: 'any',
    hides: 'any',
    finds: { 'error.authBody': ['same', template, unseen] },
  },

  'anything is stored, and shown with all its fields': {
    service: {
      isValid: () => true,
      element: ({ fields }) => fields,
      createBody: ({ fields }) => fields,
      duplicates: 'accept',
    },
    breaks: ['list.elements', 'create.shape', 'robust.refusal'],
    finds: takesAnything,
  },
  'anything is stored, and lists fail once something odd is stored': {
    service: {
      isValid: () => true,
      duplicates: 'accept',
      gateway: (next) => {
        let isOdd = false
        return async (request) => {
          if (request.method === 'POST') isOdd ||= isOddBody(request.text)
          return isOdd && request.method === 'GET' ? refusal(500) : next(request)
        }
      },
    },
    breaks: ['list.elements', 'robust.refusal'],
    finds: takesAnything,
  },
} as const satisfies Readonly<Record<string, Quirk>> as Readonly<Record<string, Quirk>>

const isOddBody = (text: string): boolean => {
  try {
    return !isObject(JSON.parse(text))
  } catch {
    return false
  }
}

export const nightly: Readonly<
  Record<
    string,
    {
      readonly service: Quirks
      readonly hides?: readonly AssumptionId[]
      /** Rules that only the first night shows as broken, because later nights create fewer plants. */
      readonly breaksFirst?: readonly string[]
    }
  >
> = {
  'lists have 50 plants at most, the newest first': {
    service: { limit: clampLimit(50), order: (rows) => rows.toReversed() },
  },
  'a negative limit counts from the end, and limit=0 is no limit': {
    service: {
      limit: byNumber((n) => (n === 0 ? Number.POSITIVE_INFINITY : Number.isInteger(n) ? n : undefined)),
    },
  },
  'the store holds 50 plants': { service: { capacity: 50 }, breaksFirst: ['create.stored'] },
  'lists are shuffled': { service: { order: shuffler() } },
  'plants appear after 0.5 to 1.5 s': {
    service: { isVisible: (row, _, { now }) => now() - row.since >= 500 + (Number(row.fields.id) % 11) * 100 },
  },
}
