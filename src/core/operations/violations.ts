import { type Fields, fieldsOf, isJsonObject, jsonOrUndefined } from '../../util/json.ts'
import type { OperationId } from '../assumptions/operation-ids.ts'
import { type BrokenRule, brokenRule } from '../contract/rules.ts'
import type { Violation, ViolationFinding } from '../contract/violation.ts'
import { isJsonLikeType } from '../http/media-type.ts'
import { authenticate, type ResolvedRequest } from './call.ts'
import type { AnsweredRequest, CheckedRequest } from './operation.ts'
import { allowedMethods, isServicePath, operations, statedRequests } from './operations.ts'

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

/** Accepts OPTIONS, which belongs to HTTP (RFC 9110, 9.3.7). */
const outsideOfContract = ({ method, path }: CheckedRequest): readonly ViolationFinding[] => {
  const isKnownPath = isServicePath(path)
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

/** @param areTagged True to require a tag in every element. Default: only in elements that were created with a tag. */
export type ResponseCheck = (
  call: ResolvedRequest,
  operation: OperationId,
  response: ReceivedResponse,
  areTagged?: boolean,
) => readonly Violation[]

const maxIds = 10_000
const maxKey = 500

/** Allows a list to show a plant without a tag if the create of this plant had no tag. */
export const responseCheck = (): ResponseCheck => {
  const ids = new Set<string>()
  const isTaggedByName = new Map<string, boolean>()
  const isRepeated = ({ credentials }: ResolvedRequest, { id }: Fields): boolean => {
    if (id === undefined) return false
    const key = JSON.stringify([credentials.token, id])
    if (ids.has(key)) return true
    if (ids.size >= maxIds) ids.clear()
    ids.add(key)
    return false
  }
  const rememberTag = (key: string, { tag }: Fields): void => {
    if (key.length > maxKey) return
    if (isTaggedByName.size >= maxIds) isTaggedByName.clear()
    isTaggedByName.set(key, typeof tag === 'string' && isTaggedByName.get(key) !== false)
  }
  return (call, operation, { status, contentType, body: text }, areTagged = false) => {
    const { method, query, body } = call.received
    if (method === 'HEAD') return []
    const nameKey = (name: unknown): string => JSON.stringify([call.credentials.token, name])
    const sent = typeof body === 'string' ? jsonOrUndefined(body) : undefined
    const fields = fieldsOf(sent)
    if (operation === 'createPlant' && status < 300) rememberTag(nameKey(fields.name), fields)
    const hasTag = (element: unknown): boolean =>
      isJsonObject(element) && (areTagged || isTaggedByName.get(nameKey(element.name)) === true)
    const request = { query, sent, isRepeated: isRepeated(call, fields), hasTag }
    // Skips failures, about which the contract states nothing (contract.md, 7).
    if (status >= 300) return []
    return brokenRules(operation, request, { contentType, text, json: jsonOrUndefined(text) }).map(
      ({ section, detail }) => ({ section, detail: `${detail}.`, in: 'response' }),
    )
  }
}

export const brokenRules = (
  operation: OperationId,
  request: AnsweredRequest,
  {
    contentType,
    text,
    json,
  }: { readonly contentType: string | undefined; readonly text: string; readonly json: unknown },
): readonly BrokenRule[] => {
  const judge = operations[operation].response
  if (judge === undefined) return []
  const { bodyRule, typeRule, check } = judge
  if (text === '') return [brokenRule(bodyRule, 'The body is empty', { section: '1' })]
  const type = isJsonLikeType(contentType) ? [] : [brokenRule(typeRule, `Content-Type is ${contentType ?? 'missing'}`)]
  const body =
    json === undefined
      ? [brokenRule(bodyRule, 'The body is not JSON', { section: '1', part: text })]
      : check(json, request)
  return [...type, ...body]
}
