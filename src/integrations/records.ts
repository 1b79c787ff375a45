import type { Collection as MswCollection } from '@msw/data'
import type { Extension } from '@msw/data/extensions'
import { serializeRecord } from '@msw/data/extensions/persist'
import type { StoredPlant } from '../core/model/plants.ts'
import { isPromise } from '../util/maybe-promise.ts'

/** A `Collection` of `@msw/data` with any schema. */
export type Collection = Parameters<Extension['extend']>[0]
export type PlantRecord = Pick<StoredPlant, 'name' | 'tag'> & Partial<StoredPlant>

/** The members of a record that `serializeRecord` reads: symbols that @msw/data does not export. */
const symbolsOfRecords = (): readonly symbol[] => {
  const symbols: symbol[] = []
  const get = (_: object, name: string | symbol): unknown[] => {
    symbols.push(name as symbol)
    return []
  }
  serializeRecord(Object.create(new Proxy({}, { get })))
  return symbols
}
const [primaryKey = Symbol(), relationMap = Symbol()] = symbolsOfRecords()

/** The options of a collection, which are private only in TypeScript. */
const optionsOf = (collection: Collection) =>
  (collection as unknown as { readonly options: ConstructorParameters<typeof MswCollection>[0] }).options

/** Whether another extension may restore records, or receive them from another tab. Those of @msw/data need a page. */
export const mayHaveRecords = (collection: Collection): boolean =>
  typeof window !== 'undefined' && (optionsOf(collection).extensions ?? []).length > 1

/** Whether the extension `persist` of a page has stored this collection before, maybe without a record. */
export const isStored = (collection: Collection): boolean => {
  const [id = Symbol()] = Object.getOwnPropertySymbols(collection)
  const isPersisted = optionsOf(collection).extensions?.some(({ name }) => name === 'persist')
  return isPersisted === true && localStorage.getItem(`msw/data/storage/${(collection as never)[id]}`) !== null
}

/** The primary key of a record, or of record values from another tab; `undefined` for other values. */
export const keyOf = (values: unknown): string | undefined =>
  (values as Readonly<Record<symbol, string>> | undefined)?.[primaryKey]

export const plantOf = ({ id, name, tag, access }: PlantRecord): StoredPlant => ({
  id,
  name,
  tag,
  access: access && [...new Set(access)],
})

/** Reads and writes records by key, without triggering `onWritten`. */
export const recordsOf = (collection: Collection) => {
  const create = collection.create.bind(collection)
  const update = collection.update.bind(collection)
  const remove = collection.delete.bind(collection)
  const byKey = () => new Map<string, PlantRecord>(collection.all().map((record) => [keyOf(record) ?? '', record]))
  return {
    byKey,
    plants: () => new Map(Array.from(byKey(), ([key, record]) => [key, plantOf(record)])),
    /** Makes a record without waiting; `undefined` if the schema is asynchronous, or refuses the values. */
    make(values: object, key: string): PlantRecord | undefined {
      const checked = optionsOf(collection).schema['~standard'].validate(values)
      if (isPromise(checked) || checked.issues) return undefined
      const symbols = { [primaryKey]: { value: key }, [relationMap]: { value: new Map() } }
      return Object.defineProperties(checked.value as PlantRecord, symbols)
    },
    /** @param key Default: a random one. */
    add: (values: object, key?: string): Promise<PlantRecord> =>
      create(key === undefined ? values : { ...values, [primaryKey]: key }),
    async set(key: string, fields: Partial<StoredPlant>): Promise<void> {
      const data = (draft: Record<string, unknown>): void => {
        // A schema may refuse `undefined`.
        for (const [name, value] of Object.entries(fields))
          if (value === undefined) delete draft[name]
          else draft[name] = Array.isArray(value) ? [...value] : value
      }
      await update({ [primaryKey]: key }, { data }).catch((error: unknown) => {
        // The user may have deleted the record meanwhile.
        if (byKey().has(key)) throw error
      })
    },
    remove(keys: readonly string[]): void {
      const records = byKey()
      for (const key of keys) if (records.has(key)) remove(records.get(key))
    },
    /** Sorts the records by these keys, other records last, in place: `all()` returns the collection's own list. */
    arrange(keys: readonly string[]): void {
      const list: PlantRecord[] = collection.all()
      if (keys.every((key, position) => keyOf(list[position]) === key)) return
      const others = byKey()
      const ordered = keys.flatMap((key) => others.get(key) ?? [])
      for (const key of keys) others.delete(key)
      for (const [position, record] of [...ordered, ...others.values()].entries()) list[position] = record
    },
  }
}

/**
 * Calls back at the end of each write. Hooks do not fit: they run before the write, also if the schema then refuses an
 * update, and `clear` skips the hooks of every second record.
 */
export const onWritten = (collection: Collection, written: () => void): void => {
  let soon: Promise<void> | undefined
  /** Coalesces creates that end together, as in `createMany`. */
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
