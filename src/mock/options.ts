import type { Assume } from '../assumptions/registry.ts'
import type { Caller, FixturePlant } from '../contract/schemas.ts'
import type { Delay, Fault } from '../faults/fault.ts'
import type { Origin } from '../http/exchange.ts'
import type { PlantStore } from '../store/plant-store.ts'

export type PlantMockOptions = {
  /** The plants to start with, and to come back to on `reset()`. Default: none. */
  readonly fixtures?: readonly FixturePlant[]
  /**
   * What to assume where the contract leaves a point open. Default: the defaults of the assumptionRegistry.
   * On Node, the environment variable `PLANT_MOCK_ASSUME` (`id=value,id=value`) changes points that are not set here.
   */
  readonly assume?: Assume
  /**
   * A seed that chooses a value for every assumption but the rare ones; those set otherwise stay. What it chose
   * is printed once, and the same seed chooses the same again.
   */
  readonly assumptionSeed?: number
  /** When given, only these tokens and those that plants name in `access` are callers (`auth.tokens=listed`). */
  readonly tokens?: readonly Caller[]
  /**
   * Names of callers, with their tokens: `{ "caller-1": "a real token" }`. Fixtures, journal and log know a caller by
   * the name, so that tokens can stay out of files.
   */
  readonly callers?: Readonly<Record<string, Caller>>
  /**
   * Where the plants are. Default: in memory. A store that holds plants already keeps them. With sessions, give a
   * function that makes a store for each; it is told the session, and `undefined` for the mock's own instance.
   */
  readonly store?: PlantStore | ((session?: string) => PlantStore)
  /**
   * What answers the contract's operations in the place of the model; faults, journal and coverage stay around it.
   * A server's `upstream` is built on this.
   */
  readonly origin?: Origin
  /** The seed for what is random: `list.order=shuffled`, delays, probabilities. Default: 1. */
  readonly seed?: number
  /** Faults from the start, and again after each reset. */
  readonly faults?: readonly Fault[]
  /** How long each answer is held back, in milliseconds: a number, or the least and the longest. Default: 0. */
  readonly latency?: Delay
  /** The share of requests that are answered 503, from 0 to 1. Default: 0. */
  readonly failRate?: number
  /** How many exchanges the journal of each instance keeps; 0 for none. Default: 1000. */
  readonly journal?: number
  /** How many sessions there may be; the one unused for longest gives way to one more. Default: 256. */
  readonly sessions?: number
  /** Told what a user may want to know, such as a session dropped. Default: `console.info`. */
  readonly onNotice?: (text: string) => void
}
