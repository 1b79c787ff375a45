import type { ClientOptions } from './options.ts'
import { createSender, succeeded, type TestResponse } from './send-request.ts'
import type { TestRequest } from './test-request.ts'

/** The reason why nothing can be concluded about a rule or an assumption, such as a request that was not sent. */
export class InconclusiveError extends Error {
  override readonly name = 'InconclusiveError'
}

/** Successful creates in one check, at most: enough for a list of 101 plants and for the other probes. */
export const maxCreated = 125
/** In milliseconds, whatever `Retry-After` says. */
const maxRetryWait = 5_000
const maxRetries = 3
/** After this many failures in a row, the service is left alone. */
const maxFailuresInRow = 3

/** Sends the requests of a check, one at a time. */
export class Client {
  /** For each list and create of `caller`, in order: whether the response was 429. */
  readonly rateLimited: boolean[] = []
  requests = 0
  /** Successful creates of all callers. */
  created = 0
  readonly canCreate: boolean
  #failuresInRow = 0
  readonly #options: ClientOptions
  readonly #sendOnce: (request: TestRequest) => Promise<TestResponse>

  constructor(options: ClientOptions) {
    this.canCreate = !options.readOnly
    this.#options = options
    this.#sendOnce = createSender(options)
  }

  /**
   * Sends a request; after 429, waits as `Retry-After` says and retries.
   * @throws NoResponseError or InconclusiveError; after an abort, the reason of the signal.
   */
  async send(request: TestRequest): Promise<TestResponse> {
    const { as, method } = request
    for (let retries = 0; ; retries++) {
      this.#assertSendable(request)
      this.requests++
      // Until a usable response arrives.
      this.#failuresInRow++
      const response = await this.#sendOnce(request)
      const isRateLimited = response.status === 429
      // A service may leave requests other than the two operations out of its rate limit.
      if (as === 'caller' && (method === 'GET' || method === 'POST')) this.rateLimited.push(isRateLimited)
      if (!isRateLimited) {
        this.#failuresInRow = 0
        if (method === 'POST' && succeeded(response)) this.created++
        return response
      }
      if (retries === maxRetries) throw new InconclusiveError(`the response is still 429 after ${maxRetries} retries`)
      this.#failuresInRow--
      await this.#options.wait(retryWait(response))
    }
  }

  #assertSendable({ as, method }: TestRequest): void {
    if (as === 'other' && this.#options.tokens.other === undefined)
      throw new InconclusiveError('it needs the token of another caller')
    if (method === 'POST' && !this.canCreate)
      throw new InconclusiveError('it creates plants, and the check is read-only')
    if (method === 'POST' && this.created >= maxCreated)
      throw new InconclusiveError(`the maximum of ${maxCreated} created plants is reached`)
    if (this.#failuresInRow >= maxFailuresInRow)
      throw new InconclusiveError(`${maxFailuresInRow} requests in a row got no usable response, so no more were sent`)
  }
}

/** In milliseconds; one second when `Retry-After` is missing or a date. */
const retryWait = ({ headers }: TestResponse): number => {
  const seconds = Number(headers.get('retry-after') ?? 1)
  return Number.isFinite(seconds) ? Math.min(maxRetryWait, seconds * 1000) : 1000
}
