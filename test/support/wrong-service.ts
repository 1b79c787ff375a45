import type { FixturePlant } from 'plant-mock'
import type { FetchLike } from 'plant-mock/conformance'
import { listen, tokens } from './conformance.ts'
import { clampLimit, instead, isCreate, limitBy } from './quirks.ts'
import { type Gateway, type Quirks, quirkyService, type Req, type Row, strictLimit } from './quirky-service.ts'

const fails = (status: number, applies: (request: Req) => boolean, words = 'it failed', location?: string): Quirks => ({
  gateway: instead(
    (request) => tokenOf(request) !== undefined && applies(request),
    (request) =>
      Response.json(
        { error: `${tokenOf(request)} ${words}` },
        { status, headers: location === undefined ? {} : { location: `${location}?token=${tokenOf(request)}` } },
      ),
  ),
})

const declares = (applies: (request: Req) => boolean, type?: string): Quirks => ({
  gateway: (next) => async (request) => {
    const response = await next(request)
    if (!applies(request) || !response.ok) return response
    if (type === undefined) response.headers.delete('content-type')
    else response.headers.set('content-type', type)
    return response
  },
})

const shows = (element: (fields: Row['fields'], row: Row) => unknown): Quirks => ({
  element: (row) => element(row.fields, row),
})
const returns = (createBody: (fields: Row['fields']) => unknown): Quirks => ({
  createBody: ({ fields }) => createBody(fields),
})

const storedAlthoughRefused: Gateway = (next) => async (request) => {
  const headers = new Headers([...request.headers, ['authorization', `Bearer ${tokens.caller}`]])
  if (isCreate(request) && !request.headers.has('authorization')) await next({ ...request, headers })
  return next(request)
}

const isList = ({ method }: Req) => method === 'GET'
const tokenOf = ({ headers }: Req) => /^bearer (\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
const limitOf = ({ url }: Req) => url.searchParams.get('limit')
const upper = (text: unknown) => String(text).toUpperCase()
const losing: Quirks = { isVisible: () => false }

const wrongs = {
  'lists are forbidden': [fails(403, isList, 'may not list'), 'list.succeeds'],
  'lists fail with 500': [fails(500, isList), 'list.succeeds', 'robust.input'],
  'a list is an object': [{ listBody: (plants) => ({ plants }) }, 'list.array'],
  'a list is not JSON': [{ listBody: ({ length }) => `<plants>${length}</plants>` }, 'list.array'],
  'a list is one plant': [{ listBody: ([first = {}]) => first }, 'list.array'],
  'lists show ids': [shows(({ id, name, tag }) => ({ id, name, tag })), 'list.elements'],
  'lists show owners': [shows(({ name, tag }, { owner }) => ({ owner, name, tag })), 'list.elements'],
  'lists show no tags': [shows(({ name }) => ({ name })), 'list.elements'],
  'lists show null for a tag': [shows(({ name }) => ({ name, tag: null })), 'list.elements'],
  'lists show no names': [shows(({ name, tag }) => ({ title: name, tag })), 'list.elements'],
  'lists hold only names': [shows(({ name }) => name), 'list.elements'],
  'the last element of a list is null': [
    { listBody: (all) => all.map((one, i) => (i < all.length - 1 ? one : null)) },
    'list.elements',
  ],
  'lists are declared as HTML': [declares(isList, 'text/html'), 'list.json'],
  'lists have no Content-Type': [declares(isList), 'list.json'],
  'limit is ignored': [{ limit: () => Number.POSITIVE_INFINITY }, 'list.limit'],
  'limit is one too many': [{ limit: limitBy((limit) => (limit > 0 ? limit + 1 : limit)) }, 'list.limit'],
  'limit=0 is no limit': [{ limit: limitBy((limit) => limit || Number.POSITIVE_INFINITY) }, 'list.limit'],
  'creates are forbidden': [fails(403, isCreate), 'create.succeeds'],
  'creates fail with 500': [{ ...losing, duplicates: 'accept', createStatus: 500 }, 'create.succeeds'],
  'a create returns the id': [returns(({ id, name, tag }) => ({ id, name, tag })), 'create.shape'],
  'a create returns nothing': [returns(() => ''), 'create.shape'],
  'a create returns an array': [returns(({ name, tag }) => [{ name, tag }]), 'create.shape'],
  'a create returns no tag': [returns(({ name }) => ({ name })), 'create.shape'],
  'a create returns another name': [returns(({ name, tag }) => ({ name: upper(name), tag })), 'create.shape'],
  'creates are declared as text': [declares(isCreate, 'text/plain'), 'create.json'],
  'creates have no Content-Type': [declares(isCreate), 'create.json'],
  'nothing is stored': [{ ...losing, duplicates: 'accept' }, 'create.stored'],
  'another name is stored': [shows(({ name, tag }) => ({ name: upper(name), tag })), 'create.stored'],
  'another tag is stored': [shows(({ name, tag }) => ({ name, tag: `${tag}!` })), 'create.stored'],
  'plants are stored for the other caller': [{ ...losing, leaks: () => true }, 'create.stored', 'list.access'],
  'callers see everything': [{ leaks: () => true }, 'list.access'],
  'unknown tokens see everything': [{ leaks: (_, caller) => caller !== tokens.other }, 'list.access'],
  'lists need no token': [{ unguarded: 'GET' }, 'auth.list'],
  'creates need no token': [{ unguarded: 'POST' }, 'auth.create'],
  'creates without a token are refused and stored': [{ gateway: storedAlthoughRefused }, 'auth.create'],
  'a missing token causes 500': [{ missing: 500 }, 'robust.input'],
  'bad JSON causes 500': [{ syntaxStatus: 500 }, 'robust.input'],
  'deep nesting causes 500': [fails(500, ({ text }) => text.startsWith('['.repeat(1_000))), 'robust.input'],
  'wrong types cause 500': [{ meaningStatus: 500 }, 'robust.input', 'robust.refusal'],
  'a limit in words causes 500': [fails(500, (request) => Number.isNaN(Number(limitOf(request)))), 'robust.input'],
  'a negative limit causes 500': [fails(500, (request) => Number(limitOf(request)) < 0), 'robust.input'],
  'an enormous limit causes 500': [fails(500, (request) => Number(limitOf(request)) > 2 ** 64), 'robust.input'],
  'a bad token causes 500': [
    {
      gateway: instead(
        (request) => request.headers.has('authorization') && tokenOf(request) === undefined,
        () => Response.json({ error: 'bad token' }, { status: 500 }),
      ),
    },
    'robust.input',
  ],
  'wrong types are accepted': [
    {
      isValid: (plant) => ['id', 'name', 'tag'].every((field) => Object(plant)[field] !== undefined),
      stored: ({ id, name, tag }) => ({ id, name: String(name), tag: tag && String(tag) }),
    },
    'robust.refusal',
  ],
} as const satisfies Readonly<Record<string, readonly [Quirks, ...string[]]>>

const open = {
  'lists hold 10 plants': { limit: (values) => clampLimit(10)(values.length === 0 ? ['10'] : values) },
  'plants come by id': { order: (rows) => rows.toSorted((a, b) => Number(a.fields.id) - Number(b.fields.id)) },
  'a limit is required': { limit: (values) => (values.length === 0 ? undefined : strictLimit(values)) },
  'a negative limit returns nothing': { limit: (values) => (Number(values[0]) < 0 ? 0 : strictLimit(values)) },
  'no token redirects to a login': { missing: 302 },
  'creates redirect': fails(307, isCreate, '', 'https://elsewhere.invalid/'),
} as const satisfies Readonly<Record<string, Quirks>>

export const mistakes = Object.entries(wrongs).map(([mistake, [, ...rules]]) => [mistake as Mistake, rules] as const)

export type Mistake = keyof typeof wrongs
export type Behaviour = Mistake | keyof typeof open

/** Accepts any token, and repeats the token in error messages, as careless services do. */
export const wrongService = (behaviours: readonly Behaviour[] = [], plants: readonly FixturePlant[] = []) => {
  const all = behaviours.map(
    (behaviour): Quirks => (behaviour in open ? open[behaviour as keyof typeof open] : wrongs[behaviour as Mistake][0]),
  )
  const gateway: Gateway = (next, clock) =>
    all.reduceRight((inner, quirks) => quirks.gateway?.(inner, clock) ?? inner, next)
  return quirkyService({
    isKnown: (token) => /^[\w\-.~+/]+=*$/.test(token),
    initial: plants,
    initialOwner: '*',
    ...Object.assign({}, ...all.toReversed()),
    gateway,
  })
}

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
