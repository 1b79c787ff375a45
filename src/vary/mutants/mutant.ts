import type { CallerKey } from '../../core/contract/caller.ts'
import type { OperationId } from '../../core/contract/operation-ids.ts'
import type { Caller, PlantDraft } from '../../core/contract/schemas.ts'
import { type Exchange, withBody, withHeader } from '../../core/http/exchange.ts'
import { filterHeaders } from '../../core/http/headers.ts'
import type { Reply } from '../../core/http/reply.ts'
import { authenticate, type Call } from '../../core/service/call.ts'
import type { MemoryStore } from '../../core/store/memory-store.ts'
import type { ListOptions, StoredPlant } from '../../core/store/plant-store.ts'
import { isJsonObject } from '../../util/json.ts'
import type { RuleId } from '../../verify/rules/rules.ts'

/** A list that the service is about to show. */
export type ListRequest = ListOptions & {
  readonly store: MemoryStore
  readonly caller: Caller
  /** The plants that calls have created, the oldest first. */
  readonly created: readonly StoredPlant[]
}

/** A service that breaks one sentence of the contract. The members that are present replace a step of a call. */
export type Mutant = {
  /** The rule of `verify` with the sentence. */
  readonly rule: RuleId
  /** The operation whose response is wrong. */
  readonly operation: OperationId
  /** What the service does, as a noun with its article. */
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
export const stranger = 'plant-mock-stranger' as CallerKey

const withAuthorization = (call: Call, authorization: string | undefined): Call => ({
  ...call,
  exchange: withHeader(call.exchange, 'authorization', authorization),
  credentials: authenticate(authorization),
})

/** Refuses valid tokens. */
export const refused = (call: Call): Call =>
  call.credentials.token === undefined ? call : withAuthorization(call, undefined)

/** Needs no token. */
export const open = (call: Call): Call =>
  call.credentials.token === undefined ? withAuthorization(call, `Bearer ${stranger}`) : call

const withQuery = (exchange: Exchange, query: string): Exchange => ({ ...withBody(exchange, exchange.body), query })

/** Lists one plant more than `limit`. */
export const withExtraPlant = (call: Call): Call => {
  const [, limit] = /^limit=(\d+)$/.exec(call.exchange.query) ?? []
  return limit === undefined ? call : { ...call, exchange: withQuery(call.exchange, `limit=${Number(limit) + 1}`) }
}

export const withText =
  (change: (text: string) => string | undefined): NonNullable<Mutant['reply']> =>
  (reply, body) => ({ ...reply, body: change(body) })

export const withType =
  (type: string): NonNullable<Mutant['reply']> =>
  (reply) => ({
    ...reply,
    headers: [...filterHeaders(reply.headers, (name) => name !== 'content-type'), ...['Content-Type', type]],
  })

export const withJson = (change: (json: unknown) => unknown): NonNullable<Mutant['reply']> =>
  withText((text) => JSON.stringify(change(JSON.parse(text))))

type Fields = Readonly<Record<string, unknown>>

/** Changes the plant of a create. */
export const plant = (change: (plant: Fields) => Fields): NonNullable<Mutant['reply']> =>
  withJson((json) => (isJsonObject(json) ? change(json) : json))

/** Changes the last element of a list, which by default is the newest plant. */
export const element = (change: (element: Fields) => Fields): NonNullable<Mutant['reply']> =>
  withJson((json) => (Array.isArray(json) ? json.map((one, at) => (at === json.length - 1 ? change(one) : one)) : json))

export const failing: NonNullable<Mutant['reply']> = (reply) => ({
  ...withType('text/plain')(reply, ''),
  status: 500,
  body: 'Failed',
})

/** In the middle. */
export const cut = withText((text) => text.slice(0, Math.floor(text.length / 2)))

export const without =
  (field: string) =>
  (plant: Fields): Fields =>
    Object.fromEntries(Object.entries(plant).filter(([name]) => name !== field))

/** The plants that the caller may access, without some. */
export const listWithout = ({ store, caller, limit, order }: ListRequest, left: ReadonlySet<StoredPlant>) =>
  (store.list(caller, { limit: limit + left.size, order }) as readonly StoredPlant[]).filter((one) => !left.has(one))
