import type { Caller } from '../contract/schemas.ts'
import { minSecretLength } from '../http/bearer.ts'
import { type Body, bodyNotUtf8, bodyTooLarge, type Exchange } from '../http/exchange.ts'
import { headerEntries, headerValue, type RawHeaders } from '../http/headers.ts'
import { hidden, type Redact, redactHeader, redactor, type Secrets, secretsIn } from '../http/redact.ts'
import type { Forwarded, Reply } from '../http/reply.ts'
import type { CallerRegistry } from '../journal/callers.ts'
import { authenticate } from '../service/authenticate.ts'
import type { Call } from '../service/call.ts'
import { cutDeepLevels, isJsonObject, isNestedTooDeep, jsonOrUndefined } from '../util/json.ts'
import type { LoggedExchange, LoggedForwarded, LoggedReply } from './command.ts'

/** Writes requests and responses for the log, with keys of callers instead of tokens, and without other secrets. */
export type Encoder = {
  exchange(call: Call): LoggedExchange
  reply(call: Call, reply: Reply): LoggedReply
}

type EncoderOptions = {
  /** The registry of the copy, which a rebuild replaces. */
  readonly callers: () => CallerRegistry
  /** Whether the mock knows a key otherwise: plants or options name it. */
  readonly isKnown: (key: Caller) => boolean
  /** See CallerKeys. */
  readonly keyOfToken: (token: Caller) => Caller
}

/** Bounds the cache of headers, which any client can fill. */
const maxCachedHeaders = 1_000
const maxCachedLength = 4_000

export const createEncoder = ({ callers, isKnown, keyOfToken }: EncoderOptions): Encoder => {
  // perf: clients repeat their headers; searching them for secrets costs more than the rest (`npm run bench`, store).
  let cache = new Map<string, RawHeaders>()
  let knownCallers = 0

  const keyOfKnown = (text: string): Caller | undefined => {
    const key = keyOfToken(text)
    return callers().findPseudonym(text) !== undefined || isKnown(key) ? key : undefined
  }

  /** Hides the secrets of an exchange; a token becomes the key of its caller, which the journal shows as its name. */
  const redactorOf = (headers: RawHeaders, query: string): Redact =>
    redactor(() => {
      const own = authenticate(headerValue(headers, 'authorization')).token
      const found = new Map<string, string>()
      for (const [token, name] of callers().secrets) found.set(token, name)
      for (const secret of secretsIn(headers, query))
        found.set(secret, secret === own ? keyOfToken(secret) : (keyOfKnown(secret) ?? hidden))
      return found satisfies Secrets
    }, keyOfKnown)

  const authorization = (value: string, redact: Redact): string => {
    const { token } = authenticate(value)
    if (token !== undefined) return value.slice(0, value.length - token.length) + keyOfToken(token)
    return value.length < minSecretLength ? value : redactHeader('authorization', value, undefined, redact)
  }

  const encodeHeaders = (headers: RawHeaders, redact: Redact): RawHeaders =>
    headerEntries(headers).flatMap(([name, value]) => {
      const lower = name.toLowerCase()
      if (lower === 'authorization') return [name, authorization(value, redact)]
      return [redact(name), value.length < minSecretLength ? value : redactHeader(lower, value, undefined, redact)]
    })

  const headersOf = (headers: RawHeaders, redact: Redact): RawHeaders => {
    const { size } = callers()
    if (size !== knownCallers || cache.size >= maxCachedHeaders) {
      cache = new Map()
      knownCallers = size
    }
    const text = headers.join('\n')
    const known = cache.get(text)
    if (known !== undefined) return known
    const encoded = encodeHeaders(headers, redact)
    if (text.length <= maxCachedLength) cache.set(text, encoded)
    return encoded
  }

  return {
    exchange({ exchange, operation }) {
      const { method, path, query } = exchange
      const given = exchange.headers()
      const redact = redactorOf(given, query)
      const body = bodyOf(exchange, operation === 'createPlant', redact)
      return {
        method,
        path: operation === undefined ? redact(path) : path,
        ...(query !== '' && { query: mayHaveSecret(query) ? redact(query) : query }),
        headers: headersOf(given, redact),
        ...body,
      }
    },
    reply({ exchange }, { status, headers, body, meta }) {
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

const bodyOf = (
  { body }: Pick<Exchange, 'body'>,
  isPlant: boolean,
  redact: Redact,
): Pick<LoggedExchange, 'body' | 'size' | 'omitted'> => {
  if (body === undefined) return {}
  if (body === bodyTooLarge) return { omitted: 'too-large' }
  if (body === bodyNotUtf8) return { omitted: 'not-utf-8' }
  if (!mayHaveSecret(body)) return { body }
  const redacted = redact(body)
  if (redacted === body) return { body }
  return { body: isPlant ? withFields(body, redacted) : redacted, size: Buffer.byteLength(body) }
}

/** The fields of a plant are data, and stay as they are; a create must not change them. */
const withFields = (body: string, redacted: string): string => {
  const [given, shown] = [jsonOrUndefined(body), jsonOrUndefined(redacted)]
  if (!isJsonObject(given) || !isJsonObject(shown)) return redacted
  const fields = Object.entries(given).filter(
    ([name, value]) => Object.hasOwn(fieldTypes, name) && typeof value === fieldTypes[name],
  )
  // JSON.stringify overflows the stack on deep values. A create depends on no value below the first level.
  const bounded = isNestedTooDeep(redacted) ? (cutDeepLevels(shown) as typeof shown) : shown
  return JSON.stringify({ ...bounded, ...Object.fromEntries(fields) })
}

const fieldTypes: Readonly<Record<string, string>> = { id: 'number', name: 'string', tag: 'string' }

/**
 * Whether a text may have a secret: a long word, or a name that secrets have.
 * perf: the search for secrets costs more than a create (`npm run bench`, store).
 */
const mayHaveSecret = (text: string): boolean => longWord.test(text) || secretName.test(text)

const longWord = /[^\s"',;{}[\]]{16,}/
const secretName = /token|jwt|secret|pass|pwd|cred|auth|sig|assert|session|cookie|key/i

const encodeForwarded = ({ by, reason, violations, unchecked, rest }: Forwarded, redact: Redact): LoggedForwarded => ({
  by,
  ...(reason !== undefined && { reason }),
  ...(unchecked !== undefined && { unchecked }),
  ...(violations !== undefined && {
    violations: violations.map((violation) => ({ ...violation, detail: redact(violation.detail) })),
  }),
  isCut: rest !== undefined,
})

/** The exchange that an entry of the log describes. */
export const decodeExchange = ({ method, path, query = '', headers, body, omitted }: LoggedExchange): Exchange => ({
  method,
  path,
  query,
  header: (name) => headerValue(headers, name),
  headers: () => headers,
  body: omitted === undefined ? body : omittedBodies[omitted],
})

const omittedBodies = { 'too-large': bodyTooLarge, 'not-utf-8': bodyNotUtf8 } as const satisfies Record<string, Body>

export const decodeReply = ({ status, headers, body, meta }: LoggedReply): Reply => {
  const { forwarded, ...rest } = meta
  return { status, headers, body, meta: { ...rest, forwarded: forwarded && decodeForwarded(forwarded) } }
}

const decodeForwarded = ({ isCut, ...forwarded }: LoggedForwarded): Forwarded => ({
  ...forwarded,
  ...(isCut && { rest: noBytes }),
})

/** Stands for the part of a body that is not kept. */
const noBytes: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }),
}
