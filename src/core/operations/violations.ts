import { isJsonObject, jsonOrUndefined, parseJson } from '../../util/json.ts'
import type { OperationId } from '../contract/operation-ids.ts'
import type { Violation, ViolationFinding } from '../contract/violation.ts'
import { isJsonLikeType } from '../http/media-type.ts'
import { authenticate, type Call } from './call.ts'
import type { CheckedRequest, Operation } from './operation.ts'
import { allowedMethods, isContractPath, operations, statedRequests } from './operations.ts'

/** Points that the contract leaves open, and bodies that are not known as text, are no violations. */
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

export type ReceivedResponse = {
  readonly status: number
  readonly contentType: string | undefined
  readonly body: string
}

export type ResponseCheck = (call: Call, operation: OperationId, response: ReceivedResponse) => readonly Violation[]

/** Bounds the memory for ids; above it, all are forgotten. */
const maxIds = 10_000

/** Remembers the ids of creates: a repeated one may show the plant that exists (`create.duplicateId`). */
export const responseCheck = (): ResponseCheck => {
  const ids = new Set<string>()
  const isRepeated = ({ exchange, credentials }: Call): boolean => {
    const sent = typeof exchange.body === 'string' ? jsonOrUndefined(exchange.body) : undefined
    if (!isJsonObject(sent) || sent.id === undefined) return false
    const key = JSON.stringify([credentials.token, sent.id])
    if (ids.has(key)) return true
    if (ids.size >= maxIds) ids.clear()
    ids.add(key)
    return false
  }
  return (call, operation, response) => {
    const { method, query, body } = call.exchange
    if (method === 'HEAD') return []
    const findings = responseFindings(operation, { query, body, isRepeated: isRepeated(call) }, response)
    return findings.map((finding) => ({ ...finding, in: 'response' }))
  }
}

/** The contract states nothing about failures, such as those of a proxy in front (7). */
const responseFindings = (
  operation: OperationId,
  request: Parameters<Operation['checkResponse']>[1],
  { status, contentType, body }: ReceivedResponse,
): readonly ViolationFinding[] => {
  if (status >= 300) return []
  if (body === '') return [{ section: '1', detail: 'The body is empty.' }]
  const parsed = parseJson(body)
  if ('error' in parsed) return [{ section: '1', detail: 'The body is not JSON.' }]
  const declared = isJsonLikeType(contentType)
    ? []
    : [{ section: '1', detail: `The body is JSON, but Content-Type is ${contentType ?? 'missing'}.` }]
  return [...declared, ...operations[operation].checkResponse(parsed.value, request)]
}
