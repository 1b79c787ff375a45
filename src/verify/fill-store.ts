import type { NewPlant } from '../core/contract/schemas.ts'
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
export const aboveMaxLimit = 101
const batchSize = 25

/** Creates plants, if allowed, until lists show which maximum limit and default limit the service has. */
export const fillStore = async (
  client: Client,
  create: () => Promise<TestResponse & { readonly plant: NewPlant }>,
  listUntil: (plant: NewPlant) => Promise<TestResponse>,
  largestLimit: () => Promise<number>,
): Promise<FilledStore> => {
  const list = (limit: number) => client.send(listRequest(`?limit=${limit}`))

  /** Creates plants until a list has `goal` elements or stops growing. */
  const fillTo = async (goal: number): Promise<{ length: number; isStuck: boolean }> => {
    // A service may show a new plant only from the second list on.
    await list(goal)
    let length = lengthOf(await list(goal))
    // The first batch is one plant: if the list does not grow, further creates are useless.
    for (let batch = 1; client.canCreate && length < goal; batch = batchSize) {
      const target = Math.min(goal, length + batch)
      const plants: NewPlant[] = []
      for (let i = length; i < target; i++) {
        const creation = await create()
        if (!succeeded(creation)) return { length: lengthOf(await list(goal)), isStuck: false }
        plants.push(creation.plant)
      }
      // Each of them: a plant may appear before one that was created earlier.
      for (const plant of plants.reverse()) if (lengthOf(await listUntil(plant)) >= target) break
      length = lengthOf(await list(goal))
      if (length < target) return { length, isStuck: true }
    }
    return { length, isStuck: false }
  }

  const aboveMax = await list(aboveMaxLimit)
  if (succeeded(aboveMax) && Array.isArray(aboveMax.json)) {
    const { length, isStuck } = await fillTo(aboveMaxLimit)
    const found = { aboveMax: await list(aboveMaxLimit) }
    if (!isStuck) return { ...found, minPlants: length }
    // A maximum holds for a larger limit too.
    const most = lengthOf(await list(await largestLimit()))
    return most > length ? { ...found, minPlants: most } : { ...found, minPlants: length + 1, maxLength: length }
  }
  const limit = await largestLimit()
  if (!refused(aboveMax) || lengthOf(await list(limit)) === 0) return { aboveMax, minPlants: 0 }
  // A limit of 101 is refused. One plant more than the largest accepted limit shows whether there is a default limit.
  const { length } = await fillTo(limit)
  const hasOneMore = client.canCreate && length === limit && succeeded(await create())
  return { aboveMax, minPlants: length + (hasOneMore ? 1 : 0) }
}
