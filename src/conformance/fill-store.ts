import type { Client } from './client.ts'
import { lengthOf, refused, succeeded, type TestResponse } from './send-request.ts'
import { listRequest } from './test-request.ts'

/** The state of a store that holds, if possible, more plants than the largest maximum limit in the registry. */
type FilledStore = {
  /** The response to `limit=101`. */
  readonly aboveMax: TestResponse
  /** The caller has at least this number of plants. */
  readonly minPlants: number
  /** The length that no list exceeds, however many plants there are; undefined if no such length was found. */
  readonly maxLength?: number
}

/** One more than the largest maximum limit in the registry. */
const aboveMaxLimit = 101
const batchSize = 25

/** Creates plants, if allowed, until lists show which maximum limit and default limit the service has. */
export const fillStore = async (
  client: Client,
  create: () => Promise<TestResponse>,
  largestLimit: () => Promise<number>,
): Promise<FilledStore> => {
  const list = (limit: number) => client.send(listRequest(`?limit=${limit}`))

  /** Lists twice, because a service may show a new plant only from the second list on. */
  const settledList = async (limit: number): Promise<TestResponse> => {
    await list(limit)
    return list(limit)
  }

  /** Creates plants until a list has `goal` elements or stops growing. */
  const fillTo = async (goal: number): Promise<{ length: number; isStuck: boolean }> => {
    let length = lengthOf(await settledList(goal))
    // The first batch is one plant: if the list does not grow, further creates are useless.
    for (let batch = 1; client.canCreate && length < goal; batch = batchSize) {
      const target = Math.min(goal, length + batch)
      for (let i = length; i < target; i++)
        if (!succeeded(await create())) return { length: lengthOf(await settledList(goal)), isStuck: false }
      length = lengthOf(await settledList(goal))
      if (length < target) return { length, isStuck: true }
    }
    return { length, isStuck: false }
  }

  const aboveMax = await settledList(aboveMaxLimit)
  if (succeeded(aboveMax) && Array.isArray(aboveMax.json)) {
    const { length, isStuck } = await fillTo(aboveMaxLimit)
    const found = isStuck ? { minPlants: length + 1, maxLength: length } : { minPlants: length }
    return { aboveMax: await list(aboveMaxLimit), ...found }
  }
  const limit = await largestLimit()
  if (!refused(aboveMax) || lengthOf(await settledList(limit)) === 0) return { aboveMax, minPlants: 0 }
  // A limit of 101 is refused. One plant more than the largest accepted limit shows whether there is a default limit.
  const { length } = await fillTo(limit)
  const hasOneMore = client.canCreate && length === limit && succeeded(await create())
  await list(limit)
  return { aboveMax, minPlants: length + (hasOneMore ? 1 : 0) }
}
