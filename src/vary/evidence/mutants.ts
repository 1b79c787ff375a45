import type { CallerKey } from '../../core/contract/caller.ts'
import type { OperationId } from '../../core/contract/operation-ids.ts'
import type { PlantDraft } from '../../core/contract/schemas.ts'
import { withBody, withHeader } from '../../core/http/exchange.ts'
import { filterHeaders } from '../../core/http/headers.ts'
import type { Reply } from '../../core/http/reply.ts'
import { authenticate, type Call } from '../../core/service/call.ts'
import type { MemoryStore } from '../../core/store/memory-store.ts'
import type { ListOptions, StoredPlant } from '../../core/store/plant-store.ts'
import { isJsonObject } from '../../util/json.ts'
import type { RuleId } from '../../verify/rules/rules.ts'

/** A list that the service is about to show. */
type ListRequest = ListOptions & {
  readonly store: MemoryStore
  readonly caller: string
  /** The plants that calls have created, the oldest first. */
  readonly created: readonly StoredPlant[]
}

/** A service that breaks one sentence of the contract. The members that are present replace a step of a call. */
export type Mutant = {
  /** The rule of `verify` with the sentence. */
  readonly rule: RuleId
  /** The operation whose response is wrong. */
  readonly operation: OperationId
  /** The behaviour of the service, as a noun with its article. */
  readonly does: string
  /** The call as the service takes it. */
  readonly call?: (call: Call) => Call
  /** Stores a plant, instead of the create that is reported. */
  readonly stores?: (store: MemoryStore, plant: PlantDraft) => void
  /** The plants of a list. */
  readonly list?: (request: ListRequest) => readonly StoredPlant[]
  /** A successful response with a body. */
  readonly reply?: (reply: Reply, body: string) => Reply
}

/** A caller that no client is. */
const stranger = 'plant-mock-stranger' as CallerKey

const withAuthorization = (call: Call, authorization: string | undefined): Call => ({
  ...call,
  exchange: withHeader(call.exchange, 'authorization', authorization),
  credentials: authenticate(authorization),
})

const refused = (call: Call): Call => (call.credentials.token === undefined ? call : withAuthorization(call, undefined))

const open = (call: Call): Call =>
  call.credentials.token === undefined ? withAuthorization(call, `Bearer ${stranger}`) : call

const withExtraPlant = (call: Call): Call => {
  const { exchange } = call
  const [, limit] = /^limit=(\d+)$/.exec(exchange.query) ?? []
  if (limit === undefined) return call
  return { ...call, exchange: { ...withBody(exchange, exchange.body), query: `limit=${Number(limit) + 1}` } }
}

const withText =
  (change: (text: string) => string | undefined): NonNullable<Mutant['reply']> =>
  (reply, body) => ({ ...reply, body: change(body) })

const withType =
  (type: string): NonNullable<Mutant['reply']> =>
  (reply) => ({
    ...reply,
    headers: [...filterHeaders(reply.headers, (name) => name !== 'content-type'), ...['Content-Type', type]],
  })

const withJson = (change: (json: unknown) => unknown): NonNullable<Mutant['reply']> =>
  withText((text) => JSON.stringify(change(JSON.parse(text))))

type Fields = Readonly<Record<string, unknown>>

const plant = (change: (plant: Fields) => Fields): NonNullable<Mutant['reply']> =>
  withJson((json) => (isJsonObject(json) ? change(json) : json))

/** Changes the last element of a list, which by default is the newest plant. */
const element = (change: (element: Fields) => Fields): NonNullable<Mutant['reply']> =>
  withJson((json) => (Array.isArray(json) ? json.map((one, at) => (at === json.length - 1 ? change(one) : one)) : json))

const failing: NonNullable<Mutant['reply']> = (reply) => ({
  ...withType('text/plain')(reply, ''),
  status: 500,
  body: 'Failed',
})

const cut = withText((text) => text.slice(0, Math.floor(text.length / 2)))

const without =
  (field: string) =>
  (plant: Fields): Fields =>
    Object.fromEntries(Object.entries(plant).filter(([name]) => name !== field))

/** The plants that the caller may access, without some. */
const listWithout = ({ store, caller, limit, order }: ListRequest, left: ReadonlySet<StoredPlant>) =>
  (store.list(caller, { limit: limit + left.size, order }) as readonly StoredPlant[]).filter((one) => !left.has(one))

type Steps = Pick<Mutant, 'call' | 'stores' | 'list' | 'reply'>

const create = (rule: RuleId, does: string, steps: Steps): Mutant => ({
  rule,
  operation: 'createPlant',
  does,
  ...steps,
})
const list = (rule: RuleId, does: string, steps: Steps): Mutant => ({ rule, operation: 'listPlants', does, ...steps })

const withId = (shown: Fields): Fields => ({ id: 1, ...shown })

const table = {
  'create.refused': create('create.succeeds', 'a create that refuses a valid token', { call: refused }),
  'create.fails': create('create.succeeds', 'a create that fails with 500', { reply: failing }),
  'create.withId': create('create.shape', 'a create whose response has the id', { reply: plant(withId) }),
  'create.noName': create('create.shape', 'a create whose response has no name', { reply: plant(without('name')) }),
  'create.noTag': create('create.shape', 'a create whose response has no tag', { reply: plant(without('tag')) }),
  'create.otherName': create('create.shape', 'a create whose response has another name', {
    reply: plant((shown) => ({ ...shown, name: 'Other' })),
  }),
  'create.empty': create('create.shape', 'a create with an empty response', { reply: withText(() => undefined) }),
  'create.text': create('create.shape', 'a create with a response in plain text', {
    reply: (reply) => withType('text/plain')({ ...reply, body: 'Created' }, ''),
  }),
  'create.cut': create('create.shape', 'a create whose response is cut in the middle', { reply: cut }),
  'create.mediaType': create('create.json', 'a create whose JSON is declared as text/html', {
    reply: withType('text/html'),
  }),
  // A list shows whether a create has stored its plant.
  'create.lost': list('create.stored', 'a create that succeeds and stores nothing', { stores: () => {} }),
  'create.elsewhere': list('create.stored', 'a create that stores the plant for another caller', {
    stores: (store, draft) => {
      store.create(stranger, draft, 'accept')
    },
  }),
  'create.open': create('auth.create', 'a create without a token', { call: open }),
  'list.refused': list('list.succeeds', 'a list that refuses a valid token', { call: refused }),
  'list.fails': list('list.succeeds', 'a list that fails with 500', { reply: failing }),
  'list.object': list('list.array', 'a list inside an object', { reply: withJson((plants) => ({ plants })) }),
  'list.cut': list('list.array', 'a list that is cut in the middle', { reply: cut }),
  'list.noName': list('list.elements', 'an element of a list without name', { reply: element(without('name')) }),
  'list.noTag': list('list.elements', 'an element of a list without tag', { reply: element(without('tag')) }),
  'list.withId': list('list.elements', 'an element of a list with id', { reply: element(withId) }),
  'list.numberName': list('list.elements', 'an element of a list with a number as its name', {
    reply: element((shown) => ({ ...shown, name: 1 })),
  }),
  'list.mediaType': list('list.json', 'a list whose JSON is declared as text/html', { reply: withType('text/html') }),
  'list.extraPlant': list('list.limit', 'a list with limit + 1 plants', { call: withExtraPlant }),
  'list.empty': list('create.stored', 'a list that is empty', { reply: withJson(() => []) }),
  'list.missing': list('create.stored', 'a list without the plant just created', {
    list: (request) => listWithout(request, new Set(request.created.slice(-1))).slice(0, request.limit),
  }),
  // No rule of verify judges it: plants may have the same name and tag.
  'list.twice': list('list.succeeds', 'a list that holds a plant twice', {
    list: (request) => {
      const [first, ...others] = listWithout(request, new Set())
      return first === undefined ? [] : [first, first, ...others].slice(0, request.limit)
    },
  }),
  'list.foreign': list('list.access', 'a list that holds plants of another caller', {
    list: ({ store, limit, order }) => {
      const all = store.all() as readonly StoredPlant[]
      return (order === 'added' ? all : all.toReversed()).slice(0, limit)
    },
  }),
  'list.open': list('auth.list', 'a list without a token', { call: open }),
} as const satisfies Record<string, Mutant>

export type MutantId = keyof typeof table

/** Services that each break one sentence of the contract, by id. */
export const mutants: Readonly<Record<MutantId, Mutant>> = table

export const mutantIds = Object.keys(table) as readonly MutantId[]
