import { andThen, type MaybePromise } from '../../util/maybe-promise.ts'
import type { FixturePlant, PlantDraft } from '../contract/schemas.ts'

/** A plant as a store holds it. Immutable: replacing a plant makes another object. */
export type StoredPlant = PlantDraft & {
  /** The callers that may see the plant; `undefined` means every caller. */
  readonly access: readonly string[] | undefined
  // perf: the service serialises a plant once, on its first list, and caches the text here (`npm run bench`).
  json?: string | undefined
}

/**
 * The effect of a create when the caller may already access a plant with that id; under `conflict-everywhere`, when any
 * plant has it.
 */
export type OnDuplicate = 'conflict' | 'conflict-everywhere' | 'accept' | 'replace' | 'idempotent'

export type CreateResult = {
  /** `existing`: nothing changed, under `idempotent`. */
  readonly outcome: 'created' | 'replaced' | 'conflict' | 'existing'
  /** The new plant; under `conflict` and `existing`, the existing one. */
  readonly plant: StoredPlant
}

/** Each plant that changes, with its new form; `undefined` when it is removed. */
export type PlantChanges = ReadonlyMap<StoredPlant, StoredPlant | undefined>

export type ListOptions = {
  /** Maximum number of plants; `Infinity` for all. */
  readonly limit: number
  readonly order: 'added' | 'newest'
}

/**
 * Holds the plants of a mock instance. A plant is visible to the callers in its `access`, or to all callers without
 * `access`. All plants, shared or not, have one order: the order in which they were added.
 */
export interface PlantStore {
  /**
   * Adds a plant that this caller alone may see. With `replace`, an existing plant keeps its position and its `access`.
   * Atomic: of concurrent creates with one id, exactly one is `created` under `conflict`.
   */
  create(caller: string, plant: PlantDraft, onDuplicate: OnDuplicate): MaybePromise<CreateResult>
  /** The plants visible to the caller (contract, 4.2). */
  list(caller: string, options: ListOptions): MaybePromise<readonly StoredPlant[]>
  /** Whether the `access` of any plant names the caller. */
  knows(caller: string): MaybePromise<boolean>
  /** Appends fixtures. */
  seed(plants: Iterable<FixturePlant>): MaybePromise<void>
  /** Every plant of every caller. */
  all(): MaybePromise<readonly StoredPlant[]>
  /** The same, read one by one when they are taken. Default: `all()`. */
  rows?(): MaybePromise<Iterable<StoredPlant>>
  /** The number of plants of every caller. Default: that of `all()`. */
  count?(): MaybePromise<number>
  /** Replaces all plants with fixtures; a durable store replaces all of them or none. */
  replaceAll(plants: Iterable<FixturePlant>): MaybePromise<void>
  /**
   * Changes or removes the plants that `decide` selects from all of them; a changed plant keeps its position. Atomic: if
   * `decide` throws, or a change cannot be stored, nothing changes. Returns the changes, with the objects that the store
   * holds now. Default: none, and `update` and `remove` of a mock fail.
   */
  change?(decide: (plants: Iterable<StoredPlant>) => PlantChanges): MaybePromise<PlantChanges>
  /** Captures the plants; the returned function restores them, any number of times. */
  snapshot(): MaybePromise<() => MaybePromise<void>>
  /** The key under which `access` names a caller. Default: the token itself. */
  callerKey?(caller: string): string
}

/** The number of plants in a store. */
export const countPlants = (store: PlantStore): MaybePromise<number> =>
  store.count?.() ?? andThen(store.all(), ({ length }) => length)

/** A fixture of a plant, without keys that have no value. */
export const asFixture = ({ id, name, tag, access }: FixturePlant | StoredPlant): FixturePlant => ({
  ...(id !== undefined && { id }),
  name,
  tag,
  ...(access !== undefined && { access: [...access] }),
})
