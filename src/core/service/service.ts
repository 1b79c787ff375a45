import { StorageError } from '../../util/errors.ts'
import { andThen, isPromise, type MaybePromise } from '../../util/maybe-promise.ts'
import { messageOf } from '../../util/words.ts'
import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'
import type { CallerKey, Token } from '../contract/caller.ts'
import { malformedTokenStatus, unknownTokenStatus } from '../contract/problems.ts'
import { plantValidator } from '../contract/schemas.ts'
import type { Exchange } from '../http/exchange.ts'
import { type Reply, reply } from '../http/reply.ts'
import type { HiddenPlants } from '../operations/hidden-plants.ts'
import type { Problem } from '../operations/operation.ts'
import { allowedMethods, isContractPath, operations, statedRequests } from '../operations/operations.ts'
import { plantJson } from '../operations/plant-json.ts'
import type { PlantStore } from '../store/plant-store.ts'
import type { Call, Credentials } from './call.ts'
import type { RateLimit } from './rate-limit.ts'
import { createReplies, type Replies } from './replies.ts'

export type ServiceOptions = {
  readonly store: PlantStore
  readonly hidden: HiddenPlants
  readonly rates: RateLimit
  readonly assumptions: Assumptions
  /** For shuffled lists, from 0 to below 1. */
  readonly random: () => number
  /** Accepted under `auth.tokens=listed`, beside the callers that plants name. */
  readonly tokens: ReadonlySet<string>
  readonly callerOf: (token: Token) => Token | CallerKey
}

export interface Service {
  /** Handles one call. It never throws: an internal failure becomes a problem with status 500. */
  handle(call: Call): MaybePromise<Reply>
  assume(assumptions: Assumptions): void
  problem(problem: Problem): Reply
}

/** The plant store service without a transport. */
export const createService = (options: ServiceOptions): Service => {
  const { store, rates, tokens, callerOf } = options
  let { context, replies } = underAssumptions(options.assumptions, options)

  const respond = (call: Call): MaybePromise<Reply> => {
    const { exchange, operation } = call
    if (operation === undefined && !needsToken(exchange.path, context.assumptions))
      return outsideOfContract(exchange, context.assumptions, replies)
    const credentials = inScheme(call, context.assumptions)
    const touched = touchedBy(call)
    if (credentials.token === undefined) {
      const { assumptions } = context
      // The header has no well-formed token, or is missing.
      const problem = exchange.header('authorization')
        ? refusal(credentials, malformedTokenStatus(assumptions), ['auth.malformedStatus', ...touched])
        : refusal(credentials, assumptions['auth.status'], touched)
      return replies.problem(problem, { operation })
    }
    const caller = callerOf(credentials.token)
    if (context.assumptions['auth.tokens'] === 'any' || tokens.has(caller)) return perform(call, caller, touched)
    return andThen(store.knows(caller), (isKnown) => {
      if (isKnown) return perform(call, caller, touched)
      const decidedBy: readonly AssumptionId[] = ['auth.unknownStatus', 'auth.tokens', ...touched]
      return replies.problem(refusal(unknown, unknownTokenStatus(context.assumptions), decidedBy), { operation })
    })
  }

  const perform = ({ operation, exchange }: Call, caller: Token | CallerKey, touched: readonly AssumptionId[]) => {
    if (operation === undefined) return outsideOfContract(exchange, context.assumptions, replies)
    const about = { operation, caller }
    if (rates.isExceeded(caller, context.assumptions['rate.limit']))
      return replies.problem({ ...rateLimited, assumptions: [...admittedBy, ...touched] }, about)
    // A store may be asynchronous, and the assumptions may change until it responds.
    const { problem, success } = replies
    return andThen(operations[operation].handle(exchange, caller, context), (result) => {
      const { assumptions = [] } = result
      if ('problem' in result)
        return problem({ ...result, assumptions: [...assumptions, ...admittedBy, ...touched] }, about)
      // perf: most results have one of a few lists of names, which are rendered once (`npm run bench`, GET).
      const names = touched.length === 0 ? assumptions : [...assumptions, ...touched]
      return success({ ...result, assumptions: names }, operation, caller)
    })
  }

  const internalError = (error: unknown, call: Call): Reply => {
    const { operation, credentials } = call
    const { token } = credentials
    return replies.problem(
      { problem: error instanceof StorageError ? error.problem : 'internal-error', detail: messageOf(error) },
      { operation, caller: token === undefined ? undefined : callerOf(token) },
    )
  }

  return {
    handle(call) {
      try {
        const reply = respond(call)
        return isPromise(reply) ? reply.catch((error) => internalError(error, call)) : reply
      } catch (error) {
        return internalError(error, call)
      }
    },
    problem: (problem) => replies.problem(problem),
    assume(assumptions) {
      ;({ context, replies } = underAssumptions(assumptions, options))
    },
  }
}

/** Everything that depends on the assumptions, prepared once for all calls under them. */
const underAssumptions = (assumptions: Assumptions, { store, hidden, random }: ServiceOptions) => ({
  context: {
    store,
    hidden,
    random,
    assumptions,
    validate: plantValidator(assumptions),
    json: plantJson(assumptions['json.keyOrder']),
  },
  replies: createReplies(assumptions),
})

/** The assumptions behind every call that is performed. */
const admittedBy: readonly AssumptionId[] = ['auth.tokens', 'rate.limit']

/** The assumptions about points that credentials and path raise, whatever the mock makes of them. */
const touchedBy = ({ exchange, credentials, operation }: Call): readonly AssumptionId[] => {
  const isExact = credentials.token === undefined || exchange.header('authorization')?.startsWith('Bearer ')
  if (isExact && operation !== undefined) return none
  return [...(isExact ? none : (['auth.scheme'] as const)), ...(operation === undefined ? outsideBy : none)]
}

const none: readonly AssumptionId[] = []
const outsideBy: readonly AssumptionId[] = ['auth.scope', 'auth.tokens']

const rateLimited: Problem = {
  problem: 'rate-limited',
  detail: 'Try again in a second.',
  headers: ['Retry-After', '1'],
}

/** Whether a request needs a token that is none of the operations. */
const needsToken = (path: string, { 'auth.scope': scope }: Assumptions): boolean =>
  scope === 'everywhere' || (scope === 'path' && isContractPath(path))

const outsideOfContract = ({ method, path }: Exchange, assumptions: Assumptions, replies: Replies): Reply => {
  const notFound = (decidedBy: readonly AssumptionId[]): Reply =>
    replies.problem({
      problem: 'not-found',
      detail: `${method} ${path} is not part of the service, which has ${statedRequests}.`,
      assumptions: [...decidedBy, ...outsideBy],
    })
  if (!isContractPath(path)) return notFound([])
  const status = assumptions['operation.other']
  if (status === 404) return notFound(['operation.other'])
  const allow = allowedMethods(path).join(', ')
  if (method === 'OPTIONS')
    return reply(204, ['Allow', allow], undefined, { assumptions: ['operation.other', ...outsideBy] })
  return replies.problem({
    problem: 'method-not-allowed',
    detail: `${path} does not take ${method}; it takes ${allow}.`,
    headers: status === 405 ? ['Allow', allow] : [],
    assumptions: outsideBy,
  })
}

type Refused = Extract<Credentials, { token: undefined }>

const refusal = ({ problem, detail }: Refused, status: number, assumptions: readonly AssumptionId[]): Problem => {
  // RFC 6750, 3: the challenge says invalid_token only when a token was sent.
  const challenge = `Bearer realm="plants"${problem === 'missing-token' ? '' : ', error="invalid_token"'}`
  return { problem, detail, status, headers: status === 401 ? ['WWW-Authenticate', challenge] : [], assumptions }
}

/** The credentials of a call, if the word Bearer is written as the service takes it (`auth.scheme`). */
const inScheme = ({ exchange, credentials }: Call, assumptions: Assumptions): Credentials =>
  assumptions['auth.scheme'] === 'any' ||
  credentials.token === undefined ||
  exchange.header('authorization')?.startsWith('Bearer ')
    ? credentials
    : { token: undefined, problem: 'missing-token', detail: 'The scheme must be written Bearer.' }

const unknown: Refused = { token: undefined, problem: 'invalid-token', detail: 'The mock does not know this token.' }

/** The largest request body, in bytes, that an adapter passes to the service (`body.maxSize`). */
export const maxBodySize = (assumptions: Pick<Assumptions, 'body.maxSize'>): number => {
  const size = assumptions['body.maxSize']
  return typeof size === 'number' ? size : sizes[size]
}

/** A body without a limit is held in memory, so the mock has one of its own. */
const sizes = { '1MiB': 1024 * 1024, '16KiB': 16 * 1024, none: 256 * 1024 * 1024 }
