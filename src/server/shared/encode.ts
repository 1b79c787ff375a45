import type { CallerKey, Token } from '../../core/contract/caller.ts'
import { type Body, bodyNotUtf8, bodyTooLarge, type Exchange } from '../../core/http/exchange.ts'
import { headerEntries, headerValue, type RawHeaders } from '../../core/http/headers.ts'
import { type Redact, redactHeader } from '../../core/http/redact.ts'
import type { Forwarded, Reply } from '../../core/http/reply.ts'
import type { CallerRegistry } from '../../core/journal/callers.ts'
import { redactorOf } from '../../core/journal/redact.ts'
import type { CallerKeys } from '../../core/mock/command-row.ts'
import { authenticate, type Call } from '../../core/service/call.ts'

/** A request as the log has it: without tokens. */
export type LoggedExchange = Pick<Exchange, 'method' | 'path'> & {
  readonly query?: string
  readonly headers: RawHeaders
  readonly body?: string
  /** The size of the received body in bytes, if redaction changed it. */
  readonly size?: number
  readonly omitted?: 'too-large' | 'not-utf-8'
}

/** A response of something else, as the log has it: without tokens, and without bytes. */
export type LoggedReply = Pick<Reply, 'status' | 'headers' | 'body'> & {
  readonly meta: Omit<Reply['meta'], 'forwarded' | 'caller'> & {
    readonly caller: CallerKey | undefined
    readonly forwarded?: LoggedForwarded
  }
}

export type LoggedForwarded = Pick<Forwarded, 'by' | 'violations' | 'unchecked'> & {
  readonly truncated: boolean
}

type EncoderOptions = {
  /** They know the tokens of this replica; the log has keys instead. */
  readonly callers: CallerRegistry
  readonly keyOfToken: CallerKeys['keyOfToken']
}

export type Encoder = ReturnType<typeof createEncoder>

/**
 * Writes requests and responses for the log: redacted as the journal shows them, with the key of the caller in `Authorization`.
 * Only the replica that receives a request has its tokens.
 */
export const createEncoder = ({ callers, keyOfToken }: EncoderOptions) => {
  const encodeHeaders = (headers: RawHeaders, redact: Redact): RawHeaders =>
    headerEntries(headers).flatMap(([mixedCase, value]) => {
      const name = mixedCase.toLowerCase()
      const { token } = authenticate(name === 'authorization' ? value : '')
      if (token !== undefined) return [mixedCase, value.slice(0, value.length - token.length) + keyOfToken(token)]
      const isPlain = name === 'authorization' && isSchemeAlone.test(value)
      return [redact(mixedCase), isPlain ? value : redactHeader(name, value, undefined, redact)]
    })

  /** A token becomes the key of its caller, which the journal shows as its name. */
  const redactorFor = (token: Token | undefined, headers: RawHeaders, responseHeaders: RawHeaders = []): Redact => {
    const isCaller = (secret: string) => secret === token || callers.findPseudonym(secret) !== undefined
    return redactorOf(
      { headers, responseHeaders },
      { secrets: callers.secrets, findPseudonym: (secret) => (isCaller(secret) ? keyOfToken(secret) : undefined) },
    )
  }

  return {
    exchange({ exchange, operation, credentials: { token } }: Call): LoggedExchange {
      if (token !== undefined) callers.learn(token)
      const { method, path, query } = exchange
      const headers = exchange.headers()
      const redact = redactorFor(token, headers)
      return {
        method,
        path: operation === undefined ? redact(path) : path,
        ...(query !== '' && { query: redact(query) }),
        headers: encodeHeaders(headers, redact),
        ...bodyOf(exchange, redact),
      }
    },
    reply({ exchange, credentials: { token } }: Call, { status, headers, body, meta }: Reply): LoggedReply {
      const redact = redactorFor(token, exchange.headers(), headers)
      const { forwarded, caller, ...rest } = meta
      return {
        status,
        headers: encodeHeaders(headers, redact),
        body: body === undefined ? undefined : redact(body),
        meta: {
          ...rest,
          caller: caller === undefined ? undefined : keyOfToken(caller),
          ...(forwarded !== undefined && { forwarded: encodeForwarded(forwarded, redact) }),
        },
      }
    },
  }
}

/** A response names what is missing after it. */
const isSchemeAlone = /^(?:bearer|basic|digest)?$/i

const bodyOf = (
  { body }: Pick<Exchange, 'body'>,
  redact: Redact,
): Pick<LoggedExchange, 'body' | 'size' | 'omitted'> => {
  const encoded = encodeBody(body)
  if (encoded === undefined || typeof encoded === 'object') return encoded ?? {}
  const redacted = redact(encoded)
  return redacted === encoded ? { body: encoded } : { body: redacted, size: Buffer.byteLength(encoded) }
}

const encodeForwarded = ({ by, violations, unchecked, rest }: Forwarded, redact: Redact): LoggedForwarded => ({
  by,
  unchecked,
  violations: violations?.map((violation) => ({ ...violation, detail: redact(violation.detail) })),
  truncated: rest !== undefined,
})

/** The exchange that an entry of the log describes. */
export const decodeExchange = ({ query = '', headers, body, omitted, ...logged }: LoggedExchange): Exchange => ({
  ...logged,
  query,
  header: (name) => headerValue(headers, name),
  headers: () => headers,
  body: decodeBody(omitted === undefined ? body : { omitted }),
})

const omittedBodies = { 'too-large': bodyTooLarge, 'not-utf-8': bodyNotUtf8 } as const satisfies Record<string, Body>

/** A body as data: its text, or why it is missing. */
type EncodedBody = string | undefined | { readonly omitted: keyof typeof omittedBodies }

export const encodeBody = (body: Body): EncodedBody => {
  if (typeof body !== 'symbol') return body
  return { omitted: body === bodyTooLarge ? 'too-large' : 'not-utf-8' }
}

export const decodeBody = (body: EncodedBody): Body => (typeof body === 'object' ? omittedBodies[body.omitted] : body)

export const decodeReply = ({ status, headers, body, meta }: LoggedReply): Reply => {
  const { forwarded, ...rest } = meta
  return { status, headers, body, meta: { ...rest, forwarded: forwarded && decodeForwarded(forwarded) } }
}

const decodeForwarded = ({ truncated, ...forwarded }: LoggedForwarded): Forwarded => ({
  ...forwarded,
  ...(truncated && { rest: noBytes }),
})

/** Stands for the part of a body that is not kept. */
const noBytes: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }),
}
