import type { Entry } from '../../core/assumptions/file.ts'
import type { AssumptionId, AssumptionValue } from '../../core/assumptions/registry.ts'
import type { NewPlant } from '../../core/contract/schemas.ts'
import { isJsonObject } from '../../util/json.ts'
import { memoized } from '../../util/lazy.ts'
import type { ProbeFinding } from '../read/finding.ts'
import { elementsOf, lengthOf, refused, succeeded, type TestResponse } from '../read/response.ts'
import { type CallerRole, createRequest, listRequest } from '../read/test-request.ts'
import { excerpt } from '../read/verdict.ts'
import type { Client } from './client.ts'
import type { SamplePlantSource } from './plant-source.ts'
import { createSampleCreates, requireCreated } from './sample-creates.ts'
import { createSampleLists, requireArray } from './sample-lists.ts'
import { InconclusiveError } from './send-request.ts'

/** A list with the length of a usual page may be truncated, even if the request has a larger limit. */
const pageSizes: readonly number[] = [10, 20, 25, 30, 40, 50, 100, 200, 250, 500]

export type Samples = ReturnType<typeof createSamplePlants>

export type CheckContext = {
  readonly client: Client
  readonly samples: Samples
  readonly findings: ReadonlyMap<AssumptionId, Entry | undefined>
  readonly first: TestResponse | undefined
}

export type Probe<Value extends AssumptionValue = AssumptionValue, Nothing = never> = (
  context: CheckContext,
) => Promise<ProbeFinding<Value> | Nothing>

export type PlanRow = (context: CheckContext) => Promise<void>

export const createSamplePlants = (client: Client, source: SamplePlantSource) => {
  const creates = createSampleCreates(client, source)
  const lists = createSampleLists(client, source)
  const { create, sendChanged } = creates
  const { list, listUntil, isAtLimit, longest, shows } = lists

  const grows = async (): Promise<boolean> => {
    const before = longest()
    await listUntil(requireCreated(await create()).plant)
    return longest() > before
  }

  const knowsIds = memoized(async () => {
    if (!client.canCreate) return false
    const { plant } = requireCreated(await create())
    return refused(await client.send(createRequest(plant)))
  })

  const storesForOther = memoized(async () => {
    if (!client.canCreate || !client.hasOther) return false
    const creation = await sendChanged((plant) => plant, { as: 'other' })
    return succeeded(creation) && shows(await list('other'), creation.plant)
  })

  const requireLabels = (found: TestResponse): readonly unknown[] => {
    const plants = requireArray(found)
    const isShown = (field: 'name' | 'tag') => (element: unknown) =>
      isJsonObject(element) && typeof element[field] === 'string'
    if (plants.length > 0 && !(plants.every(isShown('name')) && plants.some(isShown('tag'))))
      throw new InconclusiveError('the listed plants show no names or no tags')
    return plants
  }

  const requireComplete = async (found: TestResponse): Promise<void> => {
    const { length } = requireLabels(found)
    if (!(await isAtLimit(found))) {
      if (length === 0 || length < longest() || (client.canCreate && (await grows()))) return
      const isOwn = elementsOf(found).some((element) => source.keyOf(element) !== undefined)
      if (!pageSizes.includes(length) && !isOwn && !(await knowsIds()) && !(await storesForOther())) return
    }
    throw new InconclusiveError(`the list may be truncated at ${length} plants`)
  }

  return {
    ...source,
    ...creates,
    ...lists,
    requireLabels,
    requireComplete,
    async findMissing(plants: readonly NewPlant[], { as, copies }: { as?: CallerRole; copies?: number } = {}) {
      const options = { ...(as && { as }), ...(copies && { copies }) }
      let found: TestResponse | undefined
      for (const plant of plants.toReversed()) {
        if (found && shows(found, plant, copies)) continue
        found = await listUntil(plant, options)
        if (shows(found, plant, copies)) continue
        await requireComplete(found)
        return { plant, list: found, label: excerpt(source.labelOf(plant) ?? ''), length: lengthOf(found) }
      }
      return undefined
    },
    grows,
    fill: memoized(() => fillStore(client, creates, lists)),
  }
}

export const aboveMaxLimit = 101
const batchSize = 25

const fillStore = async (
  client: Client,
  { create }: ReturnType<typeof createSampleCreates>,
  { listUntil, largestLimit }: ReturnType<typeof createSampleLists>,
): Promise<{ readonly aboveMax: TestResponse; readonly minPlants: number; readonly isStuck: boolean }> => {
  const list = (limit: number) => client.send(listRequest(`?limit=${limit}`))

  const fillTo = async (goal: number): Promise<{ length: number; isStuck: boolean }> => {
    // Lists twice, because some services show a new plant only from the second list on.
    await list(goal)
    let length = lengthOf(await list(goal))
    for (let batch = 1; client.canCreate && length < goal; batch = batchSize) {
      const target = Math.min(goal, length + batch)
      const plants: NewPlant[] = []
      for (let i = length; i < target; i++) {
        const creation = await create()
        if (!succeeded(creation)) return { length: lengthOf(await list(goal)), isStuck: false }
        plants.push(creation.plant)
      }
      // Waits for each plant, because a newer plant may appear before an older plant.
      for (const plant of plants.reverse()) if (lengthOf(await listUntil(plant, { isSteady: true })) >= target) break
      length = lengthOf(await list(goal))
      if (length < target) return { length, isStuck: true }
    }
    return { length, isStuck: false }
  }

  const aboveMax = await list(aboveMaxLimit)
  const isTaken = succeeded(aboveMax) && Array.isArray(aboveMax.json)
  const limit = isTaken ? aboveMaxLimit : await largestLimit()
  if (!isTaken && (!refused(aboveMax) || lengthOf(await list(limit)) === 0))
    return { aboveMax, minPlants: 0, isStuck: false }
  const { length, isStuck } = await fillTo(limit)
  await list(limit)
  const most = isStuck ? lengthOf(await list(await largestLimit())) : length
  const isCut = isStuck && most === length
  const mayAdd = !isTaken && client.canCreate && length === limit
  const hasOneMore = isCut || (mayAdd && succeeded(await create()))
  return { aboveMax, minPlants: most + (hasOneMore ? 1 : 0), isStuck: isCut }
}
