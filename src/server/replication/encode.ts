import type { Token } from '../../core/contract/caller.ts'
import { type ShownViolations, showViolations, type Violation } from '../../core/contract/violation.ts'
import type { FaultTarget } from '../../core/faults/faults.ts'
import { type Preferred, preferredIn } from '../../core/faults/preferred.ts'
import { type Body, bodyNotUtf8, bodyTooLarge, type ReceivedRequest } from '../../core/http/exchange.ts'
import { headerEntries, headerValue, type RawHeaders } from '../../core/http/headers.ts'
import { type Redact, redactHeader } from '../../core/http/redact.ts'
import type { Reply } from '../../core/http/reply.ts'
import type { CallerRegistry } from '../../core/journal/callers.ts'
import { redactorOf } from '../../core/journal/redact.ts'
import type { CallerKeys } from '../../core/mock/command-row.ts'
import { type KnownCallers, readRequest, type ServiceRequest } from '../../core/model/request.ts'
import { authenticate, type ResolvedRequest, resolveRequest } from '../../core/operations/call.ts'
import { requestViolations } from '../../core/operations/violations.ts'
import { methodWithoutSecrets, pathWithoutSecrets, withoutSecrets } from './without-secrets.ts'

export type LoggedExchange = Pick<ReceivedRequest, 'method' | 'path'> & {
  readonly query?: string
  readonly headers: RawHeaders
  readonly body?: EncodedBody
  readonly violations?: ShownViolations
}

export type LoggedCall = LoggedExchange & {
  readonly request?: ServiceRequest
  readonly preferred?: Preferred
}

type EncoderOptions = Pick<CallerKeys, 'keyOfToken'> & {
  readonly callers: CallerRegistry
  readonly known: () => KnownCallers
  readonly prefer: boolean
}

export type Encoder = ReturnType<typeof createEncoder>

/** Redacts requests and responses before they enter the log, because other replicas read the log. */
export const createEncoder = ({ callers, keyOfToken, known, prefer }: EncoderOptions) => {
  const encodeHeaders = (headers: RawHeaders, redact: Redact): RawHeaders =>
    headerEntries(headers).flatMap(([mixedCase, value]) => {
      const name = mixedCase.toLowerCase()
      const { token } = authenticate(name === 'authorization' ? value : '')
      if (token !== undefined) return [mixedCase, value.slice(0, value.length - token.length) + keyOfToken(token)]
      const isPlain = name === 'authorization' && isSchemeAlone.test(value)
      return [redact(mixedCase), isPlain ? value : redactHeader(name, value, undefined, redact)]
    })

  const redactorFor = (token: Token | undefined, headers: RawHeaders, responseHeaders: RawHeaders = []): Redact => {
    const isCaller = (secret: string) => secret === token || callers.findPseudonym(secret) !== undefined
    return redactorOf(
      { headers, responseHeaders },
      { secrets: callers.secrets, findPseudonym: (secret) => (isCaller(secret) ? keyOfToken(secret) : undefined) },
    )
  }

  const encodeExchange = (call: ResolvedRequest) => {
    const { received, operation, credentials } = call
    if (credentials.token !== undefined) callers.learn(credentials.token)
    const redactText = redactorFor(credentials.token, received.headers())
    let isChanged = false
    const redact: Redact = (text) => {
      const shown = redactText(text)
      isChanged ||= shown !== text
      return shown
    }
    const logged: LoggedExchange = {
      method: methodWithoutSecrets(received.method, redact),
      path: pathWithoutSecrets(received.path, redact),
      ...(received.query !== '' && { query: redact(received.query) }),
      headers: encodeHeaders(received.headers(), redact),
      body: encodeBody(received.body, redact),
    }
    if (!isChanged && isRegular(received)) return { logged, readsAlike: true, redact }
    const { violations, ...omitted } = showViolations(requestViolations(received, operation))
    const redacted = { violations: redactDetails(violations, redact), ...omitted }
    return { logged: { ...logged, violations: redacted }, readsAlike: false, redact }
  }

  const target = ({ received, operation, credentials: { token } }: ResolvedRequest): FaultTarget => ({
    operation,
    caller: token && keyOfToken(token),
    preferred: prefer ? preferredIn(received.header('prefer')) : undefined,
  })

  return {
    target,
    call(call: ResolvedRequest): LoggedCall {
      const { logged, readsAlike, redact } = encodeExchange(call)
      const { preferred } = target(call)
      const read = () => withoutSecrets(readRequest(call, 0, { ...known(), keyOf: keyOfToken }), redact)
      return {
        ...logged,
        ...(!readsAlike && { request: read() }),
        ...(preferred !== undefined && { preferred }),
      }
    },
    exchange: (call: ResolvedRequest): LoggedExchange => encodeExchange(call).logged,
    reply({ received, credentials: { token } }: ResolvedRequest, { status, headers, body, meta }: Reply): Reply {
      const redact = redactorFor(token, received.headers(), headers)
      const { caller, forwarded } = meta
      return {
        status,
        headers: encodeHeaders(headers, redact),
        body: body && redact(body),
        meta: {
          ...meta,
          caller: caller && keyOfToken(token ?? caller),
          forwarded: forwarded && {
            by: forwarded.by,
            unchecked: forwarded.unchecked,
            violations: forwarded.violations && redactDetails(forwarded.violations, redact),
            rest: forwarded.rest && cutRestMarker,
          },
        },
      }
    },
  }
}

const cutRestMarker = {} as AsyncIterable<Uint8Array>

/** Returns false if Node.js has dropped a repeated header, because the parsed and the raw headers then differ. */
const isRegular = (received: ReceivedRequest): boolean => {
  const { body, bytes } = received
  const headers = received.headers()
  return (
    decidingHeaders.every((name) => received.header(name) === headerValue(headers, name)) &&
    (bytes === undefined || (typeof body === 'string' && Buffer.byteLength(body) === bytes.length))
  )
}

const decidingHeaders = ['authorization', 'content-type', 'content-encoding']

const isSchemeAlone = /^(?:bearer|basic|digest)?$/i

const redactDetails = (violations: readonly Violation[], redact: Redact): readonly Violation[] =>
  violations.map((violation) => ({ ...violation, detail: redact(violation.detail) }))

const decodeExchange = ({ method, path, query = '', headers, body }: LoggedExchange): ReceivedRequest => ({
  method,
  path,
  query,
  header: (name) => headerValue(headers, name),
  headers: () => headers,
  body: decodeBody(body),
})

export const decodeCall = ({ violations, ...logged }: LoggedExchange): ResolvedRequest => ({
  ...resolveRequest(decodeExchange(logged)),
  ...(violations !== undefined && { violations }),
})

export const decodeRequest = (
  { request, preferred }: LoggedCall,
  call: ResolvedRequest,
  time: number,
  known: KnownCallers,
): { readonly request: ServiceRequest; readonly target: FaultTarget } => {
  const read = request === undefined ? readRequest(call, time, known) : { ...request, time }
  return { request: read, target: { operation: read.operation, caller: read.caller.key, preferred } }
}

const omittedBodies = { 'too-large': bodyTooLarge, 'not-utf-8': bodyNotUtf8 } as const satisfies Record<string, Body>

type EncodedBody = string | undefined | { readonly omitted: keyof typeof omittedBodies }

export const encodeBody = (body: Body, redact: Redact = (text) => text): EncodedBody => {
  if (typeof body !== 'symbol') return body && redact(body)
  return { omitted: body === bodyTooLarge ? 'too-large' : 'not-utf-8' }
}

export const decodeBody = (body: EncodedBody): Body => (typeof body === 'object' ? omittedBodies[body.omitted] : body)
