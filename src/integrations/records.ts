import type { Collection as MswCollection } from '@msw/data'
import type { Extension } from '@msw/data/extensions'
import { serializeRecord } from '@msw/data/extensions/persist'
import type { StateChange } from '../core/mock/cell.ts'
import { asFixture, type Plants, type StoredPlant } from '../core/model/plants.ts'
import { isSamePlant } from '../core/model/rows.ts'
import { changePlants } from '../core/model/state.ts'
import { exactJson } from '../util/exact-json.ts'
import { isPromise } from '../util/maybe-promise.ts'

export type Collection = Parameters<Extension['extend']>[0]
export type PlantRecord = Pick<StoredPlant, 'name' | 'tag'> & Partial<StoredPlant>

/** Finds the two private symbols of @msw/data records: `serializeRecord` reads them from a proxy, which notes them. */
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

const optionsOf = (collection: Collection) =>
  (collection as unknown as { readonly options: ConstructorParameters<typeof MswCollection>[0] }).options

/** Other extensions add records only in browser pages, from a storage or another tab. */
export const mayHaveRecords = (collection: Collection): boolean =>
  typeof window !== 'undefined' && (optionsOf(collection).extensions ?? []).length > 1

export const isStored = (collection: Collection): boolean => {
  const [id = Symbol()] = Object.getOwnPropertySymbols(collection)
  const isPersisted = optionsOf(collection).extensions?.some(({ name }) => name === 'persist')
  return isPersisted === true && localStorage.getItem(`msw/data/storage/${(collection as never)[id]}`) !== null
}

export const keyOf = (values: unknown): string | undefined =>
  (values as Readonly<Record<symbol, string>> | undefined)?.[primaryKey]

export const plantOf = ({ id, name, tag, access }: PlantRecord): StoredPlant => ({
  id,
  name,
  tag,
  access: access && [...new Set(access)],
})

export const recordsOf = (collection: Collection) => {
  const create = collection.create.bind(collection)
  const update = collection.update.bind(collection)
  const remove = collection.delete.bind(collection)
  const byKey = () => new Map<string, PlantRecord>(collection.all().map((record) => [keyOf(record) ?? '', record]))
  return {
    plants: () => new Map(Array.from(byKey(), ([key, record]) => [key, plantOf(record)])),
    make(values: object, key: string): PlantRecord | undefined {
      const checked = optionsOf(collection).schema['~standard'].validate(values)
      if (isPromise(checked) || checked.issues) return undefined
      const symbols = { [primaryKey]: { value: key }, [relationMap]: { value: new Map() } }
      return Object.defineProperties(checked.value as PlantRecord, symbols)
    },
    add: (values: object, key?: string): Promise<PlantRecord> =>
      create(key === undefined ? values : { ...values, [primaryKey]: key }),
    async set(key: string, fields: Partial<StoredPlant>): Promise<void> {
      const data = (draft: Record<string, unknown>): void => {
        for (const [name, value] of Object.entries(fields))
          if (value === undefined) delete draft[name]
          else draft[name] = Array.isArray(value) ? [...value] : value
      }
      await update({ [primaryKey]: key }, { data }).catch((error: unknown) => {
        if (byKey().has(key)) throw error
      })
    },
    remove(keys: readonly string[]): void {
      const records = byKey()
      for (const key of keys) if (records.has(key)) remove(records.get(key))
    },
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

/** Wraps the methods of the collection, because hooks run before a write, which may still be refused. */
export const onWritten = (collection: Collection, written: () => void): void => {
  let soon: Promise<void> | undefined
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

export const changedFields = (from: StoredPlant, to: StoredPlant): Partial<StoredPlant> =>
  Object.fromEntries(
    (['id', 'name', 'tag', 'access'] as const)
      .filter((name) => textOf(from[name]) !== textOf(to[name]))
      .map((name) => [name, to[name]]),
  )

const textOf = (value: unknown): string => exactJson(value) ?? ''

const traits: readonly ((plant: StoredPlant, position: number) => unknown)[] = [
  (plant) => textOf(asFixture(plant)),
  ({ id }) => id,
  ({ name }, position) => textOf([position, name]),
]

export const originsOf = (before: Plants, after: Plants): readonly (number | undefined)[] => {
  const isHere = (position: number) =>
    position < before.length && position < after.length && isSamePlant(before.at(position), after.at(position))
  const origins = Array.from({ length: after.length }, (_, position) => (isHere(position) ? position : undefined))
  const left = new Set([...Array(before.length).keys()].filter((position) => !isHere(position)))
  for (const traitOf of traits) {
    const positions = new Map<unknown, number[]>()
    for (const position of left) {
      const trait = traitOf(before.at(position), position)
      const others = positions.get(trait)
      if (others !== undefined) others.push(position)
      else if (trait !== undefined) positions.set(trait, [position])
    }
    for (const [position, origin] of origins.entries()) {
      if (origin !== undefined || left.size === 0) continue
      const found = positions.get(traitOf(after.at(position), position))?.shift()
      if (found === undefined) continue
      origins[position] = found
      left.delete(found)
    }
  }
  return origins
}

export const changeTo = (
  records: ReadonlyMap<string, StoredPlant>,
  plants: Plants,
  keys: readonly string[],
): { readonly change: StateChange; readonly keys: string[] } => {
  const changed = keys.flatMap((key, position) => {
    const [from, to] = [plants.at(position), records.get(key)]
    return to !== undefined && isSamePlant(from, to) ? [] : { position, from, to }
  })
  const known = new Set(keys)
  const newKeys = [...records.keys()].filter((key) => !known.has(key))
  const added = newKeys.flatMap((key) => records.get(key) ?? [])
  return {
    change(state) {
      const changes = changed.flatMap(({ position, from, to }) => {
        const found = findPlant(state.plants, from, position)
        return found < 0 ? [] : [[found, to && { ...state.plants.at(found), ...changedFields(from, to) }] as const]
      })
      const next = changePlants(state, new Map(changes))
      return added.length === 0 ? next : { ...next, plants: next.plants.appendAll(added) }
    },
    keys: [...keys.filter((key) => records.has(key)), ...newKeys],
  }
}

/** Also finds a plant by its id and position, because its other fields may differ under an alternative of `vary`. */
const findPlant = (plants: Plants, plant: StoredPlant, position: number): number => {
  const here = position < plants.length ? plants.at(position) : undefined
  if (here !== undefined && isSamePlant(here, plant)) return position
  const found = Array.from(plants).findIndex((other) => isSamePlant(other, plant))
  return found < 0 && plant.id !== undefined && here?.id === plant.id ? position : found
}
