import { hidden, type Redact, redactHeader, redactor, secretSet, secretsIn } from '../core/http/redact.ts'
import { fetchFailure } from '../util/errors.ts'
import { isNestedTooDeep, jsonOrUndefined } from '../util/json.ts'
import type { ClientOptions } from './options.ts'
import { type CallerRole, curlLine, type TestRequest } from './test-request.ts'

/** A response, and a command that repeats its request. Tokens are redacted in `headers` and `text`, not in `json`. */
export type TestResponse = {
  readonly as: CallerRole
  readonly curl: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body; `undefined` when it is not JSON or nested more than 500 levels deep. */
  readonly json: unknown
  /** Redacts tokens in parts of `json` that a report shows. */
  readonly redact: Redact
  /** True for an error with a 2xx status, from a service whose valid requests return lists and plants. */
  readonly isDisguised?: boolean
}

export const succeeded = ({ status, isDisguised = false }: TestResponse): boolean =>
  status >= 200 && status < 300 && !isDisguised

/** A response that says nothing about the request: too many of them, or a gateway without a service behind it. */
export const isPassing = ({ status }: TestResponse): boolean => [429, 502, 503, 504].includes(status)

/** Whether a token is not accepted that should be. */
export const isTokenRefused = ({ as, status }: TestResponse): boolean =>
  status === 401 && (as === 'caller' || as === 'other')

/** The request was refused for what it is. A token that is not accepted, a timeout and a rate limit say nothing. */
export const refused = (response: TestResponse): boolean => {
  const { status } = response
  return status >= 400 && status < 500 && status !== 408 && !isPassing(response) && !isTokenRefused(response)
}

/** A page for people, such as one about maintenance or a login. */
export const isPage = (response: TestResponse): boolean =>
  response.json === undefined &&
  /^text\/html\b/i.test(response.headers.get('content-type') ?? '') &&
  response.text !== ''

/** A success that is not just a page of HTML, such as a login. */
export const isGranted = (response: TestResponse): boolean => succeeded(response) && !isPage(response)

export const isServerError = (response: TestResponse): boolean => response.status >= 500 && !isPassing(response)

/** A response that may be about the token or the service instead of the request. */
export const isSuspicious = (response: TestResponse): boolean => {
  const { as, status } = response
  const isAboutToken = (status === 401 || status === 403) && (as === 'caller' || as === 'other')
  const isElsewhere = (status >= 300 && status < 400) || (succeeded(response) && isPage(response))
  return isAboutToken || isServerError(response) || (isElsewhere && as === 'caller')
}

/** The elements of a list; none for a body that is not an array. */
export const elementsOf = ({ json }: TestResponse): readonly unknown[] => (Array.isArray(json) ? json : [])

export const lengthOf = (list: TestResponse): number => elementsOf(list).length

/** The reason why nothing can be concluded about a rule or an assumption, such as a request that was not sent. */
export class InconclusiveError extends Error {
  override readonly name = 'InconclusiveError'
}

/** No usable response: none, an incomplete one, or one beyond the limit of time. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError'
  readonly curl: string

  constructor(message: string, curl: string, options: ErrorOptions) {
    super(message, options)
    this.curl = curl
  }
}

/** A handler for `catch`: returns a value instead of an error of these classes, and throws any other. */
export const insteadOf =
  <Value>(value: Value, ...classes: readonly (typeof InconclusiveError | typeof NoResponseError)[]) =>
  (error: unknown): Value => {
    if (classes.some((one) => error instanceof one)) return value
    throw error
  }

/**
 * Returns a function that sends one request and reads the whole response. Redirects are not followed, so tokens reach no
 * other host. It throws NoResponseError, or InconclusiveError for a response that is too large; after an abort of `signal`, its reason.
 */
export const createSender = (options: ClientOptions): ((request: TestRequest) => Promise<TestResponse>) => {
  const { baseUrl, timeout, signal: stop } = options
  const redact = redactorFor(options)

  const receive = async (request: TestRequest, curl: () => string, signal: AbortSignal): Promise<TestResponse> => {
    const { method, path, body } = request
    const response = await options.fetch(`${baseUrl}${path}`, {
      method,
      headers: headersOf(request, options),
      // As bytes: for a string, fetch adds a Content-Type.
      ...(body !== undefined && { body: new TextEncoder().encode(body) }),
      redirect: 'manual',
      signal,
    })
    const text = response.body === null ? '' : await readText(response.body, signal)
    const shownText = lazily(() => redact(text))
    return {
      as: request.as,
      get curl() {
        return curl()
      },
      status: response.status,
      headers: new Headers(
        [...response.headers].map(([name, value]) => [name, ascii(redactHeader(name, value, undefined, redact))]),
      ),
      get text() {
        return shownText()
      },
      json: isNestedTooDeep(text) ? undefined : jsonOrUndefined(text),
      redact,
    }
  }

  return async (request) => {
    stop.throwIfAborted()
    const curl = lazily(() => curlLine(request, baseUrl, Object.keys(options.headers)))
    // `AbortSignal.any` would keep each request in memory while its signal has listeners.
    const ending = new AbortController()
    const { signal } = ending
    const end = () => ending.abort(stop.reason)
    stop.addEventListener('abort', end)
    const timer = setTimeout(end, timeout)
    // A given fetch may ignore its signal.
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })
    try {
      return await Promise.race([receive(request, curl, signal), aborted])
    } catch (error) {
      if (stop.aborted || error instanceof InconclusiveError) throw error
      const reason = signal.aborted ? `no complete response within ${timeout / 1000} s` : fetchFailure(error)
      throw new NoResponseError(redact(reason), curl(), { cause: error })
    } finally {
      clearTimeout(timer)
      stop.removeEventListener('abort', end)
    }
  }
}

/** Few of the responses are shown, and the text of a large one takes longer to prepare than to send. */
const lazily = (make: () => string): (() => string) => {
  let made: string | undefined
  return () => (made ??= make())
}

const headersOf = ({ as, scheme = 'Bearer', headers }: TestRequest, options: ClientOptions): Record<string, string> => {
  const token = as === 'anonymous' ? undefined : options.tokens[as]
  return { ...options.headers, ...(token !== undefined && { authorization: `${scheme} ${token}` }), ...headers }
}

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
      // Not awaited: cancelling a stream that never ends may never finish.
      cancel()
      throw new InconclusiveError(`the response is larger than ${maxBodyMebibytes} MiB`)
    }
    text += decoder.decode(chunk.value, { stream: true })
  }
  return text + decoder.decode()
}

/** Tokens of one or two characters occur in any text; replacing them would make it unreadable. */
const minTokenLength = 3

/** `Headers` takes no character beyond Latin-1. */
const ascii = (text: string): string => text.replaceAll(hidden, '...')

/** Replaces tokens by `$TOKEN` and `$OTHER_TOKEN`, and hides secrets in headers: services repeat what they receive. */
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
