import type { NewPlant } from '../contract/schemas.ts'

/** Whatever answers requests like `fetch`: the global one, a mock's, or one of the user's own. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>

/** Who asks: one of the two callers, nobody at all, or a caller with a token that was made up. */
export type Asker = 'caller' | 'other' | 'nobody' | 'stranger'

/** One request of the suite, without its token. */
export type Ask = {
  readonly method?: string
  /** Behind the base URL. Default: `/plants`. */
  readonly path?: string
  readonly as?: Asker
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A request with the answer to it. Services repeat what they were sent: tokens in `headers` and `text` are hidden. */
export type Seen = {
  readonly ask: Ask
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON, as it came; `undefined` where it is none. */
  readonly json: unknown
  /** Puts names in the place of tokens, in what is shown of `json`. */
  readonly hide: (text: string) => string
}

export type ClientOptions = {
  readonly fetch: FetchLike
  readonly baseUrl: string
  readonly tokens: { readonly caller: string; readonly other?: string | undefined; readonly stranger: string }
  readonly headers: Readonly<Record<string, string>>
  /** How long one answer may take, in milliseconds. */
  readonly timeout: number
  /** Waits so many milliseconds before a request that was answered 429 is sent again. */
  readonly wait: (milliseconds: number) => Promise<void>
  /** The most creates that may succeed; after them, none is sent. */
  readonly mostCreated: number
  readonly signal?: AbortSignal | undefined
}

/** The target gave no usable answer: none at all, none in time, an endless one. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
  readonly ask: Ask

  constructor(message: string, ask: Ask, options?: ErrorOptions) {
    super(message, options)
    this.ask = ask
  }
}

/** The request was not sent, or was answered 429 to the end: that shows nothing, good or bad. */
export class NoVerdictError extends Error {
  override readonly name = 'NoVerdictError'
}

export interface Client {
  send(ask: Ask): Promise<Seen>
  /** For each list and create of `caller`, in order, whether it was answered 429. */
  readonly limited: readonly boolean[]
  readonly requests: number
  /** How many creates succeeded, whoever asked. */
  readonly created: number
  /** Whether the check was stopped from outside. */
  readonly stopped: boolean
}

/** The most that is read of one answer, in bytes. */
const mostBytes = 8 * 1024 * 1024
/** How long a `Retry-After` is heeded, in milliseconds, and how often. */
const longestWait = 5_000
const mostRetries = 3
/** After so many requests in a row without an answer, no more are sent. */
const patience = 3

/** Sends the requests of the suite, one at a time; no redirect is followed, so tokens go to the target alone. */
export const createClient = (options: ClientOptions): Client => {
  const limited: boolean[] = []
  const hide = hideTokens(options.tokens)
  let requests = 0
  let created = 0
  let unanswered = 0

  const once = async (ask: Ask): Promise<Seen> => {
    if (unanswered >= patience)
      throw new NoVerdictError(
        `the target gave no usable answer ${patience} times in a row, so it was not asked again`,
      )
    if (ask.method === 'POST' && created >= options.mostCreated)
      throw new NoVerdictError(`${created} plants have been created, and no more are to be`)
    requests++
    try {
      const seen = await exchange(ask, options, hide)
      if (ask.method === 'POST' && succeeded(seen)) created++
      if (seen.status !== 429) unanswered = 0
      return seen
    } catch (error) {
      unanswered++
      throw error
    }
  }

  return {
    limited,
    get created() {
      return created
    },
    get stopped() {
      return options.signal?.aborted ?? false
    },
    get requests() {
      return requests
    },
    async send(ask) {
      for (let attempt = 0; ; attempt++) {
        const seen = await once(ask)
        const isLimited = seen.status === 429
        if (isCounted(ask)) limited.push(isLimited)
        if (!isLimited) return seen
        if (attempt === mostRetries) {
          unanswered++
          throw new NoVerdictError(`the answer is 429 even after ${mostRetries} waits`)
        }
        const seconds = Number(seen.headers.get('retry-after') ?? 1)
        await options.wait(Math.min(longestWait, Number.isFinite(seconds) ? seconds * 1000 : 1000))
      }
    },
  }
}

/** Requests for the two operations alone: what else a service counts towards a rate is its own affair. */
const isCounted = ({ as = 'caller', method = 'GET' }: Ask): boolean =>
  as === 'caller' && (method === 'GET' || method === 'POST')

const exchange = async (ask: Ask, options: ClientOptions, hide: (text: string) => string): Promise<Seen> => {
  const { method = 'GET', path = '/plants', body } = ask
  const { timeout, signal: stop } = options
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeout)
  const signal = stop === undefined ? late.signal : AbortSignal.any([late.signal, stop])
  // Not every fetch heeds its signal.
  const cutOff = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  cutOff.catch(() => undefined)
  try {
    signal.throwIfAborted()
    const asked = options.fetch(`${options.baseUrl}${path}`, {
      method,
      headers: headersOf(ask, options),
      // As bytes, so that no Content-Type is added by itself.
      ...(body !== undefined && { body: new TextEncoder().encode(body) }),
      redirect: 'manual',
      signal,
    })
    const response = await Promise.race([asked, cutOff])
    const text = await readText(response, ask, cutOff)
    return {
      ask,
      status: response.status,
      headers: new Headers([...response.headers].map(([name, value]) => [name, hide(value)])),
      text: hide(text),
      json: parse(text),
      hide,
    }
  } catch (error) {
    if (error instanceof NoAnswerError || stop?.aborted) throw error
    const reason = late.signal.aborted ? `no whole answer came within ${timeout / 1000} s` : reasonOf(error)
    throw new NoAnswerError(hide(reason), ask, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

/** Tokens of one or two characters are words of any text, and nobody's secret. */
const hideTokens = ({ caller, other }: ClientOptions['tokens']): ((text: string) => string) => {
  const names = [
    [caller, '$TOKEN'],
    [other ?? '', '$OTHER_TOKEN'],
  ] as const
  // In each form that a header or JSON may give it; the longer one first, which may begin with the other.
  const secrets = names
    .filter(([token]) => token.length > 2)
    .flatMap(([token, name]) =>
      [token, encodeURIComponent(token), token.replaceAll('/', '\\/')].map((form) => [form, name] as const),
    )
    .sort(([a], [b]) => b.length - a.length)
  return (text) => secrets.reduce((hidden, [token, name]) => hidden.replaceAll(token, () => name), text)
}

const headersOf = ({ as = 'caller', headers }: Ask, options: ClientOptions): Record<string, string> => {
  const token = as === 'nobody' ? undefined : options.tokens[as]
  return { ...options.headers, ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers }
}

/** `fetch failed` says nothing; what is behind it does. */
const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error
  const inner = cause instanceof Error ? (cause as NodeJS.ErrnoException) : undefined
  return inner === undefined ? message : inner.message || inner.code || message
}

const readText = async (response: Response, ask: Ask, cutOff: Promise<never>): Promise<string> => {
  if (response.body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  const reader = response.body.getReader()
  const next = () => Promise.race([reader.read(), cutOff])
  try {
    for (let chunk = await next(); !chunk.done; chunk = await next()) {
      size += chunk.value.byteLength
      if (size > mostBytes)
        throw new NoAnswerError(`the answer is larger than ${mostBytes / 1024 / 1024} MiB`, ask)
      text += decoder.decode(chunk.value, { stream: true })
    }
    return text + decoder.decode()
  } catch (error) {
    // Not waited for: a stream that does not end may not be cancelled either.
    reader.cancel().catch(() => undefined)
    throw error
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** A create of `body`, as the contract shows it. */
export const createAsk = (body: Partial<NewPlant> | string | object, more: Partial<Ask> = {}): Ask => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
  ...more,
})

export const listAsk = (query = '', as: Asker = 'caller'): Ask => ({ path: `/plants${query}`, as })

export const succeeded = ({ status }: Seen): boolean => status >= 200 && status < 300
export const refused = ({ status }: Seen): boolean => status >= 400 && status < 500

const variables: Readonly<Record<Asker, string>> = {
  caller: 'Bearer $TOKEN',
  other: 'Bearer $OTHER_TOKEN',
  stranger: 'Bearer made-up',
  nobody: '',
}

/** A curl line that repeats a request; tokens stay variables. Long bodies are cut, and say so. */
export const curlLine = (ask: Ask, baseUrl: string): string => {
  const { method = 'GET', path = '/plants', as = 'caller', headers = {}, body } = ask
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const data =
    body !== undefined && body.length > 500 ? `${body.slice(0, 500)}… (${body.length} characters)` : body
  return [
    'curl -i',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(as === 'nobody' || 'authorization' in headers ? [] : [`-H "Authorization: ${variables[as]}"`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(data === undefined ? [] : [`--data-raw ${quote(data)}`]),
    quote(`${baseUrl}${path}`),
  ].join(' ')
}
