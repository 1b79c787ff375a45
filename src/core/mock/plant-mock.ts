import type { OperationId } from '../assumptions/operation-ids.ts'
import type { Assume, Assumptions } from '../assumptions/registry.ts'
import type { FixturePlant } from '../contract/schemas.ts'
import type { Violation } from '../contract/violation.ts'
import type { Fault } from '../faults/fault.ts'
import type { ActiveFault } from '../faults/faults.ts'
import type { JournalEntry, RequestFilter } from '../journal/entry.ts'
import type { PlantMatch, PlantPatch } from './plant-filter.ts'
import type { PlantsOrNames } from './shipped.ts'

/** The plants of a mock, with ids and access, independent of any caller. */
export interface PlantsApi {
  /** Every plant, or every matching plant, in insertion order. */
  all(match?: PlantMatch): Promise<readonly FixturePlant[]>
  /** The plants that one caller may access, in insertion order. */
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
  /**
   * Removes the matching plants.
   * @returns How many plants were removed.
   */
  remove(match: PlantMatch): Promise<number>
  /** Removes every plant. `reset()` still restores the fixtures. */
  clear(): Promise<void>
}

/** Selects exchanges: by properties, or by a function. */
export type RequestMatch = RequestFilter | ((request: JournalEntry) => boolean)

export type WaitOptions = {
  /**
   * In milliseconds. At most 2^31 - 1 (25 days), also for `Infinity`. Default: 1000, so that the message appears before
   * a test runner gives up after 5 s.
   */
  readonly timeout?: number
}

/** The journal: requests and responses, oldest first. By default, the latest 1,000 exchanges are kept. */
export interface Requests {
  all(match?: RequestMatch): Promise<readonly JournalEntry[]>
  find(match: RequestMatch): Promise<JournalEntry | undefined>
  last(match?: RequestMatch): Promise<JournalEntry | undefined>
  count(match?: RequestMatch): Promise<number>
  clear(): Promise<void>
  /**
   * Resolves with the first matching request, as soon as it is received.
   * @throws PlantMockError after the timeout; the message names the received requests.
   */
  waitFor(match: RequestMatch, options?: WaitOptions): Promise<JournalEntry>
}

/** A violation of the contract by an exchange in the journal. */
export type RecordedViolation = Violation & {
  readonly request: number
  readonly operation?: OperationId
  /** Method, path and query. A long query is cut to 200 characters. */
  readonly exchange: string
  /** The number of violations beyond the 20 listed ones. Only the last listed violation has this number. */
  readonly omitted?: number
}

export type Session = {
  readonly id: string
  /** How many requests the session has received. */
  readonly requests: number
}

export interface Sessions {
  /** All sessions, the least recently used first. */
  all(): Promise<readonly Session[]>
  /** Deletes a session with everything in it. False for an unknown id. */
  drop(id: string): Promise<boolean>
}

/** A mock as its users see it: in this process (`createPlantMock`), or in a running server (`connectPlantMock`). */
export interface PlantMock {
  /**
   * Responds as the service would, without network, for clients that take a `fetch` function. Accepts relative URLs
   * such as `/plants?limit=1`, and ignores the host of absolute URLs.
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  readonly plants: PlantsApi
  readonly requests: Requests
  /** The violations of the contract in the journal, the oldest first. */
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
  /** Saves plants and assumptions. The returned function restores them, any number of times. */
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
  /** The present faults, the latest first. */
  faults(): Promise<readonly ActiveFault[]>
  /** The faults set by `fail` that have not yet affected `times` requests, or one request if `times` is missing. */
  pending(): Promise<readonly ActiveFault[]>
  /** Removes every fault, including latency and fail rate. */
  clearFaults(): Promise<void>
  /**
   * Returns a session, which has its own plants, journal, faults and assumptions, and is created from the same options
   * on first use. Over HTTP, the header `Plant-Mock-Session` selects the session.
   * @throws PlantMockError for an invalid id.
   */
  session(id: string): PlantMock
  readonly sessions: Sessions
}
