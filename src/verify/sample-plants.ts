import type { AssumptionId } from '../core/assumptions/registry.ts'
import type { NewPlant } from '../core/contract/schemas.ts'
import { memoized } from '../util/memoized.ts'
import { type Client, InconclusiveError } from './client.ts'
import { fillStore } from './fill-store.ts'
import type { Finding } from './finding.ts'
import type { ConformanceOptions } from './options.ts'
import { createPlantSource } from './plant-source.ts'
import { createSampleCreates, requireCreated } from './sample-creates.ts'
import { createSampleLists, requireArray } from './sample-lists.ts'
import { elementsOf, lengthOf, refused, succeeded, type TestResponse } from './send-request.ts'
import { createRequest } from './test-request.ts'

/** A list of one of these lengths may be truncated, even if a larger limit was requested. */
const pageSizes: readonly number[] = [10, 20, 25, 30, 40, 50, 100, 200, 250, 500]

/** Passed to every rule and probe. */
export type CheckContext = {
  readonly client: Client
  readonly samples: Samples
  /** The findings of the probes before. */
  readonly findings: ReadonlyMap<AssumptionId, Finding>
  /** The response to the first list; `undefined` when the check was stopped before. */
  readonly first: TestResponse | undefined
}

export type Samples = ReturnType<typeof createSamplePlants>

type Options = Pick<ConformanceOptions, 'plant' | 'ids' | 'random' | 'now'>

/** The plants that a check creates, recognisable by name and id, and the lists in which it looks for them. */
export const createSamplePlants = (client: Client, options: Options) => {
  const source = createPlantSource(options.random ?? Math.random, options.now ?? Date.now, options)
  client.evidence.keyOf = (element) => source.keyOf(element)
  const creates = createSampleCreates(client, source)
  const lists = createSampleLists(client, source)
  const { create, sendChanged } = creates
  const { list, listUntil, listUntilSteady, largestLimit, isAtLimit, longest, shows } = lists

  /** In doubt, creates plants: whether lists grow, and whether the service knows a plant that no list shows. */
  const mayBeTruncated = async (found: TestResponse): Promise<boolean> => {
    const length = lengthOf(found)
    if (await isAtLimit(found)) return true
    if (length === 0 || length < longest() || (client.canCreate && (await grows()))) return false
    if (pageSizes.includes(length)) return true
    if (elementsOf(found).some((element) => source.keyOf(element) !== undefined)) return true
    return (await knowsIds()) || storesForOther()
  }

  /** Whether lists get longer by a created plant. */
  const grows = async (): Promise<boolean> => {
    const before = longest()
    await listUntil(requireCreated(await create()).plant)
    return longest() > before
  }

  /** Whether the service refuses a create that it has accepted before. */
  const knowsIds = memoized(async () => {
    if (!client.canCreate) return false
    const { plant } = requireCreated(await create())
    return refused(await client.send(createRequest(plant)))
  })

  /** Whether the list of another caller, which may be shorter, shows a plant that this caller creates. */
  const storesForOther = memoized(async () => {
    if (!client.canCreate || !client.hasToken('other')) return false
    const creation = await sendChanged((plant) => plant, { as: 'other' })
    return succeeded(creation) && shows(await list('other'), creation.plant)
  })

  return {
    newPlant: () => source.newPlant(),
    invalidBody: () => source.invalidBody(),
    recognise: (element: unknown) => source.recognise(element),
    labelOf: (element: unknown) => source.labelOf(element),
    /** The part of a label that no other plant has. */
    keyOf: (plant: NewPlant) => source.keyOf(plant),
    ...creates,
    ...lists,
    /** @throws InconclusiveError when the list may leave plants out, or shows no names. */
    async requireComplete(found: TestResponse): Promise<void> {
      const plants = requireArray(found)
      if (plants.some((element) => source.labelOf(element) === undefined))
        throw new InconclusiveError('the listed plants show no names')
      if (await mayBeTruncated(found))
        throw new InconclusiveError(`the list may be truncated at ${plants.length} plants`)
    },
    grows,
    /** Creates plants, if allowed, until lists show the limits of the service; once in a check. */
    fill: memoized(() => fillStore(client, create, listUntilSteady, largestLimit)),
  }
}
