import type { FixturePlant } from 'plant-mock'
import type { FetchLike } from 'plant-mock/conformance'
import { tokens } from './conformance.ts'

export type Sent = { readonly id?: unknown; readonly name?: unknown; readonly tag?: unknown }

export type Row = {
  readonly fields: Readonly<Record<string, unknown>>
  readonly owner: string
  readonly since: number
  readonly sent: Sent | undefined
  readonly lists: Map<string, number>
}

export type Req = {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly text: string
  readonly number: number
}

type Failure = 'auth' | 'limit' | 'syntax' | 'meaning' | 'duplicate' | 'method' | 'path' | 'size' | 'type'

export type Clock = { readonly now: () => number; readonly advance: (milliseconds: number) => void }

export type Gateway = (next: (request: Req) => Promise<Response>, clock: Clock) => (request: Req) => Promise<Response>

/** Without quirks, the service keeps the contract and has the default assumptions. */
export type Quirks = {
  readonly createStatus?: number
  readonly createHeaders?: Readonly<Record<string, string>>
  readonly listStatus?: (length: number, truncated: boolean) => number
  /** Statuses for a missing token and for an unknown token. */
  readonly missing?: number
  readonly unknown?: number
  readonly unguarded?: 'GET' | 'POST'
  readonly scheme?: RegExp
  readonly isPublic?: boolean
  /** Returns the maximum length of a list; `undefined` refuses the values of `limit`. */
  readonly limit?: (values: readonly string[]) => number | undefined
  readonly order?: (rows: readonly Row[], clock: Clock) => readonly Row[]
  readonly failure?: (status: number, detail: string, kind: Failure) => Response
  readonly syntaxStatus?: number
  readonly meaningStatus?: number
  readonly limitStatus?: number
  readonly isVisible?: (row: Row, caller: string, clock: Clock) => boolean
  readonly leaks?: (row: Row, caller: string, url: URL, clock: Clock) => boolean
  readonly stored?: (fields: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
  readonly element?: (row: Row) => unknown
  readonly listBody?: (elements: readonly unknown[]) => unknown
  readonly createBody?: (row: Row) => unknown
  readonly isValid?: (plant: unknown) => boolean
  readonly duplicates?: 'accept' | 'everywhere' | 'idempotent' | 'replace' | 'replace everywhere' | 'drop'
  readonly duplicateStatus?: number
  /** Status of a successful second create with the same id. */
  readonly againStatus?: number
  readonly acceptsType?: (declared: string | null) => boolean
  readonly capacity?: number
  readonly deletes?: boolean
  readonly type?: string
  readonly gateway?: Gateway
  readonly isKnown?: (token: string) => boolean
  readonly initial?: number | readonly FixturePlant[]
  /** Owner of the initial plants: `*` means everybody. Default: the first caller. */
  readonly initialOwner?: string
}

const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })

const isPlant = (plant: unknown): boolean => {
  if (typeof plant !== 'object' || plant === null || Array.isArray(plant)) return false
  const { id, name, tag } = plant as Record<string, unknown>
  return Number.isSafeInteger(id) && typeof name === 'string' && typeof tag === 'string'
}

export const strictLimit = (values: readonly string[]): number | undefined => {
  const [text] = values
  if (text === undefined) return Number.POSITIVE_INFINITY
  return values.length === 1 && /^\d+$/.test(text) ? Number(text) : undefined
}

const latency = 5

export const quirkyService = (quirks: Quirks = {}) => {
  const {
    createStatus = 201,
    createHeaders = {},
    listStatus = () => 200,
    missing = 401,
    unknown = 401,
    scheme = /^bearer$/i,
    limit: limitOf = strictLimit,
    order = (rows) => rows,
    syntaxStatus = 400,
    meaningStatus = 400,
    limitStatus = 400,
    isVisible = () => true,
    leaks = () => false,
    stored = (fields) => fields,
    element = ({ fields: { name, tag } }) => ({ name, tag }),
    listBody = (elements) => elements,
    createBody = ({ fields: { name, tag } }) => ({ name, tag }),
    isValid = isPlant,
    duplicateStatus = 409,
    againStatus = createStatus,
    acceptsType = (declared) => /^application\/json/.test(declared ?? ''),
    capacity = Number.POSITIVE_INFINITY,
    type = 'application/json',
    isKnown = (token) => Object.values(tokens).includes(token),
    initial = 0,
    initialOwner = tokens.caller,
  } = quirks
  let time = Date.UTC(2026, 0, 1)
  const clock: Clock = {
    now: () => time,
    advance: (milliseconds) => {
      time += milliseconds
    },
  }
  const fail = quirks.failure ?? ((status, message) => json(status, { error: { code: status, message } }))
  const oak = (i: number) => ({ id: i + 1, name: `oak ${(i * 7919) % 1009}`, tag: `tree ${(i * 31) % 17}` })
  const plants = typeof initial === 'number' ? Array.from({ length: initial }, (_, i) => oak(i)) : initial
  let rows: Row[] = plants.map((fields) => ({
    fields,
    owner: initialOwner,
    since: 0,
    sent: undefined,
    lists: new Map([[tokens.caller, 1e6]]),
  }))
  const posted: string[] = []
  const kept: { readonly sent: Sent; readonly text: string }[] = []
  const accepted: Sent[] = []
  let requests = 0

  const list = (url: URL, caller: string): Response => {
    const max = limitOf(url.searchParams.getAll('limit'))
    if (max === undefined) return fail(limitStatus, 'limit must be a whole number', 'limit')
    const own = rows.filter((row) => {
      if (row.owner !== caller) return row.owner === '*' || leaks(row, caller, url, clock)
      return isVisible(row, caller, clock)
    })
    for (const { lists } of rows) lists.set(caller, (lists.get(caller) ?? 0) + 1)
    const shown = order(own, clock).slice(0, max)
    return json(listStatus(shown.length, shown.length < own.length), listBody(shown.map(element)), {
      'content-type': type,
    })
  }

  const create = (text: string, declared: string | null, caller: string): Response => {
    if (!acceptsType(declared)) return fail(415, 'the body must be JSON', 'type')
    if (new TextEncoder().encode(text).length > 2 ** 20) return fail(413, 'the body is too large', 'size')
    let plant: Record<string, unknown>
    try {
      plant = JSON.parse(text)
    } catch {
      return fail(syntaxStatus, 'the body is not JSON', 'syntax')
    }
    if (!isValid(plant)) return fail(meaningStatus, 'the fields are not valid', 'meaning')
    const row: Row = { fields: stored(plant), owner: caller, since: time, sent: plant, lists: new Map() }
    const same = rows.find(({ fields: { id }, owner }) => id === row.fields.id && isNear(owner, caller))
    const isStored = same === undefined || quirks.duplicates === 'accept' || replaces
    if (same !== undefined && (quirks.duplicates ?? 'everywhere') === 'everywhere')
      return fail(duplicateStatus, 'the id is taken', 'duplicate')
    if (replaces) rows = rows.filter((other) => other !== same)
    if (isStored) {
      rows.push(row)
      kept.push({ sent: plant, text })
      rows = rows.slice(-capacity)
    }
    accepted.push(plant)
    const shown = quirks.duplicates === 'idempotent' ? (same ?? row) : row
    const body = createBody(shown)
    const isEmpty = body === undefined || createStatus === 204
    const status = same === undefined ? createStatus : againStatus
    return isEmpty
      ? new Response(null, { status, headers: createHeaders })
      : json(status, body, { 'content-type': type, ...createHeaders })
  }

  const replaces = quirks.duplicates?.startsWith('replace') === true
  const isNear = (owner: string, caller: string) =>
    owner === caller || quirks.duplicates?.endsWith('everywhere') === true

  const remove = (id: number, caller: string): Response => {
    const row = rows.find(({ fields, owner }) => fields.id === id && owner === caller)
    if (row === undefined || !isVisible(row, caller, clock)) return fail(404, 'no such plant', 'path')
    rows = rows.filter((other) => other !== row)
    return new Response(null, { status: 204 })
  }

  const respond = async ({ method, url, headers, text }: Req): Promise<Response> => {
    const [, given = '', token] = /^(\S+)(?: +(\S+))?$/.exec(headers.get('authorization') ?? '') ?? []
    const [, id] = /\/plants\/(\d+)$/.exec(url.pathname) ?? []
    if (quirks.deletes && method === 'DELETE' && id !== undefined) return remove(Number(id), token ?? '')
    if (!url.pathname.endsWith('/plants')) return fail(404, 'no such path', 'path')
    const isGuarded = method !== quirks.unguarded
    if (isGuarded && (token === undefined || !scheme.test(given))) {
      if (quirks.isPublic && method === 'GET' && given === '') return list(url, '')
      return fail(missing, 'a token is missing', 'auth')
    }
    if (isGuarded && !isKnown(token ?? '')) return fail(unknown, 'unknown token', 'auth')
    if (method === 'GET') return list(url, token ?? '')
    if (method === 'POST') return create(text, headers.get('content-type'), token ?? '')
    return fail(405, 'no such method', 'method')
  }
  const handle = quirks.gateway?.(respond, clock) ?? respond

  const service: FetchLike = async (input, init) => {
    clock.advance(latency)
    requests++
    const body = init.body as Uint8Array | undefined
    const text = new TextDecoder().decode(body)
    if (init.method === 'POST') posted.push(text)
    return handle({
      method: init.method ?? 'GET',
      url: new URL(input),
      headers: new Headers(init.headers),
      text,
      number: requests,
    })
  }
  return Object.assign(service, {
    posted,
    kept,
    accepted,
    now: clock.now,
    wait: async (milliseconds: number) => clock.advance(milliseconds),
    advance: clock.advance,
  })
}
