import type { Caller, FixturePlant } from '../contract/schemas.ts'
import { fixtureTable } from '../mock/check-fixtures.ts'
import type { MockEvents } from '../mock/events.ts'
import type { InstanceApi, LocalInstance } from '../mock/instance.ts'
import {
  type PlantFields,
  type PlantMatch,
  type PlantPatch,
  parseFields,
  plantPredicate,
} from '../mock/plant-filter.ts'
import type { Plants, Requests } from '../mock/plant-mock.ts'
import { requestsOf } from '../mock/requests.ts'
import { PlantMockError } from '../util/errors.ts'
import type { ChangeName, Changes } from './command.ts'

/** Appends a change, and returns its result. */
export type Change = <Name extends ChangeName, Result = void>(name: Name, ...args: Changes[Name]) => Promise<Result>

type Access = {
  readonly refreshed: () => Promise<LocalInstance>
  readonly change: Change
  readonly keyOf: (caller: Caller) => Caller
  readonly position: () => number
  readonly epoch: () => string
}

/** How often a change by a function is tried while others change the plants meanwhile. */
const maxAttempts = 100

export const sharedPlants = ({ refreshed, change, keyOf, position, epoch }: Access): Plants => {
  const changeAt = async (matches: (plant: FixturePlant) => boolean, patch: PlantPatch | null): Promise<number> => {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const plants = await (await refreshed()).plants.all()
      const read = { epoch: epoch(), since: position() }
      const positions = plants.flatMap((plant, index) => (matches(plant) ? [index] : []))
      const changed = await change<'changeAt', number | undefined>('changeAt', { ...read, positions }, patch)
      if (changed !== undefined) return changed
    }
    throw new PlantMockError('Others keep changing the plants, so that a function cannot select any. Use a filter.')
  }
  return {
    all: async (match) => (await refreshed()).plants.all(match),
    visibleTo: async (caller) => (await refreshed()).plants.visibleTo(caller),
    find: async (match) => (await refreshed()).plants.find(match),
    async update(match, patch) {
      const keyed = keyedFields(patch, keyOf, 'patch')
      return typeof match === 'function'
        ? changeAt(plantPredicate(match), keyed)
        : change<'update', number>('update', keyedFields(match, keyOf, 'filter'), keyed)
    },
    async remove(match: PlantMatch) {
      return typeof match === 'function'
        ? changeAt(plantPredicate(match), null)
        : change<'remove', number>('remove', keyedFields(match, keyOf, 'filter'))
    },
    clear: () => change('clearPlants'),
  }
}

const keyedFields = (given: PlantFields, keyOf: (caller: Caller) => Caller, kind: 'filter' | 'patch'): PlantFields => {
  const fields = parseFields(given, kind)
  return fields.access ? { ...fields, access: fields.access.map(keyOf) } : fields
}

export const sharedRequests = ({
  refreshed,
  change,
  events,
  hold,
}: Pick<Access, 'refreshed' | 'change'> & {
  readonly events: MockEvents
  /** Keeps the session while somebody listens. */
  readonly hold: () => Promise<void>
}): Requests =>
  requestsOf({
    all: async (match) => (await refreshed()).requests.all(match),
    count: async (match) => (await refreshed()).requests.count(match),
    clear: () => change('clearRequests'),
    async listen(onEntry) {
      await hold()
      return events.listen(({ type }) => {
        if (type === 'request') onEntry()
      })
    },
  })

/** Checked plants, which name callers by their keys. */
export const withKeys = async (
  plants: Parameters<InstanceApi['seed']>[0],
  keyOf: (caller: Caller) => Caller,
): Promise<readonly FixturePlant[]> =>
  Array.from(await fixtureTable(plants), (plant) =>
    plant.access === undefined ? plant : { ...plant, access: [...new Set(plant.access.map(keyOf))] },
  )
