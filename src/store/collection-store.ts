import type { Caller, FixturePlant, PlantDraft } from '../contract/schemas.ts'
import type { CreateResult, PlantStore, StoredPlant } from './plant-store.ts'

/** The fields of a plant in a collection. The collection's schema may have more, relations among them. */
export type PlantRecord = {
  id?: number | undefined
  name: string
  tag: string
  access?: string[] | undefined
}

/** As much of a `Collection` of `@msw/data` as the store uses. */
export interface PlantCollection {
  create(values: PlantRecord): Promise<PlantRecord>
  update(record: never, options: never): Promise<PlantRecord | undefined>
  delete(record: never): unknown
  all(): PlantRecord[]
  clear(): void
}

export type CollectionStoreOptions = {
  /**
   * More fields for a record, for collections whose schema asks for them: relations, for instance.
   * `caller` is the plant's creator; it is `undefined` when the plant is seeded.
   */
  readonly extend?: (plant: PlantRecord, caller: Caller | undefined) => object
}

/**
 * A store over a `Collection` of `@msw/data`, so that plants live beside a test's other collections, with
 * relations and queries, and in the browser with its `persist` and `sync` extensions.
 * A list looks at every record. Writes wait for one another: a collection alone would let two creates
 * with one id both succeed.
 */
export const collectionStore = (
  collection: PlantCollection,
  { extend = () => ({}) }: CollectionStoreOptions = {},
): PlantStore => {
  const plants = new WeakMap<PlantRecord, StoredPlant>()
  /** The record that an updated one came from: an update puts another object in its place. */
  const origins = new WeakMap<PlantRecord, PlantRecord>()
  const originOf = (record: PlantRecord): PlantRecord => origins.get(record) ?? record

  const hydrated = nextTask()
  let writes: Promise<unknown> = hydrated
  const inTurn = <T>(write: () => Promise<T>): Promise<T> => {
    const result = writes.then(write)
    writes = result.catch(() => undefined)
    return result
  }

  const asPlant = (record: PlantRecord): StoredPlant => {
    const kept = plants.get(record)
    if (kept !== undefined) return kept
    const { id, name, tag, access } = record
    const plant: StoredPlant = { id, name, tag, access: access && [...access] }
    plants.set(record, plant)
    return plant
  }

  const add = async (
    plant: PlantDraft | FixturePlant,
    access: readonly Caller[] | undefined,
    caller?: Caller,
  ) => {
    const record: PlantRecord = {
      ...(plant.id !== undefined && { id: plant.id }),
      name: plant.name,
      tag: plant.tag,
      ...(access !== undefined && { access: [...access] }),
    }
    return asPlant(await collection.create({ ...record, ...extend(record, caller) }))
  }

  const update = async (record: PlantRecord, { name, tag }: PlantDraft): Promise<StoredPlant> => {
    const data = (draft: PlantRecord) => {
      draft.name = name
      draft.tag = tag
    }
    const next = (await collection.update(record as never, { data } as never)) ?? record
    origins.set(next, originOf(record))
    return asPlant(next)
  }

  const clear = async () => collection.clear()

  return {
    create: (caller, plant, onDuplicate) =>
      inTurn(async (): Promise<CreateResult> => {
        const existing =
          plant.id === undefined || onDuplicate === 'accept'
            ? undefined
            : collection.all().findLast((record) => record.id === plant.id && isVisible(record, caller))
        if (existing === undefined) return { outcome: 'created', plant: await add(plant, [caller], caller) }
        return onDuplicate === 'conflict'
          ? { outcome: 'conflict', plant: asPlant(existing) }
          : { outcome: 'replaced', plant: await update(existing, plant) }
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

    seed: (plants) =>
      inTurn(async () => {
        for (const plant of plants) await add(plant, plant.access)
      }),

    all: () => inTurn(async () => collection.all().map(asPlant)),

    refill: (plants) =>
      inTurn(async () => {
        await clear()
        for (const plant of plants) await add(plant, plant.access)
      }),

    snapshot: () =>
      inTurn(async () => {
        const kept = collection.all().map((record) => ({ origin: originOf(record), plant: asPlant(record) }))
        return () => inTurn(() => bringBack(kept))
      }),
  }

  async function bringBack(kept: readonly { origin: PlantRecord; plant: StoredPlant }[]): Promise<void> {
    const wanted = new Set(kept.map(({ origin }) => origin))
    const survivors = collection.all().filter((record) => wanted.has(originOf(record)))
    if (survivors.length < kept.length) {
      await clear()
      for (const { plant } of kept) await add(plant, plant.access)
      return
    }
    for (const record of collection.all().filter((record) => !wanted.has(originOf(record))))
      collection.delete(record as never)
    for (const [i, record] of survivors.entries()) {
      const plant = kept[i]?.plant
      if (plant !== undefined && (plant.name !== record.name || plant.tag !== record.tag))
        await update(record, plant)
    }
  }
}

const isVisible = ({ access }: PlantRecord, caller: Caller): boolean =>
  access === undefined || access.includes(caller)

/** The `persist` extension fills a new collection in microtasks; by the next task it has done so. */
const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))
