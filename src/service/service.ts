import type { Assumptions } from '../assumptions/registry.ts'
import type { ProblemType } from '../contract/problems.ts'
import { type Caller, plantValidator } from '../contract/schemas.ts'
import type { Exchange, Reply } from '../http/exchange.ts'
import type { Context } from '../operations/context.ts'
import { createPlant } from '../operations/create-plant/handle.ts'
import { hiddenPlants } from '../operations/hidden-plants.ts'
import { listPlants } from '../operations/list-plants/handle.ts'
import { allowedMethods, type OperationId, operations, plantsPath } from '../operations/operations.ts'
import type { PlantStore } from '../store/plant-store.ts'
import { StorageError } from '../util/errors.ts'
import { andThen, type MaybePromise } from '../util/maybe-promise.ts'
import { authenticate } from './authenticate.ts'
import { createReplies } from './replies.ts'

export type ServiceOptions = {
  readonly store: PlantStore
  readonly assumptions: Assumptions
  readonly random: () => number
  /** Tokens accepted under `auth.tokens=listed`, beside those that plants name. */
  readonly tokens: ReadonlySet<Caller>
  /** Callers that are known by another name than their token. */
  readonly names: ReadonlyMap<Caller, string>
}

export interface Service {
  /** Answers one exchange. It never throws: what fails inside is answered as a problem with status 500. */
  handle(exchange: Exchange): MaybePromise<Reply>
  /** Puts other assumptions in force, from the next exchange on. */
  assume(assumptions: Assumptions): void
  /**
   * The answer to what never became an exchange: it failed, or was no valid HTTP. `status` is that of the problem
   * type by default.
   */
  problem(type: ProblemType, detail: string, status?: number): Reply
  /** Forgets request counts and plants held back; the store is left alone. */
  forget(): void
}

/** Every tenth request of a caller, under `rate.limit=every-tenth`. */
const rateLimitedEvery = 10

/** Tokens may be as long as headers; so many of them are no burden. */
const mostCounted = 1_000

/** The plant store service, without a transport. */
export const createService = ({ store, assumptions, random, tokens, names }: ServiceOptions): Service => {
  const hidden = hiddenPlants()
  const requests = new Map<Caller, number>()

  const contextOf = (assumptions: Assumptions): Context => ({
    store,
    assumptions,
    replies: createReplies(assumptions),
    validate: plantValidator(assumptions),
    hidden,
    random,
  })
  let context = contextOf(assumptions)

  const isOverRate = (caller: Caller): boolean => {
    if (context.assumptions['rate.limit'] === 'none') return false
    const count = (requests.get(caller) ?? 0) + 1
    // Made-up tokens cannot fill the memory: beyond so many callers, counting begins anew.
    if (requests.size >= mostCounted) requests.clear()
    requests.set(caller, count)
    return count % rateLimitedEvery === 0
  }

  const perform = (operation: OperationId, exchange: Exchange, caller: Caller): MaybePromise<Reply> => {
    if (isOverRate(caller))
      return context.replies.problem(
        'rate-limited',
        { detail: 'Try again in a second.', headers: ['Retry-After', '1'] },
        { operation, caller },
      )
    return operation === 'createPlant'
      ? createPlant(exchange, caller, context)
      : listPlants(exchange, caller, context)
  }

  const answer = (exchange: Exchange): MaybePromise<Reply> => {
    const { replies, assumptions } = context
    const operation = operationOf(exchange)
    if (operation === undefined) return notAnOperation(exchange, context)

    const credentials = authenticate(exchange.header('authorization'))
    if ('problem' in credentials) return refuse(credentials.problem, credentials.detail, operation, context)
    const token = names.get(credentials.token) ?? credentials.token
    if (assumptions['auth.tokens'] === 'any' || tokens.has(token)) return perform(operation, exchange, token)
    return andThen(store.knows(token), (known) =>
      known
        ? perform(operation, exchange, token)
        : refuse('invalid-token', 'The token is not one of those that the mock was given.', operation, {
            replies,
            assumptions,
          }),
    )
  }

  const problem = (type: ProblemType, detail: string, status?: number): Reply =>
    context.replies.problem(type, { detail, ...(status !== undefined && { status }) })
  /** Somebody asked for something: operation and caller of what failed are known as those of other answers. */
  const fail = (error: unknown, exchange: Exchange): Reply => {
    const operation = operationOf(exchange)
    const credentials = authenticate(exchange.header('authorization'))
    return context.replies.problem(
      error instanceof StorageError ? error.problem : 'internal-error',
      { detail: messageOf(error) },
      {
        ...(operation !== undefined && { operation }),
        ...('token' in credentials && { caller: names.get(credentials.token) ?? credentials.token }),
      },
    )
  }

  return {
    handle(exchange) {
      try {
        const reply = answer(exchange)
        return reply instanceof Promise ? reply.catch((error) => fail(error, exchange)) : reply
      } catch (error) {
        return fail(error, exchange)
      }
    },
    problem,
    assume(assumptions) {
      context = contextOf(assumptions)
    },
    forget() {
      hidden.clear()
      requests.clear()
    },
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The operation that a request asks for, if it is one of the contract's. HEAD goes with every GET (RFC 9110, 9.3.2). */
export const operationOf = ({ method, path }: Pick<Exchange, 'method' | 'path'>): OperationId | undefined => {
  if (path !== plantsPath) return undefined
  if (method === operations.createPlant.method) return 'createPlant'
  return method === operations.listPlants.method || method === 'HEAD' ? 'listPlants' : undefined
}

const notAnOperation = ({ method, path }: Exchange, { replies, assumptions }: Context): Reply => {
  if (path !== plantsPath || assumptions['operation.other'] === 404)
    return replies.problem('not-found', {
      detail: `Nothing answers ${method} ${path}. The service has GET and POST ${plantsPath}.`,
    })
  if (method === 'OPTIONS') return replies.options(allowedMethods)
  return replies.problem('method-not-allowed', {
    detail: `${plantsPath} does not take ${method}; it takes ${allowedMethods}.`,
    headers: ['Allow', allowedMethods],
  })
}

/** RFC 6750, 3: a challenge, which says invalid_token only when a token was sent. */
const refuse = (
  type: 'missing-token' | 'invalid-token',
  detail: string,
  operation: OperationId,
  { replies, assumptions }: Pick<Context, 'replies' | 'assumptions'>,
): Reply => {
  const challenge =
    type === 'missing-token' ? 'Bearer realm="plants"' : 'Bearer realm="plants", error="invalid_token"'
  const headers = assumptions['auth.status'] === 401 ? ['WWW-Authenticate', challenge] : []
  return replies.problem(
    type,
    { detail, headers, ...(type === 'invalid-token' && { assumptions: ['auth.tokens'] as const }) },
    { operation },
  )
}
