import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'

/**
 * The problem types (RFC 9457) of the mock. The contract shows no failure (section 7): `decidedBy` names the assumption
 * behind a status; the other statuses follow RFC 9110.
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
  'not-found': { status: 404, decidedBy: 'operation.other', title: 'Nothing exists at this path' },
  'method-not-allowed': {
    status: 405,
    decidedBy: 'operation.other',
    title: 'The path does not take this method',
  },
  'duplicate-id': { status: 409, decidedBy: 'create.duplicateId', title: 'A plant with this id exists' },
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
  'invalid-session': { status: 400, decidedBy: undefined, title: 'The session id is invalid' },
  'simulated-failure': { status: 500, decidedBy: undefined, title: 'A simulated failure' },
  'upstream-unreachable': { status: 502, decidedBy: undefined, title: 'The upstream cannot be reached' },
  'upstream-broken': { status: 502, decidedBy: undefined, title: 'The upstream did not finish its response' },
  'upstream-timeout': { status: 504, decidedBy: undefined, title: 'The upstream took too long to respond' },
  'upstream-violation': {
    status: 502,
    decidedBy: undefined,
    title: 'The exchange violates the contract',
  },
  'forwarding-loop': {
    status: 508,
    decidedBy: undefined,
    title: 'The request has been forwarded here before',
  },
  'control-off': { status: 403, decidedBy: undefined, title: 'The control interface is off' },
  'control-key': { status: 401, decidedBy: undefined, title: 'The control key is missing or wrong' },
  'control-foreign': { status: 403, decidedBy: undefined, title: 'Another site may not control the mock' },
  'control-invalid': { status: 400, decidedBy: undefined, title: 'The control request is invalid' },
  'insufficient-storage': {
    status: 507,
    decidedBy: undefined,
    title: 'No space left to store the plant',
  },
  'internal-error': { status: 500, decidedBy: undefined, title: 'The mock failed' },
} as const satisfies Record<string, { status: number; decidedBy: AssumptionId | undefined; title: string }>

export type ProblemType = keyof typeof problemTypes

/** Why a field or parameter is invalid. */
export type FieldCode =
  | 'type'
  | 'required'
  | 'empty'
  | 'unknown'
  | 'out-of-range'
  | 'taken'
  | 'not-a-token'
  | 'not-a-number'
  | 'too-small'
  | 'too-large'

/**
 * One invalid field or parameter: a JSON pointer into the body (RFC 6901, as a URI fragment) or a query parameter.
 * Problem documents show all but `code`.
 */
export type FieldProblem = { readonly code: FieldCode; readonly detail: string } & (
  | { readonly pointer: string }
  | { readonly parameter: string }
)

/** The assumption under which a code makes a request invalid. The types of fields are stated by the contract (2). */
export const assumptionBehind: Readonly<Record<FieldCode, AssumptionId | undefined>> = {
  type: undefined,
  required: 'create.required',
  empty: 'create.emptyStrings',
  unknown: 'create.unknownFields',
  'out-of-range': 'create.idRange',
  taken: 'create.duplicateId',
  'not-a-token': undefined,
  'not-a-number': 'list.invalidLimit',
  'too-small': 'list.zeroLimit',
  'too-large': 'list.maxLimit',
}

/** A problem document (RFC 9457, section 3). */
export type ProblemDocument = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly errors?: readonly Omit<FieldProblem, 'code'>[]
}

/** The `type` of a problem document. */
export const problemUri = (type: ProblemType): string => `urn:problem-type:plant-mock:${type}`

/** The status of a problem under the given assumptions. */
export const problemStatus = (
  type: ProblemType,
  assumptions: Pick<Assumptions, 'auth.status' | 'error.invalidStatus'>,
): number => {
  const { status, decidedBy } = problemTypes[type]
  return decidedBy === 'auth.status' || decidedBy === 'error.invalidStatus' ? assumptions[decidedBy] : status
}

/** Builds a problem document. `detail` says what failed, why, and what to do now. */
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
  ...(errors.length > 0 && { errors: errors.map(({ code: _, ...shown }) => shown) }),
})
