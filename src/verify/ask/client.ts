import { isJsonObject } from '../../util/json.ts'
import { createRecording } from '../read/recording.ts'
import {
  type CreatedPlant,
  createdPlants,
  isPage,
  isRecognisable,
  isSuspicious,
  isTransient,
  refused,
  succeeded,
  type TestResponse,
} from '../read/response.ts'
import {
  type CallerRole,
  isCreate,
  isList,
  isOperation,
  listRequest,
  namePrefix,
  type TestRequest,
} from '../read/test-request.ts'
import { createViolations } from '../read/violations.ts'
import type { ClientOptions } from './options.ts'
import type { SamplePlantSource } from './plant-source.ts'
import { createSender, InconclusiveError, insteadOf, NoResponseError } from './send-request.ts'

export const maxCreated = 125
const maxRetryWait = 60_000
const maxWaited = 300_000
const maxRetries = 3
const maxFailuresInRow = 3

/** Stops the check only after two failed lists in a row, because a single list may fail by chance. */
const maxControlLists = 2

export class Client {
  readonly rateLimited: boolean[] = []
  readonly violations: ReturnType<typeof createViolations>
  requests = 0
  readonly created: CreatedPlant[] = []
  readonly canCreate: boolean
  readonly hasOther: boolean
  readonly options: ClientOptions
  stopReason: string | undefined
  createStopReason: string | undefined
  longestPause = 0
  #failuresInRow = 0
  #waited = 0
  readonly #listed = new Map<CallerRole, boolean>()
  #hasReturnedPlant = false
  readonly recording = createRecording()
  readonly #sendOnce: (request: TestRequest) => Promise<TestResponse>

  constructor(options: ClientOptions, keyOf?: SamplePlantSource['keyOf']) {
    this.options = options
    this.canCreate = !options.readOnly
    this.hasOther = options.tokens.other !== undefined
    this.violations = createViolations(keyOf)
    this.#sendOnce = createSender(options)
  }

  /**
   * Sends a request. After an error that may come from a broken service or an expired token, lists plants: repeats the
   * request if the list succeeds, stops the check if the list fails.
   * @throws NoResponseError or InconclusiveError; after an abort, the reason of the signal.
   */
  async send(request: TestRequest): Promise<TestResponse> {
    let response = await this.#sendPatiently(request)
    if (isSuspicious(response)) {
      await this.#assertStillListing(response)
      if (response.status >= 400) {
        response = await this.#sendPatiently(request)
        if (isSuspicious(response)) await this.#assertStillListing(response)
      }
    }
    this.violations.judge(request, response)
    return response
  }

  async #sendPatiently(request: TestRequest): Promise<TestResponse> {
    for (let retries = 0; ; retries++) {
      this.#assertSendable(request)
      const response = await this.#sendCounted(request, retries === 0)
      if (response === undefined) continue
      if (!isTransient(response)) {
        this.#failuresInRow = 0
        return response
      }
      if (retries === maxRetries) {
        const reason = `the response is still ${response.status} after ${maxRetries} retries`
        const isListed = await this.#stillLists('caller')
        if (isListed === false) this.stop(reason)
        if (isListed) return response
        this.#failuresInRow++
        throw new InconclusiveError(reason)
      }
      await this.#pause(response, retries)
    }
  }

  async #assertStillListing(response: TestResponse): Promise<void> {
    const { as, status } = response
    // After a 401 or 403, sends a list with the same token, which shows whether this token is still valid.
    const isAboutToken = status === 401 || status === 403
    if ((await this.#stillLists(isAboutToken ? as : 'caller')) !== false) return
    const whose = as === 'caller' ? 'the token' : 'the token of the other caller'
    if (isAboutToken) this.stop(`${whose} is no longer accepted (${status})`)
    const what = isPage(response) ? `a page of HTML (${status})` : status
    this.stop(`the service responds with ${what}, even to a list request that succeeded before`)
  }

  async #sendCounted(request: TestRequest, mayRetry: boolean): Promise<TestResponse | undefined> {
    const { as } = request
    this.requests++
    const sentAt = this.options.now()
    try {
      const response = await this.#sendOnce(request)
      const { json } = response
      if (as === 'caller' && isOperation(request)) this.rateLimited.push(response.status === 429)
      const isDisguised = this.#isDisguised(request, response)
      if (isList(request) && succeeded(response) && !isDisguised && !isPage(response))
        this.#listed.set(as, this.#listed.get(as) || Array.isArray(json))
      if (isCreate(request) && succeeded(response) && as === 'caller') this.#hasReturnedPlant ||= hasFieldOfPlant(json)
      const told = isDisguised ? { ...response, isDisguised } : response
      this.recording.add(request, told, sentAt)
      if (!refused(told)) this.violations.doubt(request)
      this.created.push(...createdPlants(request, told))
      return told
    } catch (error) {
      this.created.push(...createdPlants(request, undefined))
      this.violations.doubt(request)
      if (error instanceof InconclusiveError) this.#failuresInRow = 0
      if (!(error instanceof NoResponseError)) throw error
      const isListed = await this.#stillLists('caller')
      if (isListed === false) this.stop(`the service stopped responding: ${error.message}`)
      if (isListed && mayRetry) return undefined
      this.#failuresInRow++
      throw error
    }
  }

  /** Recognises an error with a 2xx status: an object without plant fields, unlike earlier responses. */
  #isDisguised(request: TestRequest, response: TestResponse): boolean {
    const { json } = response
    if (!succeeded(response) || !isJsonObject(json) || hasFieldOfPlant(json)) return false
    if (Object.keys(json).length === 0 || Object.values(json).some(Array.isArray)) return false
    return isCreate(request) ? this.#hasReturnedPlant : this.#listed.get('caller') === true
  }

  async #stillLists(as: CallerRole): Promise<boolean | undefined> {
    const wasArray = this.#listed.get(as)
    if (wasArray === undefined) return undefined
    for (let controls = 1; ; controls++) {
      this.requests++
      const request = listRequest('?limit=1', as)
      const sentAt = this.options.now()
      const list = await this.#sendOnce(request).catch(insteadOf(undefined, NoResponseError, InconclusiveError))
      if (list === undefined) return false
      this.recording.add(request, list, sentAt)
      if (as === 'caller') this.rateLimited.push(list.status === 429)
      if (succeeded(list) && (Array.isArray(list.json) || !wasArray)) {
        this.violations.judge(request, list)
        return true
      }
      if (controls === maxControlLists) return false
      if (isTransient(list)) await this.#pause(list, controls)
    }
  }

  stop(reason: string): never {
    this.stopReason ??= reason
    throw new InconclusiveError(reason)
  }

  async #pause(response: TestResponse, retries: number): Promise<void> {
    const pause = retryWait(response, retries, this.options.now())
    if (pause > maxRetryWait)
      this.stop(`the service responds with ${response.status} and asks for a pause of ${Math.round(pause / 1000)} s`)
    this.#waited += pause
    this.longestPause = Math.max(this.longestPause, pause)
    if (this.#waited > maxWaited) this.stop(`the service asks for pauses of over ${maxWaited / 60_000} minutes`)
    await this.options.wait(pause)
  }

  #assertSendable(request: TestRequest): void {
    const { as, json } = request
    this.options.signal.throwIfAborted()
    if (this.stopReason !== undefined) throw new InconclusiveError(this.stopReason)
    if (as === 'other' && !this.hasOther) throw new InconclusiveError('the token of a second caller is missing')
    if (isCreate(request)) this.#assertMayCreate(json)
    if (this.#failuresInRow >= maxFailuresInRow)
      this.stop(`${maxFailuresInRow} requests in a row got no usable response`)
  }

  #assertMayCreate(json: unknown): void {
    if (!this.canCreate) throw new InconclusiveError('it creates plants, and the check is read-only')
    if (this.createStopReason !== undefined) throw new InconclusiveError(this.createStopReason)
    if (this.created.length >= maxCreated)
      throw new InconclusiveError(`the maximum of ${maxCreated} created plants is reached`)
    if (!isRecognisable(json))
      throw new InconclusiveError(`it could create a plant without "${namePrefix}" in its name or tag`)
  }
}

const hasFieldOfPlant = (json: unknown): boolean =>
  isJsonObject(json) && Object.keys(json).some((key) => /^(?:id|name|tag)$/i.test(key))

/**
 * @returns Milliseconds to wait. Compares a date in `Retry-After` with the `Date` header of the same response, because
 * the clocks of service and client may differ.
 */
const retryWait = ({ headers }: TestResponse, retries: number, now: number): number => {
  const text = headers.get('retry-after') ?? ''
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text)) * 1000
  // Every HTTP date begins with the day of the week. `Date.parse` alone would accept almost any text.
  const date = /^(?:mon|tue|wed|thu|fri|sat|sun)/i.test(text) ? Date.parse(text) : Number.NaN
  const sent = Date.parse(headers.get('date') ?? '')
  return Number.isNaN(date) ? 1000 * 2 ** retries : Math.max(0, date - (Number.isNaN(sent) ? now : sent))
}
