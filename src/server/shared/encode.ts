import { minSecretLength } from '../../core/contract/caller.ts'
import type { Caller } from '../../core/contract/schemas.ts'
import { type Body, bodyNotUtf8, bodyTooLarge, type Exchange } from '../../core/http/exchange.ts'
import { headerEntries, headerValue, type RawHeaders } from '../../core/http/headers.ts'
import { hidden, type Redact, redactHeader, redactor, type Secrets, secretsIn } from '../../core/http/redact.ts'
import type { Forwarded, Reply } from '../../core/http/reply.ts'
import { markOf } from '../../core/http/secret-mark.ts'
import type { CallerRegistry } from '../../core/journal/callers.ts'
import type { CallerKeys } from '../../core/mock/command-row.ts'
import { authenticate, type Call } from '../../core/service/call.ts'
import { cutDeepLevels, isJsonObject, isNestedTooDeep, jsonOrUndefined } from '../../util/json.ts'
import type { LoggedExchange, LoggedForwarded, LoggedReply } from './machine.ts'

type EncoderOptions = {
  /** The registry of the copy, which a rebuild replaces. */
  readonly callers: () => CallerRegistry
  /** Whether the mock knows a key otherwise: plants or options name it. */
  readonly isKnown: (key: Caller) => boolean
  readonly keyOfToken: CallerKeys['keyOfToken']
}

export type Encoder = ReturnType<typeof createEncoder>

/** Writes requests and responses for the log, with keys of callers instead of tokens, and without other secrets. */
export const createEncoder = ({ callers, isKnown, keyOfToken }: EncoderOptions) => {
  const keyOfKnown = (text: string): Caller | undefined => {
    const key = keyOfToken(text)
    return callers().findPseudonym(text) !== undefined || isKnown(key) ? key : undefined
  }

  /** Hides the secrets of an exchange; a token becomes the key of its caller, which the journal shows as its name. */
  const redactorOf = (headers: RawHeaders, query: string): Redact => {
    const redact = redactor(() => {
      const own = tokenIn(headers)
      const found = new Map<string, string>(callers().secrets)
      for (const secret of secretsIn(headers, query))
        found.set(secret, secret === own ? keyOfToken(secret) : (keyOfKnown(secret) ?? hidden))
      return found satisfies Secrets
    }, keyOfKnown)
    const isExact = hasPlainSecrets(headers, query)
    return (text) => (isExact && !mayHaveSecret.test(text) ? text : redact(text))
  }

  const authorization = (value: string, redact: Redact): string => {
    const { token } = authenticate(value)
    if (token !== undefined) return value.slice(0, value.length - token.length) + keyOfToken(token)
    return isSchemeAlone.test(value) ? value : redactHeader('authorization', value, undefined, redact)
  }

  const encodeHeaders = (headers: RawHeaders, redact: Redact): RawHeaders =>
    headerEntries(headers).flatMap(([name, value]) => {
      const lower = name.toLowerCase()
      if (lower === 'authorization') return [name, authorization(value, redact)]
      return [redact(name), redactHeader(lower, value, undefined, redact)]
    })

  return {
    exchange({ exchange, operation }: Call): LoggedExchange {
      const { method, path, query } = exchange
      const given = exchange.headers()
      const redact = redactorOf(given, query)
      const body = bodyOf(exchange, operation === 'createPlant', redact)
      const own = tokenIn(given) ?? ''
      // Fields of a plant have other secrets as they are, so a digest tells nobody more.
      const others = body.shownBody === undefined ? [] : secretsIn(given, query)
      const marked = [...new Set([own, ...others])].filter(({ length }) => length >= minSecretLength)
      return {
        method,
        path: operation === undefined ? redact(path) : path,
        ...(query !== '' && { query: redact(query) }),
        headers: encodeHeaders(given, redact),
        ...body,
        ...(marked.length > 0 && { secretMarks: marked.map((secret) => markOf(secret, keyOfToken(secret))) }),
      }
    },
    reply({ exchange }: Call, { status, headers, body, meta }: Reply): LoggedReply {
      const redact = redactorOf([...exchange.headers(), ...headers], exchange.query)
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

const tokenIn = (headers: RawHeaders): Caller | undefined => authenticate(headerValue(headers, 'authorization')).token

const bodyOf = (
  { body }: Pick<Exchange, 'body'>,
  isPlant: boolean,
  redact: Redact,
): Pick<LoggedExchange, 'body' | 'shownBody' | 'size' | 'omitted'> => {
  const given = encodeBody(body)
  if (typeof body !== 'string') return typeof given === 'object' ? given : {}
  const redacted = redact(body)
  if (redacted === body) return { body }
  const size = Buffer.byteLength(body)
  return isPlant ? { body: withFields(body, redacted), shownBody: redacted, size } : { body: redacted, size }
}

/** The fields of a plant are data, and stay as they are; a create must not change them. */
const withFields = (body: string, redacted: string): string => {
  const [given, shown] = [jsonOrUndefined(body), jsonOrUndefined(redacted)]
  if (!isJsonObject(given)) return redacted
  const fields = Object.entries(given).filter(
    ([name, value]) => Object.hasOwn(fieldTypes, name) && typeof value === fieldTypes[name],
  )
  // JSON.stringify overflows the stack on deep values. A create depends on no value below the first level.
  const bounded = isNestedTooDeep(redacted) ? cutDeepLevels(shown) : shown
  return JSON.stringify({ ...(isJsonObject(bounded) && bounded), ...Object.fromEntries(fields) })
}

const fieldTypes: Readonly<Record<string, string>> = { id: 'number', name: 'string', tag: 'string' }

/**
 * Matches what a text with a secret has: a long word, an encoded character, an address with a password, or a name of
 * secrets. perf: the search for secrets costs more than a create (`npm run bench`, store).
 */
const mayHaveSecret = /[^\s"',;=]{16}|[%\\@]|&#|token|jwt|secret|pass|pwd|cred|auth|sig|assert|session|cookie|key/i

/** Whether each secret of an exchange is one long word, also where a form has decoded `+` as a space. */
const hasPlainSecrets = (headers: RawHeaders, query: string): boolean =>
  (query === '' || plainQuery.test(query)) && !headers.some((text) => text.includes('+'))

const plainQuery = /^limit=\d{0,12}$/

const encodeForwarded = ({ by, reason, violations, unchecked, rest }: Forwarded, redact: Redact): LoggedForwarded => ({
  by,
  ...(reason !== undefined && { reason }),
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
