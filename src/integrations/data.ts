import { defineExtension, type Extension } from '@msw/data/extensions'
import { deserializeRecord } from '@msw/data/extensions/persist'
import { describeField, type FixturePlant, validateFixturePlant } from '../core/contract/schemas.ts'
import { localMock } from '../core/mock/create-plant-mock.ts'
import type { LocalInstance } from '../core/mock/instance.ts'
import type { PlantMock } from '../core/mock/plant-mock.ts'
import { asFixture, Plants, type StoredPlant } from '../core/model/plants.ts'
import { replacePlants, type State } from '../core/model/state.ts'
import { PlantMockError } from '../util/errors.ts'
import { isPromise, type MaybePromise } from '../util/maybe-promise.ts'
import { changedFields, isEmpty, originsOf, takeOver } from './mirrored-plants.ts'

export type MirrorOptions = {
  /**
   * Returns the further fields of a new record, such as relations. `access` of the plant names the caller who created it;
   * a fixture may have none. Default: no further fields.
   */
  readonly fields?: (plant: FixturePlant) => MaybePromise<object>
}

/**
 * An extension for a `Collection` of `@msw/data` whose records are the plants of a mock: the mock writes each change of
 * plants to the collection before it responds, and each write to the collection changes the plants. Sessions of the mock
 * keep plants of their own.
 * @throws PlantMockError for a mock that is not in this process, or keeps its plants elsewhere already.
 */
export const mirrorPlants = (mock: PlantMock, { fields = () => ({}) }: MirrorOptions = {}): Extension => {
  const { root } = localMock(mock, 'mirrorPlants()').instances
  if (!('keepElsewhere' in root))
    throw new PlantMockError('mirrorPlants() needs a mock of this process alone, not one of a shared state.')
  return defineExtension({
    name: 'plant-mock',
    extend: (collection) => mirror(root as LocalInstance, collection, fields),
  })
}

type Collection = Parameters<Extension['extend']>[0]
type PlantRecord = Pick<StoredPlant, 'name' | 'tag'> & Partial<StoredPlant>

/** The symbol of primary keys, which @msw/data does not export. */
const [primaryKey = Symbol()] = Object.getOwnPropertySymbols(
  deserializeRecord({ __metadata__: { primaryKey: '', relations: [] } }),
)
const keyOf = (record: unknown): string => (record as Readonly<Record<symbol, string>> | undefined)?.[primaryKey] ?? ''
const plantOf = ({ id, name, tag, access }: PlantRecord): StoredPlant => ({
  id,
  name,
  tag,
  access: access && [...access],
})

const mirror = (
  instance: LocalInstance,
  collection: Collection,
  fields: NonNullable<MirrorOptions['fields']>,
): void => {
  const table = tableOf(collection)
  /** The key of the record of each plant. */
  let keys: string[] = []
  /** Whether an extension such as `persist` brings records: those have keys before they are created. */
  let isRestored = false

  const take = (state: State): State => {
    const taken = takeOver(state, keys, table.all())
    keys = taken.keys
    return taken.state
  }

  const follow = (): void => {
    const adopted = instance.adopt(take)
    // Rejected only if the mock could not begin, and then each request fails with the reason.
    if (isPromise(adopted)) adopted.catch(() => undefined)
  }

  /** Writes a whole change or nothing of it. Removals come last, because nothing can undo them. */
  const write = async (before: Plants, after: Plants, keyAt?: (position: number) => string): Promise<void> => {
    // From here on, the mock knows that a write is under way.
    await undefined
    const origins = after.extends(before) ? undefined : originsOf(before, after)
    const next = origins?.map((origin) => (origin === undefined ? undefined : keys[origin])) ?? keys
    const first = origins === undefined ? before.length : 0
    const undo: (() => unknown)[] = []
    let mayDiffer = origins !== undefined
    try {
      for (const [position, origin] of origins?.entries() ?? []) {
        const key = next[position]
        if (key === undefined || origin === undefined) continue
        const [from, to] = [before.at(origin), after.at(position)]
        await table.set(key, changedFields(from, to))
        undo.push(() => table.set(key, changedFields(to, from)))
      }
      for (let position = first; position < after.length; position++) {
        if (next[position] !== undefined) continue
        const plant = after.at(position)
        const values = asFixture(plant)
        const record = await table.add({ ...values, ...(await fields(values)) }, keyAt?.(position))
        undo.push(() => table.remove([keyOf(record)]))
        next[position] = keyOf(record)
        mayDiffer ||= !isEmpty(changedFields(plantOf(record), plant))
      }
      if (origins !== undefined) {
        const kept = new Set(next)
        table.remove(keys.filter((key) => !kept.has(key)))
      }
      keys = next as string[]
      table.arrange(keys)
    } catch (error) {
      keys.length = before.length
      for (const step of undo.reverse()) await step()
      throw error
    } finally {
      if (mayDiffer) follow()
    }
  }

  // Before the listener with which `sync` shows the record to other tabs.
  collection.hooks.earlyOn('create', ({ data: { record, initialValues } }) => {
    isRestored ||= keyOf(initialValues) !== ''
    checkPlant(record)
  })
  collection.hooks.earlyOn('update', ({ data }) => checkPlant(data.nextRecord))
  const create = collection.create.bind(collection)
  // With `sync`, a tab that begins sends all of its records, also those that this one has.
  collection.create = async (values) => table.find(keyOf(values)) ?? create(values)
  onWritten(collection, follow)
  instance.keepElsewhere(write, async (state) => {
    // The extension `persist` needs no more than microtasks.
    if (typeof window !== 'undefined') await new Promise((resolve) => setTimeout(resolve, 0))
    if (isRestored) return take(replacePlants(state, Plants.none))
    // The same keys in each tab: the extension `sync` sends all records of a tab to the others.
    await write(Plants.none, state.plants, (position) => `plant-mock/${position}`)
    return take(state)
  })
}

/** The records of a collection by their keys, with the writes of the mock itself, which `onWritten` does not see. */
const tableOf = (collection: Collection) => {
  const create = collection.create.bind(collection)
  const update = collection.update.bind(collection)
  const remove = collection.delete.bind(collection)
  const records = () => new Map<string, PlantRecord>(collection.all().map((record) => [keyOf(record), record]))
  // A record that another tab sends, and that is here already.
  Object.assign(collection, {
    create: async (values: object) =>
      (keyOf(values) === '' ? undefined : records().get(keyOf(values))) ?? create(values),
  })
  return {
    find: (key: string) => (key === '' ? undefined : records().get(key)),
    all: () => new Map(Array.from(records(), ([key, record]) => [key, plantOf(record)])),
    add: (values: object, key?: string): Promise<PlantRecord> =>
      create(key === undefined ? values : { ...values, [primaryKey]: key }),
    async set(key: string, fields: Partial<StoredPlant>): Promise<void> {
      if (isEmpty(fields)) return
      const data = (draft: Record<string, unknown>): void => {
        // A schema may not accept `undefined`.
        for (const [name, value] of Object.entries(fields))
          if (value === undefined) delete draft[name]
          else draft[name] = Array.isArray(value) ? [...value] : value
      }
      await update({ [primaryKey]: key }, { data }).catch((error: unknown) => {
        // Without the record, the user has deleted it meanwhile.
        if (records().has(key)) throw error
      })
    },
    remove(keys: readonly string[]): void {
      const known = records()
      for (const key of keys) if (known.has(key)) remove(known.get(key))
    },
    /** Orders the records by these keys; others come last. `all()` returns the list of the collection, not a copy. */
    arrange(keys: readonly string[]): void {
      const list: PlantRecord[] = collection.all()
      if (keys.every((key, position) => keyOf(list[position]) === key)) return
      const left = records()
      const ordered = keys.flatMap((key) => left.get(key) ?? [])
      for (const key of keys) left.delete(key)
      for (const [position, record] of [...ordered, ...left.values()].entries()) list[position] = record
    },
  }
}

/**
 * Calls back at the end of each write. Hooks cannot do that: they run before the write, those of updates also when the schema
 * refuses it then, and `clear` runs them for every other record.
 */
const onWritten = (collection: Collection, written: () => void): void => {
  let soon: Promise<void> | undefined
  /** Once for all creates that end together, such as those of `createMany`. */
  const writtenSoon = (): Promise<void> => {
    soon ??= Promise.resolve().then(() => {
      soon = undefined
      written()
    })
    return soon
  }
  for (const name of ['create', 'update', 'updateMany', 'delete', 'deleteMany', 'clear'] as const) {
    const write = collection[name].bind(collection) as (...args: readonly unknown[]) => unknown
    const watched = (...args: readonly unknown[]): unknown => {
      let result: unknown
      try {
        result = write(...args)
        return isPromise(result) ? result.finally(writtenSoon) : result
      } finally {
        if (!isPromise(result)) written()
      }
    }
    Object.assign(collection, { [name]: watched })
  }
}

const checkPlant = ({ id, name, tag, access }: PlantRecord): void => {
  const checked = validateFixturePlant({ id, name, tag, access })
  if ('errors' in checked)
    throw new PlantMockError(`Each record must be a plant: ${checked.errors.map(describeField).join('; ')}.`)
}
