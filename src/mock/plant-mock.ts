import type { Assume, Assumptions } from '../assumptions/registry.ts'
import type { Caller, FixturePlant } from '../contract/schemas.ts'
import type { Fault } from '../faults/fault.ts'
import type { ActiveFault } from '../faults/faults.ts'
import type { Violation } from '../http/exchange.ts'
import type { JournalEntry, RequestFilter } from '../journal/entry.ts'
import type { OperationId } from '../operations/operations.ts'
import type { Coverage } from './coverage.ts'

/** The plants of a mock, as its test sees them: with ids and access, whoever asks. */
export interface Plants {
  /** Every plant, as added. */
  all(): Promise<readonly FixturePlant[]>
  /** The plants that one caller may access, as added. */
  visibleTo(caller: Caller): Promise<readonly FixturePlant[]>
  /** The first plant for which `matches` holds. */
  find(matches: (plant: FixturePlant) => boolean): Promise<FixturePlant | undefined>
}

/** Which exchanges are meant: parts that each narrow, or any test of one's own. */
export type RequestMatch = RequestFilter | ((request: JournalEntry) => boolean)

export type WaitOptions = {
  /** How long to wait, in milliseconds. Default: 5000. */
  readonly timeout?: number
}

/** The journal: what was asked and answered, oldest first. It keeps the latest 1,000 exchanges by default. */
export interface Requests {
  all(match?: RequestMatch): Promise<readonly JournalEntry[]>
  /** The first that matches. */
  find(match: RequestMatch): Promise<JournalEntry | undefined>
  last(match?: RequestMatch): Promise<JournalEntry | undefined>
  count(match?: RequestMatch): Promise<number>
  clear(): Promise<void>
  /**
   * The first that matches, among those that came already or once it comes.
   * @throws PlantMockError when none came in time; the message names those that did.
   */
  waitFor(match: RequestMatch, options?: WaitOptions): Promise<JournalEntry>
}

/** A point at which an exchange was not as the contract shows it. */
export type RecordedViolation = Violation & {
  /** The `id` of the exchange in the journal. */
  readonly request: number
  readonly operation?: OperationId
  /** Method, path and query. */
  readonly exchange: string
}

/** A session: a instance of its own, beside the others of the same mock. */
export type Session = {
  readonly id: string
  /** How many requests it has had. */
  readonly requests: number
}

export interface Sessions {
  /** Longest unused first. */
  all(): Promise<readonly Session[]>
  /** Forgets a session and all that is in it. False when there is none. */
  drop(id: string): Promise<boolean>
}

/**
 * A mock as its users see it: in this process (`createPlantMock`), or a server elsewhere (`connectPlantMock`).
 */
export interface PlantMock {
  /**
   * Answers as the service would, without interception: for clients that take a `fetch`. A relative URL such as
   * `/plants?limit=1` will do; of an absolute one, only path and query count.
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  readonly plants: Plants
  readonly requests: Requests
  /** Where exchanges in the journal violate the contract, oldest first. */
  violations(): Promise<readonly RecordedViolation[]>
  /** What is assumed now. */
  assumptions(): Promise<Assumptions>
  /**
   * Changes what is assumed, from the next request on.
   * @throws PlantMockError for an unknown assumption or value.
   */
  assume(values: Assume): Promise<void>
  /**
   * Adds plants behind those that are there.
   * @throws PlantMockError when one of them is not a plant; then none is added.
   */
  seed(plants: readonly FixturePlant[]): Promise<void>
  /** Remembers plants and assumptions as they are. Calling the result brings them back, as often as wanted. */
  snapshot(): Promise<() => Promise<void>>
  /** Goes back to fixtures, assumptions and faults that the mock started with, and clears the journal. */
  reset(): Promise<void>
  /**
   * Takes other fixtures in place of those it started with; plants created since are gone, as after a reset.
   * @throws PlantMockError when one of them is not a plant; then everything stays as it was.
   */
  load(fixtures: readonly FixturePlant[]): Promise<void>
  /**
   * Lets requests fail, come late or break. The result takes the fault away again; `reset()` takes all away.
   * @throws PlantMockError for a fault that cannot be used.
   * @example
   * await mock.fail({ operation: 'listPlants', status: 503, times: 1 })
   */
  fail(fault: Fault): Promise<() => Promise<void>>
  /** The faults that are set, the latest first. */
  faults(): Promise<readonly ActiveFault[]>
  /** Faults of `fail` that have not met all the requests they are for: a test that leaves some tested nothing. */
  pending(): Promise<readonly ActiveFault[]>
  /** Takes every fault away, latency and fail rate too. */
  clearFaults(): Promise<void>
  /** Which outcomes of the contract the clients have met, sessions included. A reset leaves it. */
  coverage(): Promise<Coverage>
  clearCoverage(): Promise<void>
  /**
   * A instance of its own: plants, journal, faults and assumptions, made on first use from the same options.
   * Over HTTP, the header `Plant-Mock-Session` chooses it.
   * @throws PlantMockError for an id that cannot be used.
   */
  session(id: string): PlantMock
  readonly sessions: Sessions
}
