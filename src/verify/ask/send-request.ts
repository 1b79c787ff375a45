import { hidden, type Redact, redactHeader, redactor, secretSet, secretsIn } from '../../core/http/redact.ts'
import { fetchFailure } from '../../util/errors.ts'
import { isNestedTooDeep, jsonOrUndefined } from '../../util/json.ts'
import type { TestResponse } from '../read/response.ts'
import { curlLine, type TestRequest } from '../read/test-request.ts'
import type { ClientOptions } from './options.ts'

/** Thrown if a rule or an assumption cannot be decided, for example because a request was not sent. */
export class InconclusiveError extends Error {
  override readonly name = 'InconclusiveError'
}

export class NoResponseError extends Error {
  override readonly name = 'NoResponseError'
  readonly curl: () => string

  constructor(message: string, curl: () => string, options: ErrorOptions) {
    super(message, options)
    this.curl = curl
  }
}

export const insteadOf =
  <Value>(value: Value, ...classes: readonly (typeof InconclusiveError | typeof NoResponseError)[]) =>
  (error: unknown): Value => {
    if (classes.some((one) => error instanceof one)) return value
    throw error
  }

/** Creates a function that sends a request and follows no redirects, because no other host may receive the token. */
export const createSender = (options: ClientOptions): ((request: TestRequest) => Promise<TestResponse>) => {
  const { baseUrl, timeout, signal: stop } = options
  const redact = redactorFor(options)

  let last = { text: '', json: undefined as unknown }
  const parsed = (text: string): unknown => {
    if (text.length > minLarge && text === last.text) return last.json
    const json = isNestedTooDeep(text) ? undefined : jsonOrUndefined(text)
    if (text.length > minLarge) last = { text, json }
    return json
  }

  const receive = async (request: TestRequest, curl: () => string, signal: AbortSignal): Promise<TestResponse> => {
    const { method, path, body } = request
    const response = await options.fetch(`${baseUrl}${path}`, {
      method,
      headers: headersOf(request, options),
      // Sends bytes, because `fetch` adds a Content-Type to a body that is a string.
      ...(body !== undefined && { body: new TextEncoder().encode(body) }),
      redirect: 'manual',
      signal,
    })
    const text = response.body === null ? '' : await readText(response.body, signal)
    const shownText = lazily(() => redact(text))
    return {
      as: request.as,
      curl,
      path: path.split('?', 1)[0] ?? path,
      status: response.status,
      headers: new Headers(
        [...response.headers].map(([name, value]) => [name, ascii(redactHeader(name, value, undefined, redact))]),
      ),
      get text() {
        return shownText()
      },
      json: parsed(text),
      redact,
    }
  }

  return async (request) => {
    stop.throwIfAborted()
    const curl = commandOf(request, options)
    // Does not use `AbortSignal.any`, because a combined signal with listeners would keep its request in memory.
    const ending = new AbortController()
    const { signal } = ending
    const end = () => ending.abort(stop.reason)
    stop.addEventListener('abort', end)
    const timer = setTimeout(end, timeout)
    // Also rejects here on abort, because a custom `fetch` may ignore `signal`.
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })
    try {
      return await Promise.race([receive(request, curl, signal), aborted])
    } catch (error) {
      if (stop.aborted || error instanceof InconclusiveError) throw error
      const reason = signal.aborted ? `no complete response within ${timeout / 1000} s` : fetchFailure(error)
      throw new NoResponseError(redact(reason), curl, { cause: error })
    } finally {
      clearTimeout(timer)
      stop.removeEventListener('abort', end)
    }
  }
}

/** Runs `make` on first use, because reports show few responses, and redacting a large response is slow. */
const lazily = (make: () => string): (() => string) => {
  let made: string | undefined
  return () => (made ??= make())
}

/** Stands outside of the sender, whose closures would keep the abort signal of each request in memory. */
const commandOf = (request: TestRequest, { baseUrl, headers }: ClientOptions): (() => string) =>
  lazily(() => curlLine(request, baseUrl, Object.keys(headers)))

const headersOf = ({ as, scheme = 'Bearer', headers }: TestRequest, options: ClientOptions): Record<string, string> => {
  const token = as === 'anonymous' ? undefined : options.tokens[as]
  return { ...options.headers, ...(token !== undefined && { authorization: `${scheme} ${token}` }), ...headers }
}

const minLarge = 100_000
const maxBodyMebibytes = 8

const readText = async (stream: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<string> => {
  const decoder = new TextDecoder()
  const reader = stream.getReader()
  const cancel = () => reader.cancel().catch(() => undefined)
  signal.addEventListener('abort', cancel)
  let text = ''
  let size = 0
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    size += chunk.value.byteLength
    if (size > maxBodyMebibytes * 1024 * 1024) {
      // Does not await `cancel`, because cancelling a stream that never ends may never finish.
      cancel()
      throw new InconclusiveError(`the response is larger than ${maxBodyMebibytes} MiB`)
    }
    text += decoder.decode(chunk.value, { stream: true })
  }
  return text + decoder.decode()
}

/** Redacting shorter tokens would make reports unreadable, because short tokens occur in ordinary text. */
const minTokenLength = 3

/** Writes `…`, the mark of a redacted secret, as `...`, because `Headers` throws for characters beyond Latin-1. */
const ascii = (text: string): string => text.replaceAll(hidden, '...')

/** Removes tokens and secret headers from responses: a service may echo both, and reports must not reveal them. */
const redactorFor = ({ tokens: { caller, other = '' }, headers }: ClientOptions): Redact => {
  const [tokens, others] = [secretSet(minTokenLength), secretSet()]
  for (const token of [caller, other]) tokens.add(token)
  for (const secret of secretsIn(Object.entries(headers).flat())) others.add(secret)
  const names = new Map([
    [other, '$OTHER_TOKEN'],
    [caller, '$TOKEN'],
  ])
  return redactor(
    () => [tokens, others],
    (secret) => names.get(secret),
  )
}
