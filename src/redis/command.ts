import type { Assume, Assumptions } from '../assumptions/registry.ts'
import type { Caller, FixturePlant } from '../contract/schemas.ts'
import type { Fault } from '../faults/fault.ts'
import type { DrawnFaults } from '../faults/faults.ts'
import type { RawHeaders } from '../http/headers.ts'
import type { Forwarded, Reply } from '../http/reply.ts'
import type { SecretMark } from '../http/secret-mark.ts'
import type { PlantFields, PlantPatch } from '../mock/plant-filter.ts'

/** A request as the log has it: without tokens. */
export type LoggedExchange = {
  readonly method: string
  readonly path: string
  readonly query?: string
  readonly headers: RawHeaders
  readonly body?: string
  /** The body without its secrets, where fields of the plant have some. */
  readonly shownBody?: string
  /** Of its secrets, to find them in the response. */
  readonly secretMarks?: readonly SecretMark[]
  /** Of the body as it was sent, in bytes, where that is another. */
  readonly size?: number
  /** Why the body is missing. */
  readonly omitted?: 'too-large' | 'not-utf-8'
}

/** A response of something else, as the log has it: without tokens, and without bytes. */
export type LoggedReply = Pick<Reply, 'status' | 'headers' | 'body'> & {
  readonly meta: Omit<Reply['meta'], 'forwarded'> & { readonly forwarded?: LoggedForwarded }
}

export type LoggedForwarded = Pick<Forwarded, 'by' | 'reason' | 'violations' | 'unchecked'> & {
  /** Whether the body was too large to be held. */
  readonly isCut: boolean
}

/** When a request was received, in milliseconds since 1970, and how long its response took until now. */
type Timed = { readonly received: number; readonly milliseconds: number }

/** Positions of plants, valid while no plant has changed since this position of the log of this epoch. */
export type PlantPositions = {
  readonly epoch: string
  readonly since: number
  readonly positions: readonly number[]
}

/** The changes that users make, by name, with their arguments. Plants name callers by their keys. */
export type Changes = {
  readonly seed: readonly [plants: readonly FixturePlant[]]
  readonly load: readonly [plants: readonly FixturePlant[]]
  readonly update: readonly [match: PlantFields, patch: PlantPatch]
  readonly remove: readonly [match: PlantFields]
  /** `null` for a patch removes the plants. */
  readonly changeAt: readonly [at: PlantPositions, patch: PlantPatch | null]
  readonly clearPlants: readonly []
  readonly plantsChanged: readonly []
  readonly assume: readonly [values: Assume | Assumptions]
  readonly reset: readonly []
  readonly addFault: readonly [fault: Fault]
  readonly removeFault: readonly [id: string]
  /** Of a fault that this epoch has set: ids begin again in another. */
  readonly removeOwnFault: readonly [id: string, epoch: string]
  readonly clearFaults: readonly []
  /** Reading the faults assigns pseudonyms to the callers that they name. */
  readonly faults: readonly []
  readonly pending: readonly []
  readonly clearRequests: readonly []
  readonly clearCoverage: readonly []
  readonly takeSnapshot: readonly [name: string | null]
  readonly restoreSnapshot: readonly [name: string]
  readonly dropSnapshot: readonly [name: string]
  /** Snapshots without a name, of `snapshot()`. */
  readonly capture: readonly []
  readonly restoreCapture: readonly [name: string, epoch: string]
}

export type ChangeName = keyof Changes

/**
 * One step of the log. Every replica executes all of them in one order on its own copy of the mock, so that all copies
 * are equal. `session` selects an instance, which it creates.
 */
export type Command = { readonly session?: string } & (
  | ({ readonly type: 'call'; readonly call: LoggedExchange } & Timed)
  /** The rest of a call, after the delay of its faults. */
  | ({ readonly type: 'play'; readonly call: LoggedExchange; readonly drawn: DrawnFaults } & Timed)
  /** Draws the faults of a call that an upstream handles. */
  | { readonly type: 'draw'; readonly call: LoggedExchange }
  /** The reply of the model to a call that an upstream handles. */
  | { readonly type: 'model'; readonly call: LoggedExchange }
  | ({ readonly type: 'record'; readonly call: LoggedExchange; readonly reply: LoggedReply } & Timed)
  | { readonly type: 'use' }
  /** Keeps the session in use for a while: somebody listens to its events. */
  | { readonly type: 'hold' }
  | { readonly type: 'drop'; readonly id: string }
  | { readonly type: 'name'; readonly callers: readonly Caller[] }
  | { [Name in ChangeName]: { readonly type: 'change'; readonly name: Name; readonly args: Changes[Name] } }[ChangeName]
)
