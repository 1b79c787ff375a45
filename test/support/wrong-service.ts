import type { FixturePlant } from 'plant-mock'
import type { FetchLike } from 'plant-mock/conformance'
import { listen } from './conformance.ts'

/** Mistakes that the service can make, and the rules that each breaks. */
export const mistakes = {
  'lists are forbidden': ['list.succeeds'],
  'lists fail with 500': ['list.succeeds', 'robust.input'],
  'a list is an object': ['list.array'],
  'a list is not JSON': ['list.array'],
  'a list is one plant': ['list.array'],
  'lists show ids': ['list.elements'],
  'lists show owners': ['list.elements'],
  'lists show no tags': ['list.elements'],
  'lists show null for a tag': ['list.elements'],
  'lists show no names': ['list.elements'],
  'lists hold only names': ['list.elements'],
  'the last element of a list is null': ['list.elements'],
  'lists are declared as HTML': ['list.json'],
  'lists have no Content-Type': ['list.json'],
  'limit is ignored': ['list.limit'],
  'limit is one too many': ['list.limit'],
  'limit=0 is no limit': ['list.limit'],
  'creates are forbidden': ['create.succeeds'],
  'creates fail with 500': ['create.succeeds'],
  'a create returns the id': ['create.shape'],
  'a create returns nothing': ['create.shape'],
  'a create returns an array': ['create.shape'],
  'a create returns no tag': ['create.shape'],
  'a create returns another name': ['create.shape'],
  'creates are declared as text': ['create.json'],
  'creates have no Content-Type': ['create.json'],
  'nothing is stored': ['create.stored'],
  'another name is stored': ['create.stored'],
  'another tag is stored': ['create.stored'],
  'plants are stored for the other caller': ['create.stored', 'list.access'],
  'callers see everything': ['list.access'],
  'lists need no token': ['auth.list'],
  'creates need no token': ['auth.create'],
  'creates without a token are refused and stored': ['auth.create'],
  'a missing token causes 500': ['robust.input'],
  'bad JSON causes 500': ['robust.input'],
  'deep nesting causes 500': ['robust.input'],
  'wrong types cause 500': ['robust.input', 'robust.refusal'],
  'a limit in words causes 500': ['robust.input'],
  'a negative limit causes 500': ['robust.input'],
  'an enormous limit causes 500': ['robust.input'],
  'a bad token causes 500': ['robust.input'],
  'wrong types are accepted': ['robust.refusal'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Behaviour that the contract allows, with the assumption and the finding that it leads to. */
export const openBehaviours = {
  'limits over 20 are refused': ['list.maxLimit', 'differs', 'reject:20'],
  'lists hold 10 plants': ['list.maxLimit', 'differs', 'clamp:10'],
  'JSON is declared as application/hal+json': ['json.contentType', 'differs', 'application/hal+json'],
  'plants come by id': ['list.order', 'differs', 'id'],
  'ids may be left out': ['create.required', 'differs', 'name+tag'],
  'names may not be empty': ['create.emptyStrings', 'differs', 'reject-name'],
  'a second create with the same id is silently dropped': ['create.duplicateId', 'differs', 'idempotent'],
  'bodies may have 100 KiB': ['body.maxSize', 'differs', 102_400],
  'malformed JSON causes 422': ['error.syntaxStatus', 'differs', 422],
  'every third request gets 429': ['rate.limit', 'other', 'some requests get 429'],
  'a limit is required': ['list.defaultLimit', 'other', 'it responds with 400'],
  'the first of two limits counts': ['list.repeatedLimit', 'differs', 'first'],
  'a negative limit returns nothing': ['list.invalidLimit', 'other', /limit=-1: it returns 0 plants/],
  'no token redirects to a login': ['auth.status', 'other', 'it responds with 302'],
  'a missing Content-Type causes 400': ['create.contentType', 'differs', 'invalid'],
  'creates redirect': ['create.status', 'unseen', undefined],
  'lists redirect': ['list.status', 'unseen', undefined],
} as const satisfies Readonly<
  Record<
    string,
    readonly [id: string, outcome: 'differs' | 'other' | 'unseen', found: string | number | RegExp | undefined]
  >
>

export type Mistake = keyof typeof mistakes
export type Behaviour = Mistake | keyof typeof openBehaviours

type Row = { readonly id: unknown; readonly name: string; readonly tag: string; readonly owner: string }

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })

const bytesOf = (text: string): number => new TextEncoder().encode(text).byteLength
const depthOf = (text: string): number => /^\[*/.exec(text)?.[0].length ?? 0

/**
 * A plant store that keeps the contract except for the given behaviours. Its error messages repeat the token of the
 * caller, as those of careless services do.
 * @param plants Plants that every caller may access.
 */
export const wrongService = (
  behaviours: readonly Behaviour[] = [],
  plants: readonly FixturePlant[] = [],
): FetchLike & { readonly rows: readonly Row[] } => {
  const does = (behaviour: Behaviour): boolean => behaviours.includes(behaviour)
  const rows: Row[] = plants.map(({ tag = '', ...plant }, id) => ({ id, owner: '*', tag, ...plant }))
  const jsonType = does('JSON is declared as application/hal+json') ? 'application/hal+json' : 'application/json'
  let requests = 0

  const list = (query: URLSearchParams, token: string): Response => {
    const [text = null, second] = query.getAll('limit')
    if (does('lists are forbidden')) return json(403, { error: `${token} may not list` })
    if (does('lists redirect')) return json(302, '', { location: `/lists?token=${token}` })
    if (does('lists fail with 500')) return json(500, { error: `${token} broke it` })
    if (second !== undefined && !does('the first of two limits counts')) return json(400, { error: 'two limits' })
    const limit = limitOf(text)
    if (limit instanceof Response) return limit
    const visible = rows.filter(({ owner }) => owner === '*' || owner === token || does('callers see everything'))
    if (does('plants come by id')) visible.sort((a, b) => Number(a.id) - Number(b.id))
    const shown = visible.slice(0, limit).map((row, i) => elementOf(row, i === visible.length - 1))
    return json(200, bodyOf(shown), {
      'content-type': does('lists are declared as HTML') ? 'text/html' : jsonType,
    })
  }

  const limitOf = (text: string | null): number | Response => {
    if (does('limit is ignored')) return Number.POSITIVE_INFINITY
    if (text === null && does('a limit is required')) return json(400, { error: 'limit is missing' })
    if (text === null) return does('lists hold 10 plants') ? 10 : Number.POSITIVE_INFINITY
    const number = Number(text)
    if (number < 0 && does('a negative limit causes 500')) return json(500, { error: 'negative' })
    if (number < 0 && does('a negative limit returns nothing')) return 0
    if (Number.isNaN(number) && does('a limit in words causes 500')) return json(500, { error: 'NaN' })
    if (number > 2 ** 64 && does('an enormous limit causes 500')) return json(500, { error: 'overflow' })
    if (!/^\d+$/.test(text)) return json(400, { error: 'limit must be a whole number' })
    if (number > 20 && does('limits over 20 are refused')) return json(400, { error: 'limit is too large' })
    if (number === 0 && does('limit=0 is no limit')) return Number.POSITIVE_INFINITY
    if (number > 0 && does('limit is one too many')) return number + 1
    return does('lists hold 10 plants') ? Math.min(10, number) : number
  }

  const elementOf = ({ id, name, tag, owner }: Row, isLast: boolean): unknown => {
    if (does('lists show ids')) return { id, name, tag }
    if (does('lists show owners')) return { owner, name, tag }
    if (does('lists show no tags')) return { name }
    if (does('lists show null for a tag')) return { name, tag: null }
    if (does('lists show no names')) return { title: name, tag }
    if (does('lists hold only names')) return name
    return does('the last element of a list is null') && isLast ? null : { name, tag }
  }

  const bodyOf = (elements: readonly unknown[]): unknown => {
    if (does('a list is an object')) return { plants: elements }
    if (does('a list is not JSON')) return `<plants>${elements.length}</plants>`
    return does('a list is one plant') ? (elements[0] ?? {}) : elements
  }

  const create = (text: string, declared: string | null, token: string): Response => {
    const isDeclared = declared?.startsWith('application/json') === true
    if (!isDeclared && does('a missing Content-Type causes 400')) return json(400, { error: 'type' })
    if (!isDeclared) return json(415, { error: 'Content-Type is missing' })
    if (bytesOf(text) > 1024 * (does('bodies may have 100 KiB') ? 100 : 1024)) return json(413, { error: 'too large' })
    const body = parse(text)
    if (body instanceof Response) return body
    const refusal = refuse(body)
    if (refusal !== undefined) return refusal
    const { id, name, tag } = body as { id: unknown; name: unknown; tag: unknown }
    if (does('creates are forbidden')) return json(403, { error: `${token} may not create` })
    if (does('creates redirect')) return json(307, '', { location: `https://elsewhere.invalid/?as=${token}` })
    if (does('creates fail with 500')) return json(500, { error: `${token} broke it` })
    const row = { id, name: String(name), tag: String(tag), owner: ownerOf(token) }
    const same = rows.some((other) => other.id === id && id !== undefined && other.owner === row.owner)
    if (same && !does('a second create with the same id is silently dropped'))
      return json(409, { error: 'id is taken' })
    if (!same && !does('nothing is stored')) rows.push(storedAs(row))
    return json(201, createdBody(row), {
      'content-type': does('creates are declared as text') ? 'text/plain' : jsonType,
    })
  }

  const parse = (text: string): unknown => {
    if (depthOf(text) > 1_000 && does('deep nesting causes 500')) return json(500, { error: 'too much recursion' })
    try {
      return JSON.parse(text) as unknown
    } catch {
      const status = does('bad JSON causes 500') ? 500 : does('malformed JSON causes 422') ? 422 : 400
      return json(status, { error: 'not JSON' })
    }
  }

  const refuse = (body: unknown): Response | undefined => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return json(400, { error: 'not an object' })
    const { id, name, tag } = body as { id?: unknown; name?: unknown; tag?: unknown }
    const isIdValid = Number.isSafeInteger(id) || (id === undefined && does('ids may be left out'))
    if (name === '' && does('names may not be empty')) return json(400, { error: 'name is empty' })
    if (typeof name === 'string' && typeof tag === 'string' && isIdValid) return undefined
    if (does('wrong types cause 500')) return json(500, { error: 'cast failed' })
    const hasAllFields = name !== undefined && tag !== undefined && id !== undefined
    return does('wrong types are accepted') && hasAllFields ? undefined : json(400, { error: 'wrong types' })
  }

  const ownerOf = (token: string): string => {
    if (token === '') return '*'
    return does('plants are stored for the other caller') ? `${token}-other` : token
  }

  const storedAs = (row: Row): Row => {
    if (does('another name is stored')) return { ...row, name: row.name.toUpperCase() }
    return does('another tag is stored') ? { ...row, tag: `${row.tag}!` } : row
  }

  const createdBody = ({ id, name, tag }: Row): unknown => {
    if (does('a create returns the id')) return { id, name, tag }
    if (does('a create returns nothing')) return ''
    if (does('a create returns an array')) return [{ name, tag }]
    if (does('a create returns no tag')) return { name }
    return does('a create returns another name') ? { name: name.toUpperCase(), tag } : { name, tag }
  }

  const withoutToken = (method: string, url: URL, text: string, declared: string | null): Response => {
    if (does('a missing token causes 500')) return json(500, { error: 'no token' })
    if (does('no token redirects to a login')) return json(302, '', { location: '/login' })
    if (method === 'GET' && does('lists need no token')) return list(url.searchParams, '')
    if (method === 'POST' && does('creates need no token')) return create(text, declared, '')
    if (method === 'POST' && does('creates without a token are refused and stored')) create(text, declared, '')
    return json(401, { error: 'a token is missing' })
  }

  const respond: FetchLike = async (input, init) => {
    const request = new Request(input, init)
    const { method, headers } = request
    const url = new URL(request.url)
    if (!url.pathname.endsWith('/plants')) return json(404, { error: 'not here' })
    if (++requests % 3 === 0 && does('every third request gets 429'))
      return json(429, { error: 'slower' }, { 'retry-after': '0' })
    const text = await request.text()
    const authorization = headers.get('authorization')
    const [, token] = /^bearer +([\w\-.~+/]+=*)$/i.exec(authorization ?? '') ?? []
    if (token === undefined && authorization !== null && does('a bad token causes 500'))
      return json(500, { error: 'bad token' })
    if (token === undefined) return withoutToken(method, url, text, headers.get('content-type'))
    if (method === 'GET') return list(url.searchParams, token)
    return method === 'POST' ? create(text, headers.get('content-type'), token) : json(405, { error: method })
  }

  const undeclared: Readonly<Record<string, Mistake>> = {
    GET: 'lists have no Content-Type',
    POST: 'creates have no Content-Type',
  }
  const service: FetchLike = async (input, init) => {
    const response = await respond(input, init)
    const mistake = undeclared[init.method ?? 'GET']
    if (mistake !== undefined && does(mistake) && response.ok) response.headers.delete('content-type')
    return response
  }
  return Object.assign(service, { rows })
}

/** Serves it at a free port of 127.0.0.1. */
export const serveWrong = (service: FetchLike) =>
  listen(async (req, res) => {
    const { method = 'GET', headers } = req
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const known = ['authorization', 'content-type'].flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value] as [string, string]] : []
    })
    const response = await service(`http://localhost${req.url}`, {
      method,
      headers: known,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    res.writeHead(response.status, Object.fromEntries(response.headers))
    res.end(await response.text())
  })
