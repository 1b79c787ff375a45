import type { NewPlant } from '../contract/schemas.ts'
import { type Client, InconclusiveError } from './client.ts'
import { fillStore } from './fill-store.ts'
import { lengthOf, namesOf, succeeded, type TestResponse } from './send-request.ts'
import { type CallerRole, createRequest, listRequest } from './test-request.ts'

export { maxCreated } from './client.ts'

/** Sample plants use ids from this one: within 32 bits, and far above those that services usually assign. */
export const firstId = 1_900_000_000
export const lastId = 2_147_483_647
/** The start of each sample plant's name; also its tag, for plants that are created with no name or an empty one. */
export const namePrefix = 'plant-mock check'

/** Largest first, because a service may refuse large limits. */
const limits = [1000, 100, 50, 20, 10, 5, 1] as const
/** A list of one of these lengths may be truncated, even if a larger limit was requested. */
const pageSizes: readonly number[] = [10, 20, 25, 30, 40, 50, 100, 200, 250, 500]
const maxListAttempts = 3

/** The response to a create, with the plant that was sent. */
type Creation = TestResponse & { readonly plant: NewPlant }

/** @throws InconclusiveError when the create failed. */
export const requireCreated = (creation: Creation): Creation => {
  if (succeeded(creation)) return creation
  throw new InconclusiveError('no create succeeds')
}

/** The elements of a list. @throws InconclusiveError when it failed or is not an array. */
export const requireArray = (list: TestResponse): readonly unknown[] => {
  if (succeeded(list) && Array.isArray(list.json)) return list.json
  throw new InconclusiveError('no list is an array')
}

/** Passed to every rule and probe. */
export type CheckContext = { readonly client: Client; readonly samples: ReturnType<typeof createSamplePlants> }

/**
 * The plants that a check creates, recognisable by name and id, and the lists in which it looks for them.
 * @param random Numbers from 0 (inclusive) to 1 (exclusive), for names and ids.
 */
export const createSamplePlants = (client: Client, random: () => number) => {
  const source = createPlantSource(random)
  const created: NewPlant[] = []
  /** A list shorter than the longest so far was not truncated. */
  let longest = 0

  const create = async (): Promise<Creation> => {
    const plant = source.newPlant()
    const response = await client.send(createRequest(plant))
    if (succeeded(response)) created.push(plant)
    return { ...response, plant }
  }

  const largestLimit = memoized(async () => {
    for (const limit of limits) if (succeeded(await client.send(listRequest(`?limit=${limit}`)))) return limit
    return 1
  })

  /** A list with the largest limit that the service accepts. */
  const list = async (as: CallerRole = 'caller'): Promise<TestResponse> => {
    const response = await client.send(listRequest(`?limit=${await largestLimit()}`, as))
    longest = Math.max(longest, lengthOf(response))
    return response
  }

  /** In doubt, creates a plant to see whether lists grow. */
  const mayBeTruncated = async (length: number): Promise<boolean> => {
    if (length >= (await largestLimit())) return true
    if (length < longest || !pageSizes.includes(length)) return false
    if (client.canCreate && succeeded(await create())) {
      // Twice: a service may show a new plant only from the second list on.
      await list()
      await list()
    }
    return length === longest
  }

  return {
    ...source,
    create,
    /** The same plant at each call, for checks that need any created plant. */
    first: memoized(create),
    /** The plants whose `create` succeeded, in order of creation. */
    created: created as readonly NewPlant[],
    list,
    /** Lists up to three times, until the list contains the name. */
    async listUntil(name: string): Promise<TestResponse> {
      for (let attempt = 1; ; attempt++) {
        const found = await list()
        if (namesOf(found).includes(name) || attempt === maxListAttempts) return found
      }
    },
    /** @throws InconclusiveError when the list may leave plants out. */
    async requireComplete(found: TestResponse): Promise<void> {
      const length = lengthOf(found)
      if (await mayBeTruncated(length)) throw new InconclusiveError(`the list may be truncated at ${length} plants`)
    },
    /** Creates plants, if allowed, until lists show the limits of the service; once in a check. */
    fill: memoized(() => fillStore(client, create, largestLimit)),
  }
}

/** Unlimited plants and invalid bodies, each different from all others. */
const createPlantSource = (random: () => number) => {
  const randomDigits = (base: number, length: number) =>
    Math.floor(random() * base ** length)
      .toString(base)
      .padStart(length, '0')
  const run = randomDigits(36, 4)
  const firstIdOfRun = firstId + Math.floor(random() * (lastId - firstId - 100_000))
  let count = 0
  return {
    newPlant(): NewPlant {
      const number = count++
      return {
        // Swaps neighbours, so that the order by id differs from the order of creation.
        id: firstIdOfRun + (number ^ 1),
        // Random letters first, so that the order by name differs from the order of creation.
        name: `${namePrefix} ${run} ${randomDigits(26, 3)}-${number}`,
        tag: namePrefix,
      }
    },
    /** A body with fields of wrong types. A service cannot refuse it as a duplicate. */
    invalidBody: () => ({ name: 1, id: `${namePrefix} ${run} ${count++}`, tag: [] }),
  }
}

/** Runs a function once and keeps its result; runs it again only after a failure. */
const memoized = <T>(run: () => Promise<T>): (() => Promise<T>) => {
  let result: Promise<T> | undefined
  return () => {
    result ??= run().catch((error: unknown) => {
      result = undefined
      throw error
    })
    return result
  }
}
