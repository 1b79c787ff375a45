import { tokenRedactor } from './redact-tokens.ts'
import { type SendOptions, sendRequest, succeeded, type TestResponse } from './send-request.ts'
import type { TestRequest } from './test-request.ts'

export type ClientOptions = Omit<SendOptions, 'redact'> & {
  /** Waits before a request that got 429 is sent again, in milliseconds. */
  readonly wait: (milliseconds: number) => Promise<void>
  /** Sends no create. */
  readonly readOnly: boolean
  /** After this many successful creates, no further create is sent. */
  readonly maxCreated: number
}

/** A request was not sent, or still got 429 after every retry: it shows nothing about a rule or an assumption. */
export class InconclusiveError extends Error {
  override readonly name = 'InconclusiveError'
}

/** Sends the requests of a check, one at a time. */
export interface Client {
  /**
   * Sends a request; after 429, waits as `Retry-After` says and retries.
   * @throws NoResponseError or InconclusiveError; after an abort, the reason of the signal.
   */
  send(request: TestRequest): Promise<TestResponse>
  /** For each list and create of `caller`, in order: whether the response was 429. */
  readonly rateLimited: readonly boolean[]
  /** False in a read-only check. */
  readonly canCreate: boolean
  readonly requests: number
  /** Successful creates of all callers. */
  readonly created: number
  /** Whether the signal has stopped the check. */
  readonly isStopped: boolean
}

/** In milliseconds, whatever `Retry-After` says. */
const maxRetryWait = 5_000
const maxRetries = 3
/** After this many failures in a row, the service is left alone. */
const maxFailuresInRow = 3

export const createClient = (options: ClientOptions): Client => {
  const rateLimited: boolean[] = []
  const sendOptions = { ...options, redact: tokenRedactor(options.tokens) }
  let requests = 0
  let created = 0
  let failuresInRow = 0

  const assertSendable = ({ as, method }: TestRequest): void => {
    if (as === 'other' && options.tokens.other === undefined)
      throw new InconclusiveError('it needs the token of another caller')
    if (method === 'POST' && options.readOnly)
      throw new InconclusiveError('it creates plants, and the check is read-only')
    if (method === 'POST' && created >= options.maxCreated)
      throw new InconclusiveError(`the maximum of ${created} created plants is reached`)
    if (failuresInRow >= maxFailuresInRow)
      throw new InconclusiveError(`${maxFailuresInRow} requests in a row got no usable response, so no more were sent`)
  }

  const sendOnce = async (request: TestRequest): Promise<TestResponse> => {
    assertSendable(request)
    requests++
    try {
      const response = await sendRequest(request, sendOptions)
      if (request.method === 'POST' && succeeded(response)) created++
      if (response.status !== 429) failuresInRow = 0
      return response
    } catch (error) {
      failuresInRow++
      throw error
    }
  }

  return {
    rateLimited,
    canCreate: !options.readOnly,
    get requests() {
      return requests
    },
    get created() {
      return created
    },
    get isStopped() {
      return options.signal?.aborted ?? false
    },
    async send(request) {
      for (let retries = 0; ; retries++) {
        const response = await sendOnce(request)
        const isRateLimited = response.status === 429
        if (countsTowardsRate(request)) rateLimited.push(isRateLimited)
        if (!isRateLimited) return response
        if (retries === maxRetries) {
          failuresInRow++
          throw new InconclusiveError(`the response is still 429 after ${maxRetries} retries`)
        }
        await options.wait(retryWait(response))
      }
    },
  }
}

/** A service may leave requests other than the two operations out of its rate limit. */
const countsTowardsRate = ({ as, method }: TestRequest): boolean =>
  as === 'caller' && (method === 'GET' || method === 'POST')

/** In milliseconds; one second when `Retry-After` is missing or a date. */
const retryWait = ({ headers }: TestResponse): number => {
  const seconds = Number(headers.get('retry-after') ?? 1)
  return Number.isFinite(seconds) ? Math.min(maxRetryWait, seconds * 1000) : 1000
}
