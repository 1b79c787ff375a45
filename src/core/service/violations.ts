import { parseJson } from '../../util/json.ts'
import type { OperationId } from '../contract/operation-ids.ts'
import type { Violation, ViolationFinding } from '../contract/violation.ts'
import { isJsonLikeType } from '../http/media-type.ts'
import { allowedMethods, isContractPath, statedRequests } from '../operations/match.ts'
import type { CheckedRequest } from '../operations/operation.ts'
import { operations } from '../operations/operations.ts'
import { authenticate } from './authenticate.ts'

/**
 * Violations of the contract in a request. Points that the contract leaves open, such as which fields are required, are
 * none; a body that is not known as text is not checked.
 */
export const requestViolations = (
  request: CheckedRequest,
  operation: OperationId | undefined,
): readonly Violation[] => {
  const findings =
    operation === undefined
      ? outsideOfContract(request)
      : [...credentialFindings(request), ...operations[operation].checkRequest(request)]
  return findings.map((finding) => ({ ...finding, in: 'request' }))
}

/** OPTIONS belongs to HTTP (RFC 9110, 9.3.7), not to the contract. */
const outsideOfContract = ({ method, path }: CheckedRequest): readonly ViolationFinding[] => {
  const isKnownPath = isContractPath(path)
  if (isKnownPath && allowedMethods(path).includes(method)) return []
  return isKnownPath
    ? [{ section: '4.3', detail: `The contract has no ${method} ${path}; it has ${statedRequests}.` }]
    : [{ section: '4', detail: `The contract has no path ${path}; it has ${statedRequests}.` }]
}

const credentialFindings = (request: CheckedRequest): readonly ViolationFinding[] => {
  const credentials = authenticate(request.header('authorization'))
  return credentials.token === undefined ? [{ section: '5', detail: credentials.detail }] : []
}

/** The parts of a response that are checked. */
export type ReceivedResponse = {
  readonly status: number
  readonly contentType: string | undefined
  readonly body: string
}

/**
 * Violations of the contract in a response. About failures the contract states only that all bodies are JSON (1, 7).
 */
export const responseViolations = (
  operation: OperationId,
  request: Pick<CheckedRequest, 'query' | 'body'>,
  { status, contentType, body }: ReceivedResponse,
): readonly Violation[] => {
  const isSuccess = status < 300
  if (body === '') return isSuccess ? [inResponse({ section: '1', detail: 'The body is empty.' })] : []
  const parsed = parseJson(body)
  if ('error' in parsed) return [inResponse({ section: '1', detail: 'The body is not JSON.' })]
  const declared = isJsonLikeType(contentType)
    ? []
    : [{ section: '1', detail: `The body is JSON, but Content-Type is ${contentType ?? 'missing'}.` }]
  const shape = isSuccess ? operations[operation].checkResponse(parsed.value, request) : []
  return [...declared, ...shape].map(inResponse)
}

const inResponse = (finding: ViolationFinding): Violation => ({ ...finding, in: 'response' })
