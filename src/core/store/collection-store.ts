import type { FixturePlant, PlantDraft } from '../contract/schemas.ts'
import { asFixture, type CreateResult, type PlantChanges, type PlantStore, type StoredPlant } from './plant-store.ts'

/** The fields of a plant in a collection. The collection's schema may have more, such as relations. */
export type PlantRecord = {
  id?: number | undefined
  name: string
  tag: string
  access?: string[] | undefined
}

/** The methods that the store uses of a `Collection` of `@msw/data`. */
export interface PlantCollection {
  create(values: PlantRecord): Promise<PlantRecord>
  update(record: never, options: never): Promise<PlantRecord | undefined>
  delete(record: never): unknown
  all(): PlantRecord[]
  clear(): void
}

export type CollectionStoreOptions = {
  /**
   * Returns further fields of a record, for schemas that require them: relations, for example.
   * `caller` is the plant's creator; `undefined` for a fixture. Default: no further fields.
   */
  readonly extend?: (plant: PlantRecord, caller: string | undefined) => object
}

/**
 * Makes a store over a `Collection` of `@msw/data`: plants get relations, queries, and in the browser the `persist` and
 * `sync` extensions. A list scans every record. Writes run one after another, because a collection by itself lets two
 * concurrent creates with one id both succeed.
 */
export const collectionStore = (
  collection: PlantCollection,
  { extend = () => ({}) }: CollectionStoreOptions = {},
): PlantStore => {
  const plants = new WeakMap<PlantRecord, StoredPlant>()
  /** The first version of each updated record: an update replaces the record object. */
  const originals = new WeakMap<PlantRecord, PlantRecord>()
  const originalOf = (record: PlantRecord): PlantRecord => originals.get(record) ?? record

  // The `persist` extension fills a new collection in microtasks, which all run before the next task.
  const hydrated = new Promise<void>((resolve) => setTimeout(resolve, 0))
  let lastWrite: Promise<unknown> = hydrated
  const enqueue = <T>(write: () => Promise<T>): Promise<T> => {
    const result = lastWrite.then(write)
    lastWrite = result.catch(() => undefined)
    return result
  }

  const asPlant = (record: PlantRecord): StoredPlant => {
    const cached = plants.get(record)
    if (cached !== undefined) return cached
    const { id, name, tag, access } = record
    const plant: StoredPlant = { id, name, tag, access: access && [...access] }
    plants.set(record, plant)
    return plant
  }

  const add = async (plant: FixturePlant | StoredPlant, caller?: string): Promise<StoredPlant> => {
    const record = asFixture(plant) as PlantRecord
    return asPlant(await collection.create({ ...record, ...extend(record, caller) }))
  }

  const addAll = async (plants: Iterable<FixturePlant | StoredPlant>): Promise<void> => {
    for (const plant of plants) await add(plant)
  }

  const replaceAll = (plants: Iterable<FixturePlant | StoredPlant>): Promise<void> => {
    collection.clear()
    return addAll(plants)
  }

  const update = async (record: PlantRecord, plant: PlantDraft | StoredPlant): Promise<StoredPlant> => {
    const { id, name, tag } = plant
    const data = (draft: PlantRecord): void => {
      Object.assign(draft, { name, tag })
      set(draft, 'id', id)
      // A create that replaces a plant has no access, and leaves it.
      if ('access' in plant) set(draft, 'access', plant.access && [...plant.access])
    }
    const updated = (await collection.update(record as never, { data } as never)) ?? record
    originals.set(updated, originalOf(record))
    return asPlant(updated)
  }

  /** Keeps the records that still exist, so that their further fields and relations survive; else recreates all. */
  const restore = async (saved: ReadonlyMap<PlantRecord, StoredPlant>): Promise<void> => {
    const records = [...collection.all()]
    const survivors = records.filter((record) => saved.has(originalOf(record)))
    if (survivors.length < saved.size) return replaceAll(saved.values())
    for (const record of records) {
      const plant = saved.get(originalOf(record))
      if (plant === undefined) collection.delete(record as never)
      else if (!isSame(plant, record)) await update(record, plant)
    }
  }

  const capture = () => new Map(collection.all().map((record) => [originalOf(record), asPlant(record)]))

  const apply = async (changes: PlantChanges): Promise<PlantChanges> => {
    const records = new Map(collection.all().map((record) => [asPlant(record), record]))
    const applied = new Map<StoredPlant, StoredPlant | undefined>()
    for (const [plant, next] of changes) {
      const record = records.get(plant)
      if (record === undefined) continue
      if (next === undefined) collection.delete(record as never)
      applied.set(plant, next && (await update(record, next)))
    }
    return applied
  }

  return {
    create: (caller, plant, onDuplicate) =>
      enqueue(async (): Promise<CreateResult> => {
        const isDuplicate = (record: PlantRecord): boolean =>
          record.id === plant.id && (onDuplicate === 'conflict-everywhere' || isVisible(record, caller))
        const found =
          plant.id === undefined || onDuplicate === 'accept' ? undefined : collection.all().findLast(isDuplicate)
        if (found === undefined) return { outcome: 'created', plant: await add({ ...plant, access: [caller] }, caller) }
        if (onDuplicate === 'replace') return { outcome: 'replaced', plant: await update(found, plant) }
        return { outcome: onDuplicate === 'idempotent' ? 'existing' : 'conflict', plant: asPlant(found) }
      }),

    async list(caller, { limit, order }) {
      await hydrated
      const records = order === 'newest' ? collection.all().toReversed() : collection.all()
      const result: StoredPlant[] = []
      for (const record of records) {
        if (result.length >= limit) break
        if (isVisible(record, caller)) result.push(asPlant(record))
      }
      return result
    },

    async knows(caller) {
      await hydrated
      return collection.all().some(({ access }) => access?.includes(caller))
    },

    seed: (plants) => enqueue(() => addAll(plants)),

    all: () => enqueue(async () => collection.all().map(asPlant)),

    replaceAll: (plants) => enqueue(() => replaceAll(plants)),

    change: (decide) =>
      enqueue(async () => {
        const saved = capture()
        const changes = decide(saved.values())
        try {
          return await apply(changes)
        } catch (error) {
          // The schema may refuse a plant after others were changed.
          await restore(saved)
          throw error
        }
      }),

    snapshot: () =>
      enqueue(async () => {
        const saved = capture()
        return () => enqueue(() => restore(saved))
      }),
  }
}

/** Leaves no key without a value: a schema may not accept `undefined`. */
const set = <Key extends 'id' | 'access'>(draft: PlantRecord, key: Key, value: PlantRecord[Key]): void => {
  if (value === undefined) delete draft[key]
  else draft[key] = value
}

const isSame = (a: PlantRecord | StoredPlant, b: PlantRecord | StoredPlant): boolean =>
  a.id === b.id && a.name === b.name && a.tag === b.tag && a.access?.join(' ') === b.access?.join(' ')

const isVisible = ({ access }: PlantRecord, caller: string): boolean => access === undefined || access.includes(caller)
