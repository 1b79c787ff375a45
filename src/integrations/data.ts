import { defineExtension, type Extension } from '@msw/data/extensions'
import { describeField, type FixturePlant, validateFixturePlant } from '../core/contract/schemas.ts'
import type { StateChange } from '../core/mock/cell.ts'
import { localMock } from '../core/mock/create-plant-mock.ts'
import type { LocalInstance } from '../core/mock/instance.ts'
import type { PlantMock } from '../core/mock/plant-mock.ts'
import { asFixture, type Plants } from '../core/model/plants.ts'
import { isSamePlant } from '../core/model/rows.ts'
import type { State } from '../core/model/state.ts'
import { PlantMockError } from '../util/errors.ts'
import { isPromise, type MaybePromise } from '../util/maybe-promise.ts'
import {
  type Collection,
  changedFields,
  changeTo,
  isStored,
  keyOf,
  mayHaveRecords,
  onWritten,
  originsOf,
  type PlantRecord,
  plantOf,
  recordsOf,
} from './records.ts'

export type MirrorOptions = {
  /** Returns further fields of a plant's record, such as relations. `plant.access` names the creator, if known. */
  readonly fields?: (plant: FixturePlant) => MaybePromise<object>
}

/**
 * Returns an extension for a `Collection` of `@msw/data` whose records are the plants of a mock. The mock writes each
 * change of its plants to the collection before it responds, and each write to the collection changes the plants.
 * Sessions of the mock have their own plants, which the collection does not contain.
 * @throws PlantMockError for a mock that is not in this process, or already keeps its plants elsewhere.
 */
export const mirrorPlants = (mock: PlantMock, { fields = () => ({}) }: MirrorOptions = {}): Extension => {
  const { root } = localMock(mock, 'mirrorPlants()').instances
  if (!('keepElsewhere' in root))
    throw new PlantMockError('mirrorPlants() does not support a mock whose state is in a store.')
  return defineExtension({
    name: 'plant-mock',
    extend: (collection) => mirror(root as LocalInstance, collection, fields),
  })
}

const mirror = (
  instance: LocalInstance,
  collection: Collection,
  fields: NonNullable<MirrorOptions['fields']>,
): void => {
  const records = recordsOf(collection)
  let keys: string[] = []

  const take = (plants: Plants): StateChange => {
    const taken = changeTo(records.plants(), plants, keys)
    keys = taken.keys
    return taken.change
  }

  const follow = (): void => {
    let change: StateChange | undefined
    const adopted = instance.adopt((state) => {
      change ??= take(state.plants)
      return change(state)
    })
    // Ignores the rejection if the mock could not start, because each later request reports the reason.
    if (isPromise(adopted)) adopted.catch(() => undefined)
  }

  const initialFields: MaybePromise<object>[] = []

  const fillSynchronously = (plants: Plants): boolean => {
    const made: PlantRecord[] = []
    for (const [position, plant] of [...plants].entries()) {
      const values = asFixture(plant)
      const more = fields(values)
      initialFields[position] = more
      const record = isPromise(more) ? undefined : records.make({ ...more, ...values }, initialKey(position))
      if (record === undefined) return false
      checkPlant(record)
      made.push(record)
    }
    for (const record of made) collection.all().push(record)
    keys = made.map((_, position) => initialKey(position))
    return true
  }

  const write = async (before: Plants, after: Plants, isInitial = false): Promise<StateChange | undefined> => {
    // Waits once, so that `write` is pending when the collection reports changes: the mock queues changes only then.
    await undefined
    const origins = after.extends(before) ? undefined : originsOf(before, after)
    const next = origins?.map((origin) => (origin === undefined ? undefined : keys[origin])) ?? keys
    const known = keys.length
    const undo: (() => unknown)[] = []
    let mayDiffer = origins !== undefined
    try {
      for (const [position, origin] of origins?.entries() ?? []) {
        const key = next[position]
        if (key === undefined || origin === undefined) continue
        const [from, to] = [before.at(origin), after.at(position)]
        if (isSamePlant(from, to)) continue
        await records.set(key, changedFields(from, to))
        undo.push(() => records.set(key, changedFields(to, from)))
      }
      for (let position = origins === undefined ? known : 0; position < after.length; position++) {
        if (next[position] !== undefined) continue
        const plant = after.at(position)
        const values = asFixture(plant)
        const more = await ((isInitial && initialFields[position]) || fields(values))
        const record = await records.add({ ...more, ...values }, isInitial ? initialKey(position) : undefined)
        const key = keyOf(record) ?? ''
        undo.push(() => records.remove([key]))
        next[position] = key
        mayDiffer ||= !isSamePlant(plantOf(record), plant)
      }
      if (origins !== undefined) {
        const kept = new Set(next)
        records.remove(keys.filter((key) => !kept.has(key)))
      }
      keys = next as string[]
      records.arrange(keys)
      return mayDiffer ? take(after) : undefined
    } catch (error) {
      keys.length = known
      for (const step of undo.reverse())
        try {
          await step()
        } catch {
          mayDiffer = true
        }
      if (mayDiffer) follow()
      throw error
    }
  }

  const { isRestored } = guard(collection)
  onWritten(collection, follow)
  const begin = async (state: State): Promise<State> => {
    const isShared = mayHaveRecords(collection)
    // Waits for the extension `persist` of @msw/data, which restores records in microtasks.
    if (isShared) await new Promise((resolve) => setTimeout(resolve, 0))
    const isReplaced = isRestored() || (isShared && isStored(collection))
    if (isReplaced) keys = Array.from(state.plants, () => '')
    const change = isReplaced ? undefined : await write(state.plants, state.plants, true)
    return (change ?? take(state.plants))(state)
  }
  instance.keepElsewhere(
    (before, after) => write(before, after),
    (state) =>
      !mayHaveRecords(collection) && fillSynchronously(state.plants) ? take(state.plants)(state) : begin(state),
  )
}

/** All browser tabs use the same keys, so that the extension `sync` of @msw/data does not duplicate fixtures. */
const initialKey = (position: number): string => `plant-mock/${position}`

/** Ignores records with a known key, because `sync` of @msw/data sends all records of a new tab to the other tabs. */
const guard = (collection: Collection) => {
  let isRestored: boolean | undefined
  let isConstructed = false
  const firstVersions = new Map<string | undefined, PlantRecord>()
  queueMicrotask(() => {
    isConstructed = true
  })
  collection.hooks.earlyOn('create', ({ data: { record, initialValues } }) => {
    if (keyOf(initialValues) !== undefined) isRestored ??= true
    checkPlant(record)
    firstVersions.set(keyOf(record), record)
  })
  collection.hooks.earlyOn('update', ({ data }) => checkPlant(data.nextRecord))
  const create = collection.create.bind(collection)
  collection.create = async (values) => {
    const key = keyOf(values)
    if (key === undefined) return create(values)
    if (isConstructed) isRestored ??= false
    return firstVersions.get(key) ?? create(values)
  }
  return { isRestored: () => isRestored === true }
}

const checkPlant = ({ id, name, tag, access }: PlantRecord): void => {
  const checked = validateFixturePlant({ id, name, tag, access })
  if ('errors' in checked)
    throw new PlantMockError(`Each record must be a plant: ${checked.errors.map(describeField).join('; ')}.`)
}
