import type { NewPlant } from '../../core/contract/schemas.ts'
import { elementsOf, lengthOf, succeeded, type TestResponse } from '../read/response.ts'
import { type CallerRole, listRequest } from '../read/test-request.ts'
import type { Client } from './client.ts'
import type { SamplePlantSource } from './plant-source.ts'
import { InconclusiveError } from './send-request.ts'

/** Largest first, because a service may refuse large limits. */
const limits = [1000, 100, 50, 20, 10, 5, 1] as const
/** Lists before the first pause: a service may leave a new plant out of the first few lists. */
const listsAtOnce = 3
/** The milliseconds, counted from the start, after which a list is repeated: 100, 200, 300, 500, 1000, 2000, ... */
const waits = (number: number): number => 100 * ([1, 2, 3, 5][number % 4] ?? 1) * 10 ** Math.floor(number / 4)
/** The longest wait for a plant after one was waited for in vain, unless others took longer to be listed. */
const maxFurtherWait = 500
/** How many lists in a row must show a plant before it counts as listed: the replicas of a store may lag. */
const minLists = 3

export const requireArray = (list: TestResponse): readonly unknown[] => {
  if (succeeded(list) && Array.isArray(list.json)) return list.json
  throw new InconclusiveError('no list is an array')
}

type ListOptions = {
  readonly as?: CallerRole
  readonly copies?: number
  readonly isSteady?: boolean
  readonly onList?: () => void
}

export const createSampleLists = (client: Client, source: SamplePlantSource) => {
  /** The length of the longest list so far. A shorter list is not truncated. */
  let longest = 0
  /** The length at which lists stopped growing, because a created plant never appeared. */
  let stuckAt: number | undefined
  /** How long to wait for a plant, in milliseconds. */
  let patience = client.options.timeout
  let query: string | undefined
  let slowest = 0
  /** Whether a list was shorter than an earlier list. `isShrinking`: lists stayed shorter until the timeout. */
  let isLagging = false
  let isShrinking = false

  let accepted: number | undefined
  const largestLimit = async (): Promise<number> => {
    for (const limit of limits)
      if (accepted === undefined && succeeded(await client.send(listRequest(`?limit=${limit}`)))) accepted = limit
    return accepted ?? 1
  }

  const isShorter = (found: TestResponse): boolean =>
    succeeded(found) && Array.isArray(found.json) && found.json.length < longest

  /** A list with the largest limit that the service accepts, or without a limit if an unlimited list is longer. */
  const listNow = async (as: CallerRole): Promise<TestResponse> => {
    const limit = await largestLimit()
    let found = await client.send(listRequest(query ?? `?limit=${limit}`, as))
    // The limit `limits[0]` shows enough plants. A list without a limit could be enormous.
    if (query === undefined && lengthOf(found) === limit && limit < limits[0]) {
      const unlimited = await client.send(listRequest('', as))
      if (lengthOf(unlimited) > limit) {
        query = ''
        found = unlimited
      }
    }
    if (as === 'caller') {
      isLagging ||= isShorter(found)
      longest = Math.max(longest, lengthOf(found))
    }
    return found
  }

  /** Repeats a list of the caller while it is shorter than an earlier list, up to the timeout. */
  const list = async (as: CallerRole = 'caller'): Promise<TestResponse> => {
    let found = await listNow(as)
    let waited = 0
    const mayGrow = () => as === 'caller' && !isShrinking && isShorter(found)
    for (let lists = 0; mayGrow() && waited < client.options.timeout; lists++) {
      const pause = Math.min(waits(lists), client.options.timeout) - waited
      await client.options.wait(pause)
      waited += pause
      found = await listNow(as)
    }
    isShrinking ||= waited > 0 && isShorter(found)
    return found
  }

  const shows = (found: TestResponse, plant: NewPlant, copies = 1): boolean => {
    const key = source.keyOf(plant)
    return elementsOf(found).filter((element) => source.keyOf(element) === key).length >= copies
  }

  /**
   * Lists until a list shows the plant: three times without pauses, then with pauses, up to the timeout.
   * @param onList Called after each list that does not show the plant.
   * @param isSteady Whether three lists in a row must show the plant, even if no list lagged. Default: false.
   * @param copies How often a list must show the plant. Default: 1.
   */
  const listUntil = async (
    plant: NewPlant,
    { as = 'caller', copies = 1, isSteady = false, onList = () => undefined }: ListOptions = {},
  ): Promise<TestResponse> => {
    let waited = 0
    let shown = 0
    for (let lists = 1; ; lists++) {
      const found = await listNow(as)
      shown = shows(found, plant, copies) ? shown + 1 : 0
      if (shown >= (isLagging || isSteady ? minLists : 1)) {
        slowest = Math.max(slowest, waited)
        return found
      }
      if (shown > 0) continue
      if (!canShow(found)) return found
      onList()
      if (as === 'caller' && lengthOf(found) === stuckAt) return found
      if (lists < listsAtOnce) continue
      if (waited >= patience) {
        if (as === 'caller') stuckAt = lengthOf(found)
        patience = Math.min(patience, Math.max(maxFurtherWait, 2 * slowest))
        return found
      }
      const pause = Math.min(waits(lists - listsAtOnce), patience) - waited
      await client.options.wait(pause)
      waited += pause
    }
  }

  const canShow = (found: TestResponse): boolean =>
    succeeded(found) &&
    Array.isArray(found.json) &&
    (found.json.length === 0 || found.json.some((element) => source.labelOf(element) !== undefined))

  return {
    list,
    largestLimit,
    isAtLimit: async (found: TestResponse): Promise<boolean> =>
      query === undefined && lengthOf(found) >= (await largestLimit()),
    shows,
    listUntil,
    longest: () => longest,
  }
}
