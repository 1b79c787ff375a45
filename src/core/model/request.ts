import { parseExactJson } from '../../util/exact-json.ts'
import type { ParsedJson } from '../../util/json.ts'
import type { OperationId } from '../assumptions/operation-ids.ts'
import type { CallerKey, Token } from '../contract/caller.ts'
import { bodyNotUtf8, bodyTooLarge, type ReceivedRequest } from '../http/exchange.ts'
import { contentCoding, isJsonType } from '../http/media-type.ts'
import { matchPath, noParameters } from '../http/path-template.ts'
import type { Credentials, ResolvedRequest } from '../operations/call.ts'
import { limitsIn, type SentLimit } from '../operations/limit.ts'
import { findOperation, operations } from '../operations/operations.ts'

/** The data of a request that decides the reply. Contains no token, because replicas store requests in a shared log. */
export type ServiceRequest = {
  readonly operation: OperationId | undefined
  readonly parameters: Readonly<Record<string, string>>
  readonly method: string
  readonly path: string
  readonly limits: readonly SentLimit[]
  readonly caller: Caller | RefusedCaller
  readonly time: number
  readonly sent: SentPlant | undefined
}

export type Caller = {
  readonly key: CallerKey
  readonly isListed: boolean
  /** True if the client spelled the scheme exactly `Bearer` (`auth.scheme`). */
  readonly isExact: boolean
}

type RefusedCaller = {
  readonly key: undefined
  readonly refusal: Extract<Credentials, { token: undefined }>
  readonly hasHeader: boolean
}

export type SentPlant = {
  readonly contentType: string | undefined
  readonly isJson: boolean
  readonly coding: string | undefined
  /** In bytes. If the adapter dropped an oversized body: `Number.MAX_SAFE_INTEGER`. */
  readonly size: number
  readonly body: ParsedJson
}

export type KnownCallers = {
  readonly keyOf: (token: Token) => CallerKey
  readonly isListed: (caller: CallerKey) => boolean
}

export const readRequest = (call: ResolvedRequest, time: number, callers: KnownCallers): ServiceRequest => {
  const { received } = call
  const operation = call.operation ?? findOperation(received)
  const row = operation && operations[operation]
  return {
    operation,
    parameters: (row && matchPath(row.path, received.path)) ?? noParameters,
    method: received.method,
    path: received.path,
    limits: row?.effect === 'lists' ? limitsIn(received.query) : none,
    caller: callerOf(call, callers),
    time,
    sent: row?.effect === 'adds' ? sentPlant(received) : undefined,
  }
}

const none: readonly SentLimit[] = []

const callerOf = (
  { received, credentials }: ResolvedRequest,
  { keyOf, isListed }: KnownCallers,
): Caller | RefusedCaller => {
  if (credentials.token === undefined)
    return { key: undefined, refusal: credentials, hasHeader: Boolean(received.header('authorization')) }
  const key = keyOf(credentials.token)
  return { key, isListed: isListed(key), isExact: credentials.isExact }
}

const sentPlant = (received: ReceivedRequest): SentPlant => {
  const contentType = received.header('content-type')
  return {
    contentType,
    isJson: isJsonType(contentType),
    coding: contentCoding(received),
    size: sizeOf(received),
    body: parsedBody(received),
  }
}

const sizeOf = ({ body, bytes }: ReceivedRequest): number => {
  if (bytes !== undefined) return bytes.length
  if (body === bodyTooLarge) return Number.MAX_SAFE_INTEGER
  return typeof body === 'string' ? new TextEncoder().encode(body).length : 0
}

const parsedBody = ({ body }: ReceivedRequest): ParsedJson => {
  if (body === undefined || body === bodyTooLarge) return { error: 'The request has no body' }
  if (body === bodyNotUtf8) return { error: 'The body is not UTF-8' }
  if (body.trim() === '') return { error: 'The body is empty' }
  const parsed = parseExactJson(body)
  return 'error' in parsed ? { error: `The body is not JSON: ${parsed.error}` } : parsed
}
