import type { NewPlant } from '../contract/schemas.ts'
import { isJsonObject } from '../util/json.ts'
import type { Client } from './client.ts'
import { type FilledStore, fillStore } from './fill-store.ts'
import { createPlantSource, type PlantSource } from './plant-source.ts'
import { lengthOf, succeeded, type TestResponse } from './send-request.ts'
import { type CallerRole, createRequest, listRequest } from './test-request.ts'

export { firstId, lastId, namePrefix } from './plant-source.ts'

/** Successful creates in one check, at most: enough for a list of 101 plants and for the other probes. */
export const maxCreated = 125

type Creation = { readonly plant: NewPlant; readonly response: TestResponse }

/** A list with the largest limit that the service accepts. */
export type LongList = {
  readonly response: TestResponse
  /** The names of the elements that have one. */
  readonly names: readonly string[]
  /** The number of elements; 0 for a body that is not an array. */
  readonly length: number
}

/** The plants that a check creates, recognisable by name and id, and the lists in which it looks for them. */
export interface SamplePlants extends PlantSource {
  /** Sends a create of a new plant. */
  create(): Promise<Creation>
  /** The same plant at each call, for checks that need any created plant. */
  first(): Promise<Creation>
  /** The plants whose `create` succeeded, in order of creation. */
  readonly created: readonly NewPlant[]
  /** The largest limit that the service accepts, of those tried. */
  largestLimit(): Promise<number>
  /** @param as Default: `caller`. */
  list(as?: CallerRole): Promise<LongList>
  /** Lists up to three times, until the list contains the name. */
  listUntil(name: string): Promise<LongList>
  /** Whether the store may hold plants that the list leaves out. In doubt, creates a plant to see whether lists grow. */
  mayBeTruncated(list: LongList): Promise<boolean>
  /** Creates plants, if allowed, until lists show the limits of the service; once in a check. */
  fill(): Promise<FilledStore>
}

/** Largest first, because a service may refuse large limits. */
const limits = [1000, 100, 50, 20, 10, 5, 1] as const
/** A list of one of these lengths may be truncated, even if a larger limit was requested. */
const pageSizes: readonly number[] = [10, 20, 25, 30, 40, 50, 100, 200, 250, 500]
const maxListAttempts = 3

/** @param random Numbers from 0 (inclusive) to 1 (exclusive), for names and ids. */
export const createSamplePlants = (client: Client, random: () => number): SamplePlants => {
  const source = createPlantSource(random)
  const created: NewPlant[] = []
  /** A list shorter than the longest so far was not truncated. */
  let longest = 0

  const create = async (): Promise<Creation> => {
    const plant = source.newPlant()
    const response = await client.send(createRequest(plant))
    if (succeeded(response)) created.push(plant)
    return { plant, response }
  }

  const largestLimit = memoized(async () => {
    for (const limit of limits) if (succeeded(await client.send(listRequest(`?limit=${limit}`)))) return limit
    return 1
  })

  const list: SamplePlants['list'] = async (as = 'caller') => {
    const response = await client.send(listRequest(`?limit=${await largestLimit()}`, as))
    const length = lengthOf(response)
    longest = Math.max(longest, length)
    return { response, names: namesIn(response), length }
  }

  return {
    ...source,
    create,
    first: memoized(create),
    created,
    largestLimit,
    list,
    async listUntil(name) {
      for (let attempt = 1; ; attempt++) {
        const found = await list()
        if (found.names.includes(name) || attempt === maxListAttempts) return found
      }
    },
    async mayBeTruncated({ length }) {
      if (length >= (await largestLimit())) return true
      if (length < longest || !pageSizes.includes(length)) return false
      if (client.canCreate && succeeded((await create()).response)) {
        // Twice: a service may show a new plant only from the second list on.
        await list()
        await list()
      }
      return length === longest
    },
    fill: memoized(() => fillStore(client, { create, largestLimit })),
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

const namesIn = ({ json }: TestResponse): readonly string[] =>
  Array.isArray(json)
    ? json.flatMap((plant: unknown) => (isJsonObject(plant) && typeof plant.name === 'string' ? [plant.name] : []))
    : []
