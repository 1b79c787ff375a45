import type { NewPlant } from '../../core/contract/schemas.ts'
import { elementsOf, lengthOf, succeeded, type TestResponse } from '../read/response.ts'
import { type CallerRole, listRequest } from '../read/test-request.ts'
import type { Client } from './client.ts'
import type { SamplePlantSource } from './plant-source.ts'
import { InconclusiveError } from './send-request.ts'

const limits = [1000, 100, 50, 20, 10, 5, 1] as const
const listsBeforePause = 3
/** Milliseconds between the first list and each repetition: 100, 200, 300, 500, 1000, 2000, ... */
const waits = (number: number): number => 100 * ([1, 2, 3, 5][number % 4] ?? 1) * 10 ** Math.floor(number / 4)
const maxFurtherWait = 500
/** The replicas of a store may lag: a plant counts as visible only if this many lists in a row show it. */
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
  let longest = 0
  let stuckLength: number | undefined
  let maxWait = client.options.timeout
  let query: string | undefined
  let slowest = 0
  let isLagging = false
  let staysShorter = false

  let accepted: number | undefined
  const largestLimit = async (): Promise<number> => {
    for (const limit of limits)
      if (accepted === undefined && succeeded(await client.send(listRequest(`?limit=${limit}`)))) accepted = limit
    return accepted ?? 1
  }

  const isShorter = (found: TestResponse): boolean =>
    succeeded(found) && Array.isArray(found.json) && found.json.length < longest

  const listNow = async (as: CallerRole): Promise<TestResponse> => {
    const limit = await largestLimit()
    let found = await client.send(listRequest(query ?? `?limit=${limit}`, as))
    // Omits the limit only if the service refuses large limits, because an unlimited list could be enormous.
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

  const list = async (as: CallerRole = 'caller'): Promise<TestResponse> => {
    let found = await listNow(as)
    let waited = 0
    const mayGrow = () => as === 'caller' && !staysShorter && isShorter(found)
    for (let lists = 0; mayGrow() && waited < client.options.timeout; lists++) {
      const pause = Math.min(waits(lists), client.options.timeout) - waited
      await client.options.wait(pause)
      waited += pause
      found = await listNow(as)
    }
    staysShorter ||= waited > 0 && isShorter(found)
    return found
  }

  const shows = (found: TestResponse, plant: NewPlant, copies = 1): boolean => {
    const key = source.keyOf(plant)
    return elementsOf(found).filter((element) => source.keyOf(element) === key).length >= copies
  }

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
      if (as === 'caller' && lengthOf(found) === stuckLength) return found
      if (lists < listsBeforePause) continue
      if (waited >= maxWait) {
        if (as === 'caller') stuckLength = lengthOf(found)
        maxWait = Math.min(maxWait, Math.max(maxFurtherWait, 2 * slowest))
        return found
      }
      const pause = Math.min(waits(lists - listsBeforePause), maxWait) - waited
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
