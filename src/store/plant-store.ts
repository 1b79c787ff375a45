import type { Caller, FixturePlant, PlantDraft } from '../contract/schemas.ts'
import type { MaybePromise } from '../util/maybe-promise.ts'

/** A plant as a store holds it. Never changed in place: a replaced plant is another object. */
export type StoredPlant = PlantDraft & {
  /** The callers that may see the plant; `undefined` means every caller. */
  readonly access: readonly Caller[] | undefined
  /** Room for the plant's JSON text, so that the service need not serialise it for each list. */
  json?: string
}

/** What a create does when the caller may already access a plant with that id. */
export type OnDuplicate = 'conflict' | 'accept' | 'replace'

export type CreateResult = {
  readonly outcome: 'created' | 'replaced' | 'conflict'
  readonly plant: StoredPlant
}

export type ListOptions = {
  /** The largest number of plants to return. */
  readonly limit: number
  readonly order: 'added' | 'newest'
}

/**
 * Where the plants are. A plant is visible to the callers in its `access`, or to all;
 * a created plant is visible to its creator. Lists come in one order for shared and own plants: as added.
 */
export interface PlantStore {
  /**
   * Adds a plant for one caller. Looking for a plant with the same id (among those the caller may access)
   * and adding are one step: of concurrent creates with one id, exactly one is `created` under `conflict`.
   */
  create(caller: Caller, plant: PlantDraft, onDuplicate: OnDuplicate): MaybePromise<CreateResult>
  list(caller: Caller, options: ListOptions): MaybePromise<readonly StoredPlant[]>
  /** Whether some plant's `access` names the caller. */
  knows(caller: Caller): MaybePromise<boolean>
  /** Adds fixtures behind what is there. */
  seed(plants: Iterable<FixturePlant>): MaybePromise<void>
  /** Every plant of every caller, as added. */
  all(): MaybePromise<readonly StoredPlant[]>
  /** Puts fixtures in the place of all that is there. A store that is kept in a file does so in one step, or not at all. */
  refill(plants: Iterable<FixturePlant>): MaybePromise<void>
  /** Remembers the plants as they are; the function it gives brings them back, as often as wanted. */
  snapshot(): MaybePromise<() => MaybePromise<void>>
  /** The name by which `access` of its plants knows a caller. Left out: the token itself. */
  nameOf?(caller: Caller): Caller
}

/** A stored plant as a fixture has it. */
export const asFixture = ({ id, name, tag, access }: StoredPlant): FixturePlant => ({
  ...(id !== undefined && { id }),
  name,
  tag,
  ...(access !== undefined && { access: [...access] }),
})
