import { isJsonObject, jsonOrUndefined } from '../util/json.ts'
import type { ClientOptions } from './options.ts'
import { createSender, NoResponseError, succeeded, type TestResponse } from './send-request.ts'
import { type CallerRole, listRequest, namePrefix, type TestRequest } from './test-request.ts'

/** The reason why nothing can be concluded about a rule or an assumption, such as a request that was not sent. */
export class InconclusiveError extends Error {
  override readonly name = 'InconclusiveError'
}

/** A plant that the check created, as it was sent. */
export type CreatedPlant = {
  readonly id?: unknown
  readonly name?: unknown
  readonly tag?: unknown
  /** Who created it. */
  readonly as: CallerRole
  /** False when the response does not tell whether the plant was created: a redirect, a server error, or none. */
  readonly certain: boolean
}

/** Created plants in one check, at most: enough for a list of 101 plants and for the other probes. */
export const maxCreated = 125
/** In milliseconds. A service that asks for a longer pause is left alone. */
const maxRetryWait = 60_000
/** In milliseconds, for all pauses of a check together. */
const maxWaited = 300_000
const maxRetries = 3
/** After this many failures in a row, the service is left alone. */
const maxFailuresInRow = 3

/** A response that says nothing about the request: too many of them, or a gateway without a service behind it. */
const isPassing = ({ status }: TestResponse): boolean => [429, 502, 503, 504].includes(status)

/** Sends the requests of a check, one at a time. */
export class Client {
  /** For each list and create of `caller`, in order: whether the response was 429. */
  readonly rateLimited: boolean[] = []
  requests = 0
  readonly created: CreatedPlant[] = []
  readonly canCreate: boolean
  readonly isIntrusive: boolean
  /** Why the service is left alone, once it is. */
  stopped: string | undefined
  /** The longest pause that the service asked for, in milliseconds. */
  longestPause = 0
  #failuresInRow = 0
  #waited = 0
  /** The callers whose plain list succeeded. */
  readonly #listed = new Set<CallerRole>()
  readonly #options: ClientOptions
  readonly #sendOnce: (request: TestRequest) => Promise<TestResponse>

  constructor(options: ClientOptions) {
    this.canCreate = !options.readOnly
    this.isIntrusive = options.intrusive
    this.#options = options
    this.#sendOnce = createSender(options)
  }

  hasToken(as: 'caller' | 'other'): boolean {
    return this.#options.tokens[as] !== undefined
  }

  /** Whether a body may be sent without `intrusive`. */
  mayCreate(body: object): boolean {
    return this.isIntrusive || isRecognisable(JSON.stringify(body))
  }

  /** Waits, unless the check is stopped. @param milliseconds For the service to show what it stored. */
  wait(milliseconds: number): Promise<void> {
    return this.#options.wait(milliseconds)
  }

  /** How long to wait for a created plant to be listed, in milliseconds. */
  get patience(): number {
    return this.#options.patience
  }

  /**
   * Sends a request. After 429, 502, 503 or 504, waits as `Retry-After` says and retries; without a response, retries
   * once. A failure that a plain list has as well says nothing about the request: the service is then left alone.
   * @throws NoResponseError or InconclusiveError; after an abort, the reason of the signal.
   */
  async send(request: TestRequest): Promise<TestResponse> {
    let mayBeHandled = false
    for (let retries = 0; ; retries++) {
      this.#assertSendable(request)
      const response = await this.#sendCounted(request, retries === 0)
      if (response !== undefined && !isPassing(response)) {
        if (mayBeHandled && response.status === 409)
          throw new InconclusiveError('a create that was sent again is refused as a duplicate')
        await this.#checkToken(request, response)
        if (response.status >= 500 && (await this.#stillLists('caller')) === false)
          this.#stop(`the service responds with ${response.status}, also to a list that succeeded before`)
        this.#failuresInRow = 0
        return response
      }
      // A request beyond a rate limit was not handled.
      mayBeHandled ||= response?.status !== 429
      this.#failuresInRow--
      if (response === undefined) continue
      if (retries === maxRetries) {
        const reason = `the response is still ${response.status} after ${maxRetries} retries`
        const isListed = await this.#stillLists('caller')
        if (isListed === false) this.#stop(reason)
        if (isListed && response.status !== 429) return response
        this.#failuresInRow++
        throw new InconclusiveError(reason)
      }
      await this.#pause(response, retries)
    }
  }

  /** @returns `undefined` for no response, if a retry may help. @throws NoResponseError if not. */
  async #sendCounted(request: TestRequest, mayRetry: boolean): Promise<TestResponse | undefined> {
    const { as, method, path } = request
    this.requests++
    // Until a usable response arrives.
    this.#failuresInRow++
    try {
      const response = await this.#sendOnce(request)
      // A service may leave requests other than the two operations out of its rate limit.
      const isOperation = /^\/plants(?:$|\?)/.test(path) && (method === 'GET' || method === 'POST')
      if (as === 'caller' && isOperation) this.rateLimited.push(response.status === 429)
      if (method === 'GET' && request.body === undefined && succeeded(response)) this.#listed.add(as)
      this.#recordCreated(request, response)
      return response
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error
      this.#recordCreated(request, undefined)
      const isListed = await this.#stillLists('caller')
      if (isListed === false) this.#stop(`the service stopped responding: ${error.message}`)
      if (isListed && mayRetry) return undefined
      throw error
    }
  }

  #recordCreated({ method, as, body = '' }: TestRequest, response: TestResponse | undefined): void {
    if (method !== 'POST') return
    const certain = response !== undefined && succeeded(response)
    const status = response?.status ?? 500
    const plant = jsonOrUndefined(body)
    // A refusal creates nothing; a body that is not JSON may make a plant all the same.
    if (!certain && (!isJsonObject(plant) || (status >= 400 && status < 500) || status === 503)) return
    const { id, name, tag } = isJsonObject(plant) ? plant : {}
    const created = { id, name, tag, as, certain }
    // A create that was sent again makes one entry.
    const before = isJsonObject(plant) ? this.created.findIndex((other) => isSame(other, created)) : -1
    if (before === -1) this.created.push(created)
    else if (certain) this.created[before] = created
  }

  /** Whether a plain list still succeeds; `undefined` if none did before. */
  async #stillLists(as: CallerRole): Promise<boolean | undefined> {
    if (!this.#listed.has(as)) return undefined
    this.requests++
    const list = await this.#sendOnce(listRequest('?limit=1', as)).catch((error) => {
      if (error instanceof NoResponseError) return undefined
      throw error
    })
    if (list !== undefined && as === 'caller') this.rateLimited.push(list.status === 429)
    return list !== undefined && succeeded(list)
  }

  /** A token may expire, or be revoked: its refusal would look like that of the request. */
  async #checkToken({ as }: TestRequest, { status }: TestResponse): Promise<void> {
    if ((status !== 401 && status !== 403) || (as !== 'caller' && as !== 'other')) return
    if ((await this.#stillLists(as)) !== false) return
    const whose = as === 'caller' ? 'the token' : 'the token of the other caller'
    this.#stop(`${whose} is no longer accepted (${status})`)
  }

  /** Also for requests in the queue: the check ends as fast as it can. */
  #stop(reason: string): never {
    this.stopped ??= reason
    throw new InconclusiveError(reason)
  }

  async #pause(response: TestResponse, retries: number): Promise<void> {
    const pause = retryWait(response, retries, this.#options.now())
    if (pause > maxRetryWait)
      this.#stop(`the service responds with ${response.status} and asks for a pause of ${Math.round(pause / 1000)} s`)
    this.#waited += pause
    this.longestPause = Math.max(this.longestPause, pause)
    if (this.#waited > maxWaited) this.#stop(`the service asks for pauses of over ${maxWaited / 60_000} minutes`)
    await this.#options.wait(pause)
  }

  #assertSendable({ as, method, body = '' }: TestRequest): void {
    if (this.stopped !== undefined) throw new InconclusiveError(this.stopped)
    if (as === 'other' && this.#options.tokens.other === undefined)
      throw new InconclusiveError('it needs the token of another caller')
    if (method === 'POST' && !this.canCreate)
      throw new InconclusiveError('it creates plants, and the check is read-only')
    if (method === 'POST' && this.created.length >= maxCreated)
      throw new InconclusiveError(`the maximum of ${maxCreated} created plants is reached`)
    if (method === 'POST' && !this.isIntrusive && !isRecognisable(body))
      throw new InconclusiveError(`it could create a plant without "${namePrefix}" in its name or tag`)
    if (this.#failuresInRow >= maxFailuresInRow)
      this.#stop(`${maxFailuresInRow} requests in a row got no usable response`)
  }
}

const isSame = (a: CreatedPlant, b: CreatedPlant): boolean =>
  !a.certain && JSON.stringify({ ...a, certain: true }) === JSON.stringify({ ...b, certain: true })

/** A body that a service could store has the prefix, so that everybody can tell where it comes from. */
const isRecognisable = (body: string): boolean => {
  const value = jsonOrUndefined(body)
  if (value === undefined) return true
  return (
    isJsonObject(value) &&
    [value.name, value.tag].some((text) => typeof text === 'string' && text.startsWith(namePrefix))
  )
}

/**
 * In milliseconds, from a number of seconds or a date (RFC 9110, 10.2.3); without it 1, 2 and 4 seconds. A date is read
 * against that of the response, because the clock of the service may differ from ours.
 */
const retryWait = ({ headers }: TestResponse, retries: number, now: number): number => {
  const text = headers.get('retry-after')
  if (text === null) return 1000 * 2 ** retries
  if (/^\d+$/.test(text.trim())) return Number(text) * 1000
  const date = Date.parse(text)
  const sent = Date.parse(headers.get('date') ?? '')
  return Number.isNaN(date) ? 1000 * 2 ** retries : Math.max(0, date - (Number.isNaN(sent) ? now : sent))
}
