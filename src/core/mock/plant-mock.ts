import type { OperationId } from '../assumptions/operation-ids.ts'
import type { Assume, Assumptions } from '../assumptions/registry.ts'
import type { FixturePlant } from '../contract/schemas.ts'
import type { Violation } from '../contract/violation.ts'
import type { Fault } from '../faults/fault.ts'
import type { ActiveFault } from '../faults/faults.ts'
import type { JournalEntry, RequestFilter } from '../journal/entry.ts'
import type { PlantMatch, PlantPatch } from './plant-filter.ts'
import type { PlantsOrNames } from './shipped.ts'

export interface PlantsApi {
  /** Returns every plant, or every matching plant, in insertion order. */
  all(match?: PlantMatch): Promise<readonly FixturePlant[]>
  /** Returns the plants that one caller may access, in insertion order. */
  visibleTo(caller: string): Promise<readonly FixturePlant[]>
  find(match: PlantMatch): Promise<FixturePlant | undefined>
  /**
   * Changes the matching plants, which keep their positions. Ids may repeat, because `create.duplicateId` applies only
   * to creates.
   * @returns How many plants match.
   * @throws PlantMockError for an invalid patch; nothing changes then.
   * @example
   * await mock.plants.update({ id: 3 }, { tag: 'fern' })
   */
  update(match: PlantMatch, patch: PlantPatch): Promise<number>
  /** Removes the matching plants, and returns their number. */
  remove(match: PlantMatch): Promise<number>
  /** Removes every plant. `reset()` still restores the fixtures. */
  clear(): Promise<void>
}

export type RequestMatch = RequestFilter | ((request: JournalEntry) => boolean)

export type WaitOptions = {
  /** In milliseconds. Values above 2^31 - 1, such as `Infinity`, count as 2^31 - 1 (25 days). Default: 1000. */
  readonly timeout?: number
}

/** Requests and responses in the journal, oldest first. By default, the latest 1,000 exchanges are kept. */
export interface Requests {
  all(match?: RequestMatch): Promise<readonly JournalEntry[]>
  find(match: RequestMatch): Promise<JournalEntry | undefined>
  last(match?: RequestMatch): Promise<JournalEntry | undefined>
  count(match?: RequestMatch): Promise<number>
  clear(): Promise<void>
  /**
   * Resolves with the first matching request in the journal, or as soon as one is received.
   * @throws PlantMockError after the timeout; the message names the received requests.
   */
  waitFor(match: RequestMatch, options?: WaitOptions): Promise<JournalEntry>
}

export type RecordedViolation = Violation & {
  readonly request: number
  readonly operation?: OperationId
  /** Method, path and query. Path and query are truncated to 200 characters. */
  readonly exchange: string
  /** How many further violations of the exchange the journal left out. Set only on the last listed violation. */
  readonly omitted?: number
}

export type Session = {
  readonly id: string
  readonly requests: number
}

export interface Sessions {
  /** Returns all sessions, the least recently used first. */
  all(): Promise<readonly Session[]>
  /** Deletes a session with everything in it. Resolves with false for an unknown id. */
  drop(id: string): Promise<boolean>
}

/** A mock in this process (`createPlantMock`), or in a running server (`connectPlantMock`). */
export interface PlantMock {
  /**
   * Sends a request to the mock, for clients that take a `fetch` function. A mock in this process responds without
   * network. Accepts relative URLs such as `/plants?limit=1`, and ignores the host of absolute URLs.
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  readonly plants: PlantsApi
  readonly requests: Requests
  /** Returns the violations of the contract in the journal, oldest first. */
  violations(): Promise<readonly RecordedViolation[]>
  assumptions(): Promise<Assumptions>
  /**
   * Changes assumptions, from the next request on.
   * @throws PlantMockError for an unknown assumption or value.
   */
  assume(values: Assume): Promise<void>
  /**
   * Appends plants.
   * @param plants Plants, or names of shipped fixtures such as `garden`.
   * @throws PlantMockError for an invalid plant; nothing is added then.
   */
  seed(plants: PlantsOrNames): Promise<void>
  /** Saves plants and assumptions. Resolves with a function that restores both, any number of times. */
  snapshot(): Promise<() => Promise<void>>
  /** Restores the initial fixtures, assumptions and faults, and clears the journal. */
  reset(): Promise<void>
  /**
   * Replaces the initial fixtures and all plants.
   * @param fixtures Plants, or names of shipped fixtures such as `garden`.
   * @throws PlantMockError for an invalid plant; nothing changes then.
   */
  replaceFixtures(fixtures: PlantsOrNames): Promise<void>
  /**
   * Makes requests fail, arrive late, or break off. The returned function and `reset()` remove the fault.
   * @throws PlantMockError for an invalid fault.
   * @example
   * await mock.fail({ operation: 'listPlants', status: 503, times: 1 })
   */
  fail(fault: Fault): Promise<() => Promise<void>>
  /** Returns the present faults, newest first. */
  faults(): Promise<readonly ActiveFault[]>
  /** Returns the faults of `fail` that affected too few requests: fewer than `times`, or none if `times` is missing. */
  pending(): Promise<readonly ActiveFault[]>
  /** Removes every fault, including the options `latency` and `failRate`. */
  clearFaults(): Promise<void>
  /**
   * Returns a session with its own plants, journal, faults and assumptions, created from the same options on first use.
   * Over HTTP, the header `Plant-Mock-Session` selects the session.
   * @throws PlantMockError for an invalid id.
   */
  session(id: string): PlantMock
  readonly sessions: Sessions
}
