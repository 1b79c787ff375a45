import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'

/**
 * The problem types (RFC 9457) that the mock answers with. The contract shows no failure at all (section 7):
 * a status that an assumption decides is named by `decidedBy`, the others follow RFC 9110.
 */
export const problemTypes = {
  'missing-token': { status: 401, decidedBy: 'auth.status', title: 'The request carries no bearer token' },
  'invalid-token': { status: 401, decidedBy: 'auth.status', title: 'The bearer token is not accepted' },
  'malformed-json': { status: 400, decidedBy: 'error.invalidStatus', title: 'The body is not JSON' },
  'invalid-plant': {
    status: 400,
    decidedBy: 'error.invalidStatus',
    title: 'The body is not a plant to create',
  },
  'invalid-limit': { status: 400, decidedBy: 'error.invalidStatus', title: 'The limit is not acceptable' },
  'not-found': { status: 404, decidedBy: 'operation.other', title: 'There is nothing at this path' },
  'method-not-allowed': {
    status: 405,
    decidedBy: 'operation.other',
    title: 'The path does not take this method',
  },
  'duplicate-id': { status: 409, decidedBy: 'create.duplicateId', title: 'There is a plant with this id' },
  'body-too-large': { status: 413, decidedBy: 'body.maxSize', title: 'The body is too large' },
  'unsupported-media-type': {
    status: 415,
    decidedBy: 'create.contentType',
    title: 'The body is not declared as JSON',
  },
  'rate-limited': { status: 429, decidedBy: 'rate.limit', title: 'Too many requests' },
  'malformed-request': { status: 400, decidedBy: undefined, title: 'The request is not valid HTTP' },
  'request-timeout': { status: 408, decidedBy: undefined, title: 'The request took too long to arrive' },
  'headers-too-large': { status: 431, decidedBy: undefined, title: 'The headers are too large' },
  'invalid-session': { status: 400, decidedBy: undefined, title: 'The session cannot be used' },
  'simulated-failure': { status: 500, decidedBy: undefined, title: 'A failure that the mock was asked for' },
  'upstream-unreachable': { status: 502, decidedBy: undefined, title: 'The upstream cannot be reached' },
  'upstream-broken': { status: 502, decidedBy: undefined, title: 'The upstream did not finish its answer' },
  'upstream-timeout': { status: 504, decidedBy: undefined, title: 'The upstream took too long to answer' },
  'upstream-violation': {
    status: 502,
    decidedBy: undefined,
    title: 'The exchange is not as the contract shows it',
  },
  'forwarding-loop': {
    status: 508,
    decidedBy: undefined,
    title: 'The request has been forwarded here before',
  },
  'control-off': { status: 403, decidedBy: undefined, title: 'The control interface is off here' },
  'control-key': { status: 401, decidedBy: undefined, title: 'The control key is missing or wrong' },
  'control-foreign': { status: 403, decidedBy: undefined, title: 'Another site may not control the mock' },
  'control-invalid': { status: 400, decidedBy: undefined, title: 'The control request cannot be used' },
  'insufficient-storage': {
    status: 507,
    decidedBy: undefined,
    title: 'There is no room to keep the plant',
  },
  'internal-error': { status: 500, decidedBy: undefined, title: 'The mock failed' },
} as const satisfies Record<string, { status: number; decidedBy: AssumptionId | undefined; title: string }>

export type ProblemType = keyof typeof problemTypes

/** One field or parameter in fault: a JSON pointer into the body (RFC 6901, as a URI fragment) or a query parameter. */
export type FieldProblem =
  | { readonly pointer: string; readonly detail: string }
  | { readonly parameter: string; readonly detail: string }

/** A problem document (RFC 9457, section 3). */
export type ProblemDocument = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly errors?: readonly FieldProblem[]
}

export const problemUri = (type: ProblemType): string => `urn:problem-type:plant-mock:${type}`

/** The status that a problem is answered with under the given assumptions. */
export const problemStatus = (
  type: ProblemType,
  assumptions: Pick<Assumptions, 'auth.status' | 'error.invalidStatus'>,
): number => {
  const { status, decidedBy } = problemTypes[type]
  return decidedBy === 'auth.status' || decidedBy === 'error.invalidStatus' ? assumptions[decidedBy] : status
}

export const problemDocument = (
  type: ProblemType,
  status: number,
  detail: string,
  errors: readonly FieldProblem[] = [],
): ProblemDocument => ({
  type: problemUri(type),
  title: problemTypes[type].title,
  status,
  detail,
  ...(errors.length > 0 && { errors }),
})
