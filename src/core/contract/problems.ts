import { baseOf, decidesPart, type FormId } from '../assumptions/points.ts'
import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'

const rows = {
  'missing-token': {
    status: 401,
    title: 'The request carries no bearer token',
    decidedBy: ['auth.status'],
    form: 'error.authBody',
  },
  'invalid-token': {
    status: 401,
    title: 'The bearer token is not accepted',
    decidedBy: ['auth.status'],
    form: 'error.authBody',
  },
  'malformed-json': {
    status: 400,
    title: 'The body is not JSON',
    decidedBy: ['error.syntaxStatus', 'error.invalidStatus'],
    form: 'error.syntaxBody',
  },
  'invalid-plant': { status: 400, title: 'The body is not a plant to create', decidedBy: ['error.invalidStatus'] },
  'invalid-limit': {
    status: 400,
    title: 'The limit is not acceptable',
    decidedBy: ['error.limitStatus', 'error.invalidStatus'],
    form: 'error.limitBody',
  },
  'not-found': { status: 404, title: 'Nothing exists at this path', form: 'error.pathBody' },
  'method-not-allowed': {
    status: 405,
    title: 'The path does not allow this method',
    decidedBy: ['operation.other'],
    form: 'error.pathBody',
  },
  'duplicate-id': {
    status: 409,
    title: 'A plant with this id exists',
    decidedBy: ['create.duplicateId', 'create.duplicateStatus'],
    form: 'error.duplicateBody',
  },
  'body-too-large': {
    status: 413,
    title: 'The body is too large',
    decidedBy: ['body.maxSize'],
    form: 'error.syntaxBody',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The body is not declared as JSON',
    decidedBy: ['create.contentType'],
    form: 'error.syntaxBody',
  },
  'unsupported-encoding': { status: 415, title: 'The body is compressed', form: 'error.syntaxBody' },
  'rate-limited': { status: 429, title: 'Too many requests', decidedBy: ['rate.limit'] },
  'malformed-request': { status: 400, title: 'The request is not valid HTTP' },
  'unsupported-transfer': { status: 501, title: 'The transfer coding is not supported' },
  'request-timeout': { status: 408, title: 'The request took too long to arrive' },
  'headers-too-large': { status: 431, title: 'The headers are too large' },
  'invalid-session': { status: 400, title: 'The session id is invalid' },
  'simulated-failure': { status: 500, title: 'A simulated failure' },
  'upstream-unreachable': { status: 502, title: 'The upstream cannot be reached' },
  'upstream-broken': { status: 502, title: 'The upstream did not finish its response' },
  'upstream-timeout': { status: 504, title: 'The upstream took too long to respond' },
  'upstream-violation': { status: 502, title: 'The exchange violates the contract' },
  'forwarding-loop': { status: 508, title: 'The request has been forwarded here before' },
  'foreign-origin': { status: 403, title: 'Pages of this origin may not reach the upstream' },
  'control-off': { status: 403, title: 'The control interface is off' },
  'control-key': { status: 401, title: 'The control key is missing or wrong' },
  'control-foreign': { status: 403, title: 'Another site may not control the mock' },
  'control-invalid': { status: 400, title: 'The control request is invalid' },
  'insufficient-storage': { status: 507, title: 'No space left to store the change' },
  'store-unreachable': { status: 503, title: 'The store of this mock cannot be reached' },
  'internal-error': { status: 500, title: 'The mock failed' },
} as const satisfies Record<string, ProblemRow>

type ProblemRow = {
  readonly status: number
  readonly title: string
  readonly decidedBy?: readonly AssumptionId[]
  /** The assumption that decides the form of the response body. Default: `error.body`. */
  readonly form?: FormId
}

export type ProblemType = keyof typeof rows

/** The types of problem documents (RFC 9457). Assumptions in `decidedBy` may change `status` (contract.md, 7). */
export const problemTypes: Readonly<Record<ProblemType, ProblemRow>> = rows

export const assumptionBehind = {
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
} as const satisfies Record<string, AssumptionId | undefined>

export type FieldCode = keyof typeof assumptionBehind

/** `pointer` names a field by a JSON pointer in a URI fragment, such as `#/id` (RFC 6901, 6). */
export type FieldProblem = { readonly code: FieldCode; readonly detail: string } & (
  | { readonly pointer: string }
  | { readonly parameter: string }
)

export type ProblemDocument = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly errors?: readonly Omit<FieldProblem, 'code'>[]
}

export const problemUri = (type: ProblemType): string => `urn:problem-type:plant-mock:${type}`

export const problemStatus = (type: ProblemType, assumptions: Assumptions): number => {
  const { status, decidedBy = [] } = problemTypes[type]
  const point = decidedBy.find((id) => decidesPart(id, 'status'))
  return point === undefined ? status : statusAt(point, assumptions)
}

export const statusAt = (point: AssumptionId, assumptions: Assumptions): number =>
  Number(assumptions[baseOf(point, assumptions[point]) ?? point])

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
