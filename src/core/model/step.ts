import type { OperationId } from '../assumptions/operation-ids.ts'
import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'
import type { CallerKey } from '../contract/caller.ts'
import { statusAt } from '../contract/problems.ts'
import { type Reply, reply } from '../http/reply.ts'
import type { Credentials } from '../operations/call.ts'
import {
  allowedMethods,
  contractPaths,
  isServed,
  isServicePath,
  servedAtBy,
  statedRequests,
} from '../operations/operations.ts'
import { createPlant } from './create.ts'
import { deletePlant } from './delete.ts'
import { listPlants } from './list.ts'
import { countRequest } from './rates.ts'
import { problemReply, successReply } from './replies.ts'
import type { Caller, ServiceRequest } from './request.ts'
import type { Performed, Problem } from './result.ts'
import type { State } from './state.ts'

export type Step = { readonly state: State; readonly reply: Reply }

const handlers: Readonly<
  Record<OperationId, (state: State, request: ServiceRequest, caller: CallerKey, assumptions: Assumptions) => Performed>
> = { createPlant, listPlants, deletePlant }

/** A pure function: the time is part of the request, and the random seed is part of the state. */
export const step = (state: State, request: ServiceRequest, assumptions: Assumptions): Step => {
  const { caller } = request
  const asked = request.operation
  const operation = asked !== undefined && isServed(asked, assumptions) ? asked : undefined
  if (operation === undefined && !needsToken(request.path, assumptions))
    return { state, reply: outsideOfContract(request, assumptions, outsideBy(request)) }
  const touched = touchedBy(request, operation)
  const refused = refusalOf(state, request, assumptions, touched)
  if (refused !== undefined)
    return { state, reply: problemReply(refused, assumptions, { operation, path: request.path }) }
  if (operation === undefined) return { state, reply: outsideOfContract(request, assumptions, touched) }
  return perform(state, request, { operation, caller: (caller as Caller).key }, touched, assumptions)
}

const perform = (
  state: State,
  request: ServiceRequest,
  about: { readonly operation: OperationId; readonly caller: CallerKey },
  touched: readonly AssumptionId[],
  assumptions: Assumptions,
): Step => {
  const { operation, caller } = about
  const { rates, isOver } = countRequest(state.rates, caller, assumptions['rate.limit'])
  const counted = rates === state.rates ? state : { ...state, rates }
  if (isOver) {
    const problem = { ...rateLimited, assumptions: [...admittedBy, ...touched] }
    return { state: counted, reply: problemReply(problem, assumptions, about) }
  }
  const { state: after, result } = handlers[operation](counted, request, caller, assumptions)
  if ('problem' in result) {
    const problem = { ...result, assumptions: [...(result.assumptions ?? []), ...admittedBy, ...touched] }
    return { state: after, reply: problemReply(problem, assumptions, about) }
  }
  // perf: keeps the same array of assumptions, because `http/source.ts` caches text by identity (`npm run bench`, GET).
  const success = touched.length === 0 ? result : { ...result, assumptions: [...result.assumptions, ...touched] }
  return { state: after, reply: successReply(success, assumptions, about) }
}

const refusalOf = (
  { plants }: State,
  { caller }: ServiceRequest,
  assumptions: Assumptions,
  touched: readonly AssumptionId[],
): Problem | undefined => {
  if (caller.key === undefined)
    return caller.hasHeader
      ? refusal(caller.refusal, statusAt('auth.malformedStatus', assumptions), ['auth.malformedStatus', ...touched])
      : refusal(caller.refusal, assumptions['auth.status'], touched)
  if (!caller.isExact && assumptions['auth.scheme'] !== 'any')
    return refusal(otherScheme, statusAt('auth.malformedStatus', assumptions), ['auth.malformedStatus', ...touched])
  if (assumptions['auth.tokens'] === 'any' || caller.isListed || plants.knows(caller.key)) return undefined
  return refusal(unknown, statusAt('auth.unknownStatus', assumptions), [
    'auth.unknownStatus',
    'auth.tokens',
    ...touched,
  ])
}

const admittedBy: readonly AssumptionId[] = ['auth.tokens', 'rate.limit']

const touchedBy = (request: ServiceRequest, operation: OperationId | undefined): readonly AssumptionId[] => {
  const { caller } = request
  const isExact = caller.key === undefined || caller.isExact
  if (isExact && operation !== undefined) return none
  return [...(isExact ? none : (['auth.scheme'] as const)), ...(operation === undefined ? outsideBy(request) : none)]
}

const none: readonly AssumptionId[] = []
const outsideBy = ({ path }: ServiceRequest): readonly AssumptionId[] => [
  'auth.scope',
  'auth.tokens',
  ...servedAtBy(path),
]

const rateLimited: Problem = {
  problem: 'rate-limited',
  detail: 'Try again in a second.',
  headers: ['Retry-After', '1'],
}

const needsToken = (path: string, assumptions: Assumptions): boolean => {
  const scope = assumptions['auth.scope']
  return scope === 'everywhere' || (scope === 'path' && isServicePath(path, assumptions))
}

const basePathHint = (path: string): string => {
  const own = contractPaths.find((own) => path.endsWith(own)) ?? path
  const base = path.slice(0, -own.length)
  return /^(?:\/[\w~-][\w.~-]*)+$/.test(base)
    ? ` Is ${base} the path of the base URL? Set it: --base-path ${base}, or baseUrl with msw.`
    : ''
}

const outsideOfContract = (
  { method, path }: ServiceRequest,
  assumptions: Assumptions,
  touched: readonly AssumptionId[],
): Reply => {
  const notFound = (decidedBy: readonly AssumptionId[]): Reply =>
    problemReply(
      {
        problem: 'not-found',
        detail: `${method} ${path} is not part of the contract, which has ${statedRequests}.${basePathHint(path)}`,
        assumptions: [...decidedBy, ...touched],
      },
      assumptions,
      { path },
    )
  if (!isServicePath(path, assumptions)) return notFound([])
  const status = assumptions['operation.other']
  if (status === 404) return notFound(['operation.other'])
  const allow = allowedMethods(path, assumptions).join(', ')
  if (method === 'OPTIONS')
    return reply(204, ['Allow', allow], undefined, { assumptions: ['operation.other', ...touched] })
  return problemReply(
    {
      problem: 'method-not-allowed',
      detail: `${path} does not allow ${method}; allowed methods: ${allow}.`,
      headers: status === 405 ? ['Allow', allow] : [],
      assumptions: touched,
    },
    assumptions,
  )
}

type Refused = Extract<Credentials, { token: undefined }>

const refusal = ({ problem, detail }: Refused, status: number, assumptions: readonly AssumptionId[]): Problem => {
  // Omits the error code from the challenge if the request has no token (RFC 6750, 3.1).
  const challenge = `Bearer realm="plants"${problem === 'missing-token' ? '' : ', error="invalid_token"'}`
  return { problem, detail, status, headers: status === 401 ? ['WWW-Authenticate', challenge] : [], assumptions }
}

const otherScheme: Refused = {
  token: undefined,
  problem: 'missing-token',
  detail: 'The scheme must be written Bearer.',
}

const unknown: Refused = { token: undefined, problem: 'invalid-token', detail: 'The mock does not know this token.' }
