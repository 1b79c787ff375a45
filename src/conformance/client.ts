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

/** A request with the answer to it. */
export type Seen = {
  readonly ask: Ask
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; `undefined` where it is none. */
  readonly json: unknown
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

export interface Client {
  send(ask: Ask): Promise<Seen>
  /** For each list and create of `caller`, in order, whether it was answered 429. */
  readonly limited: readonly boolean[]
  readonly requests: number
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
  let requests = 0
  let unanswered = 0

  const once = async (ask: Ask): Promise<Seen> => {
    if (unanswered >= patience)
      throw new NoAnswerError(
        `the target gave no answer ${patience} times in a row, so it was not asked again`,
        ask,
      )
    requests++
    try {
      const seen = await exchange(ask, options)
      unanswered = 0
      return seen
    } catch (error) {
      unanswered++
      throw error
    }
  }

  return {
    limited,
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
        if (!isLimited || attempt === mostRetries) return seen
        const seconds = Number(seen.headers.get('retry-after') ?? 1)
        await options.wait(Math.min(longestWait, Number.isFinite(seconds) ? seconds * 1000 : 1000))
      }
    },
  }
}

/** Requests for the two operations alone: what else a service counts towards a rate is its own affair. */
const isCounted = ({ as = 'caller', method = 'GET' }: Ask): boolean =>
  as === 'caller' && (method === 'GET' || method === 'POST')

const exchange = async (ask: Ask, options: ClientOptions): Promise<Seen> => {
  const { method = 'GET', path = '/plants', body } = ask
  const deadline = AbortSignal.timeout(options.timeout)
  const signal = options.signal === undefined ? deadline : AbortSignal.any([deadline, options.signal])
  try {
    const response = await options.fetch(`${options.baseUrl}${path}`, {
      method,
      headers: headersOf(ask, options),
      // As bytes, so that no Content-Type is added by itself.
      ...(body !== undefined && { body: new TextEncoder().encode(body) }),
      redirect: 'manual',
      signal,
    })
    const text = await readText(response, ask)
    return { ask, status: response.status, headers: response.headers, text, json: parse(text) }
  } catch (error) {
    if (error instanceof NoAnswerError || options.signal?.aborted) throw error
    const reason = deadline.aborted
      ? `no whole answer came within ${options.timeout / 1000} s`
      : reasonOf(error)
    throw new NoAnswerError(reason, ask, { cause: error })
  }
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

const readText = async (response: Response, ask: Ask): Promise<string> => {
  if (response.body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  const reader = response.body.getReader()
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    size += chunk.value.byteLength
    if (size > mostBytes) {
      await reader.cancel().catch(() => undefined)
      throw new NoAnswerError(`the answer is larger than ${mostBytes / 1024 / 1024} MiB`, ask)
    }
    text += decoder.decode(chunk.value, { stream: true })
  }
  return text + decoder.decode()
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
