import type { OperationId } from '../../core/assumptions/operation-ids.ts'
import { problemDocument, problemTypes } from '../../core/contract/problems.ts'
import { contractCommand, showViolations, type Violation } from '../../core/contract/violation.ts'
import { bodyNotUtf8, bodyTooLarge, maxHeldBody, type ReceivedRequest, urlOf } from '../../core/http/exchange.ts'
import { filterHeaders, headerValue, type RawHeaders } from '../../core/http/headers.ts'
import { contentCoding } from '../../core/http/media-type.ts'
import { type Reply, reply } from '../../core/http/reply.ts'
import type { UpstreamHandler } from '../../core/mock/handler.ts'
import type { Problem } from '../../core/model/result.ts'
import { callMeta, type ResolvedRequest } from '../../core/operations/call.ts'
import { requestViolations, responseCheck } from '../../core/operations/violations.ts'
import { type DecodedBody, decodeBody, mebibytes, notUtf8 } from '../files/decode-body.ts'
import { clientClosed } from '../listener/logged-request.ts'
import type { Recorder } from './recorder.ts'
import {
  describeFailure,
  isLoop,
  loopFailure,
  responseHeadersToForward,
  send,
  type UpstreamConnection,
  UpstreamTimeout,
} from './send.ts'

export type CheckMode = 'report' | 'strict'

export type HandlerOptions = UpstreamConnection & {
  readonly check: CheckMode | undefined
  readonly observe?: Recorder['observe']
}

export const upstreamHandler = (options: HandlerOptions): UpstreamHandler => {
  const { check } = options
  const checkResponse = responseCheck()

  const forward = async (call: ResolvedRequest, operation: OperationId): Promise<Reply> => {
    const inRequest = check === undefined ? undefined : violationsInRequest(call)
    const requestRefusal = refusal(inRequest, call, check)
    if (requestRefusal !== undefined) return requestRefusal

    const [receivedAt, began] = [Date.now(), performance.now()]
    const { status, headers, bytes, rest } = await request(call.received, options)
    const body: DecodedBody =
      rest === undefined
        ? decodeBody(bytes, headerValue(headers, 'content-encoding'))
        : { unchecked: `the body has more than ${mebibytes(maxHeldBody)}` }
    const text = 'text' in body && bytes.length > 0 ? body.text : undefined
    const inResponse = (): readonly Violation[] => {
      if (call.received.method === 'HEAD' || 'unchecked' in body) return []
      if ('invalid' in body) return status < 300 ? [{ section: '1', detail: body.invalid, in: 'response' }] : []
      const contentType = headerValue(headers, 'content-type')
      return checkResponse(call, operation, { status, contentType, body: body.text })
    }
    const violations = inRequest && [...inRequest, ...inResponse()]
    const answered = reply(status, responseHeadersToForward(status, headers, options), text, {
      ...callMeta(call),
      forwarded: { by: 'upstream', bytes, rest, violations, ...('unchecked' in body && { unchecked: body.unchecked }) },
    })
    options.observe?.(call, answered, options.target, receivedAt, performance.now() - began)
    return refusal(violations, call, check) ?? answered
  }

  return async (call, operation) => {
    const { received } = call
    if (isLoop(received.headers(), options.viaName)) return upstreamProblem(loopFailure(options), call)
    if (received.body === bodyTooLarge) {
      const detail = `A forwarded body may have at most ${mebibytes(maxHeldBody)}.`
      return upstreamProblem({ problem: 'body-too-large', detail }, call)
    }
    try {
      return await forward(call, operation)
    } catch (error) {
      if (received.signal?.aborted)
        return reply(clientClosed, [], undefined, { ...callMeta(call), forwarded: { by: 'upstream' } })
      return upstreamProblem(describeFailure(error, options), call)
    }
  }
}

const request = async (received: ReceivedRequest, options: HandlerOptions) => {
  const began = performance.now()
  const response = await send(options, {
    method: received.method,
    path: urlOf(received),
    headers: acceptDecodable(received.headers(), options),
    body: received.bytes ?? (typeof received.body === 'string' ? Buffer.from(received.body) : undefined),
    signal: received.signal,
  })
  const left = began + options.timeout - performance.now()
  const timer = setTimeout(() => response.destroy(new UpstreamTimeout()), left)
  try {
    return { status: response.statusCode ?? 502, headers: response.rawHeaders, ...(await holdBody(response)) }
  } finally {
    clearTimeout(timer)
  }
}

export const holdBody = async (
  body: AsyncIterable<Uint8Array>,
): Promise<{ readonly bytes: Buffer; readonly rest: AsyncIterable<Uint8Array> | undefined }> => {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body[Symbol.asyncIterator]()
  for (let next = await reader.next(); !next.done; next = await reader.next()) {
    chunks.push(next.value)
    size += next.value.length
    if (size > maxHeldBody) return { bytes: Buffer.concat(chunks), rest: { [Symbol.asyncIterator]: () => reader } }
  }
  return { bytes: Buffer.concat(chunks), rest: undefined }
}

const acceptDecodable = (headers: RawHeaders, { check, observe }: HandlerOptions): RawHeaders => {
  const accepted = headerValue(headers, 'accept-encoding')
  if (accepted === undefined || (check === undefined && observe === undefined)) return headers
  const decodable = accepted.split(',').filter((part) => /^\s*(?:gzip|br|deflate|identity)\b/i.test(part))
  const others = filterHeaders(headers, (name) => name !== 'accept-encoding')
  return [...others, 'accept-encoding', decodable.join(',') || 'identity']
}

const violationsInRequest = ({ received, operation }: ResolvedRequest): readonly Violation[] => [
  ...requestViolations(received, operation),
  ...(received.body === bodyNotUtf8 && contentCoding(received) === undefined
    ? [{ section: '1', detail: notUtf8, in: 'request' } as const]
    : []),
]

const refusal = (
  violations: readonly Violation[] | undefined,
  call: ResolvedRequest,
  check: CheckMode | undefined,
): Reply | undefined => {
  const [first, ...others] = violations ?? []
  if (check !== 'strict' || first === undefined) return undefined
  const more = others.length === 0 ? '' : ` ${others.length} more follow.`
  const detail = `The ${first.in} violates contract ${first.section}: ${first.detail}${more} Read it: ${contractCommand(first.section)}`
  return upstreamProblem({ problem: 'upstream-violation', detail }, call, violations)
}

/** Sends a problem document under every value of `error.body`, because `error.body` describes errors of the service. */
const upstreamProblem = (
  { problem, detail }: Problem,
  call: ResolvedRequest,
  violations?: readonly Violation[],
): Reply => {
  const { status } = problemTypes[problem]
  const document = problemDocument(problem, status, detail)
  return reply(
    status,
    ['Content-Type', 'application/problem+json'],
    JSON.stringify({ ...document, ...(violations !== undefined && showViolations(violations)) }),
    { ...callMeta(call), problem, forwarded: { by: 'upstream', violations } },
  )
}
