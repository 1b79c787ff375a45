import type { Assume, Assumptions } from '../assumptions/registry.ts'
import type { OperationId } from '../contract/operation-ids.ts'
import type { FixturePlant } from '../contract/schemas.ts'
import type { Violation } from '../contract/violation.ts'
import type { Fault } from '../faults/fault.ts'
import type { ActiveFault } from '../faults/faults.ts'
import type { JournalEntry, RequestFilter } from '../journal/entry.ts'
import type { Coverage } from './coverage.ts'
import type { PlantMatch, PlantPatch } from './plant-filter.ts'
import type { PlantsOrNames } from './shipped.ts'

/** The plants of a mock, with ids and access, independent of any caller. */
export interface Plants {
  /** Every plant, or those that match, in the order in which they were added. */
  all(match?: PlantMatch): Promise<readonly FixturePlant[]>
  /** The plants that one caller may access, in the order in which they were added. */
  visibleTo(caller: string): Promise<readonly FixturePlant[]>
  /** The first plant that matches. */
  find(match: PlantMatch): Promise<FixturePlant | undefined>
  /**
   * Changes the plants that match, as somebody else may do at the service. They keep their positions. Ids may repeat, as in
   * fixtures: `create.duplicateId` is about creates.
   * @returns How many plants match.
   * @throws PlantMockError for an invalid patch; then nothing changes.
   * @example
   * await mock.plants.update({ id: 3 }, { tag: 'fern' })
   */
  update(match: PlantMatch, patch: PlantPatch): Promise<number>
  /**
   * Removes the plants that match.
   * @returns How many.
   */
  remove(match: PlantMatch): Promise<number>
  /** Removes every plant. `reset()` still restores the fixtures. */
  clear(): Promise<void>
}

/** Selects exchanges: by properties, or by a function. */
export type RequestMatch = RequestFilter | ((request: JournalEntry) => boolean)

export type WaitOptions = {
  /** In milliseconds, at most 2^31 - 1 (25 days), which stands for `Infinity` too. Default: 1000, so that its message shows before a test runner gives up after 5 s. */
  readonly timeout?: number
}

/** The journal: requests and responses, the oldest first. It keeps the latest 1,000 exchanges by default. */
export interface Requests {
  all(match?: RequestMatch): Promise<readonly JournalEntry[]>
  /** The first that matches. */
  find(match: RequestMatch): Promise<JournalEntry | undefined>
  last(match?: RequestMatch): Promise<JournalEntry | undefined>
  count(match?: RequestMatch): Promise<number>
  clear(): Promise<void>
  /**
   * The first that matches, now or as soon as it is received.
   * @throws PlantMockError after the timeout; the message names the requests that were received.
   */
  waitFor(match: RequestMatch, options?: WaitOptions): Promise<JournalEntry>
}

/** A violation of the contract by an exchange in the journal. */
export type RecordedViolation = Violation & {
  /** The `id` of the exchange in the journal. */
  readonly request: number
  readonly operation?: OperationId
  /** Method, path and query, of which a long one is cut to 200 characters. */
  readonly exchange: string
  /** With the last of 20 violations of one exchange: how many more it has. */
  readonly omitted?: number
}

/** A session: plants, journal, faults and assumptions of its own, beside the other sessions of the same mock. */
export type Session = {
  readonly id: string
  /** How many requests it has received. */
  readonly requests: number
}

export interface Sessions {
  /** The least recently used first. */
  all(): Promise<readonly Session[]>
  /** Drops a session with everything in it. False for an unknown id. */
  drop(id: string): Promise<boolean>
}

/** A mock as its users see it: in this process (`createPlantMock`), or a running server (`connectPlantMock`). */
export interface PlantMock {
  /**
   * Responds as the service would, without network: for clients that take a `fetch` function. A relative URL such as
   * `/plants?limit=1` is allowed; of an absolute one, only path and query count.
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  readonly plants: Plants
  readonly requests: Requests
  /** The violations of the contract in the journal, the oldest first. */
  violations(): Promise<readonly RecordedViolation[]>
  /** The assumptions in force. */
  assumptions(): Promise<Assumptions>
  /**
   * Changes assumptions, from the next request on.
   * @throws PlantMockError for an unknown assumption or value.
   */
  assume(values: Assume): Promise<void>
  /**
   * Adds plants after the existing ones.
   * @param plants Plants, or names of shipped fixtures such as `garden`.
   * @throws PlantMockError for an invalid plant; then none is added.
   */
  seed(plants: PlantsOrNames): Promise<void>
  /** Saves plants and assumptions. The result restores them, as often as it is called. */
  snapshot(): Promise<() => Promise<void>>
  /** Restores fixtures, assumptions and faults of the start, and clears the journal. */
  reset(): Promise<void>
  /**
   * Replaces the fixtures of the start, and all plants with them.
   * @param fixtures Plants, or names of shipped fixtures such as `garden`.
   * @throws PlantMockError for an invalid plant; then nothing changes.
   */
  load(fixtures: PlantsOrNames): Promise<void>
  /**
   * Makes requests fail, late or break. The result removes the fault; `reset()` removes all.
   * @throws PlantMockError for an invalid fault.
   * @example
   * await mock.fail({ operation: 'listPlants', status: 503, times: 1 })
   */
  fail(fault: Fault): Promise<() => Promise<void>>
  /** The faults that are set, the latest first. */
  faults(): Promise<readonly ActiveFault[]>
  /** Faults set by `fail` that have not affected all the requests they are for: the test did not exercise them. */
  pending(): Promise<readonly ActiveFault[]>
  /** Removes every fault, including latency and fail rate. */
  clearFaults(): Promise<void>
  /** The outcomes of the contract that clients have met, in sessions too. A reset does not clear it. */
  coverage(): Promise<Coverage>
  clearCoverage(): Promise<void>
  /**
   * A session: plants, journal, faults and assumptions of its own, created from the same options on first use. Over
   * HTTP, the header `Plant-Mock-Session` selects it.
   * @throws PlantMockError for an invalid id.
   */
  session(id: string): PlantMock
  readonly sessions: Sessions
}
