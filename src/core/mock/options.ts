import type { OptionNames } from '../../util/check-options.ts'
import { PlantMockError } from '../../util/errors.ts'
import type { Assume } from '../assumptions/registry.ts'
import type { AssumptionLayer } from '../assumptions/resolve.ts'
import type { Delay, Fault } from '../faults/fault.ts'
import type { PlantsOrNames } from './shipped.ts'

export type PlantMockOptions = {
  /**
   * The plants at the start, and after each `reset()`: plants, or names of shipped fixtures such as `garden`. Default:
   * none.
   */
  readonly fixtures?: PlantsOrNames
  /**
   * Values for points that the contract leaves open. Default: the defaults of the registry. On Node.js, the
   * environment variable `PLANT_MOCK_ASSUME` (`id=value,id=value`) sets assumptions that are not given here.
   */
  readonly assume?: Assume
  /** Assumptions from `loadAssumptions` of `plant-mock/node`. The option `assume` outranks them. Default: none. */
  readonly assumptions?: AssumptionLayer
  /** Accepts only these tokens, and the tokens in the `access` of plants (`auth.tokens=listed`). */
  readonly tokens?: readonly string[]
  /**
   * Names of callers, with their tokens: `{ "caller-1": "a real token" }`. Fixtures, journal and log use the names, so
   * that tokens stay out of files.
   */
  readonly callers?: Readonly<Record<string, string>>
  /** The seed of everything random: `list.order=shuffled`, delays, probabilities. Default: 1. */
  readonly seed?: number
  /** Faults at the start, and again after each reset. */
  readonly faults?: readonly Fault[]
  /** Delays each response: milliseconds, or a range. Default: 0. */
  readonly latency?: Delay
  /** The share of requests that get a 503 response, from 0 to 1. Default: 0. */
  readonly failRate?: number
  /**
   * Whether the request header `Prefer` (RFC 7240) can cause a failure: `code=503` for a status from 400 to 599, or
   * `delay=300` for up to 60,000 ms. Default: true.
   */
  readonly prefer?: boolean
  /**
   * How many exchanges the journal of each mock instance keeps; 0 for none. Default: 1000. If the JSON of all journals
   * together exceeds 32 MB, the oldest exchanges lose their bodies.
   */
  readonly journal?: number
  /**
   * The maximum number of sessions. Above this number, the least recently used session is deleted. An open event stream
   * counts as use. Default: 256.
   */
  readonly sessions?: number
  /** Receives notices for the user, for example about a deleted session. Default: `console.info`. */
  readonly onNotice?: (text: string) => void
}

export const mockOptionNames: OptionNames<PlantMockOptions> = {
  fixtures: true,
  assume: true,
  assumptions: 'object',
  tokens: 'list',
  callers: 'object',
  seed: 'number',
  faults: 'list',
  latency: true,
  failRate: true,
  prefer: 'switch',
  journal: 'count',
  sessions: 'count',
  onNotice: 'function',
}

/** Names of these options in other mocks and on the command line, for suggestions in errors. */
export const otherMockNames = {
  delay: 'latency',
  plants: 'fixtures',
  data: 'fixtures',
  token: 'tokens',
} as const satisfies Record<string, keyof PlantMockOptions>

/** @throws PlantMockError for an option that only a new mock can use. */
export const checkWithoutMockOptions = (options: object): void => {
  const given = Object.entries(options).find(
    ([name, value]) => value !== undefined && name !== 'onNotice' && Object.hasOwn(mockOptionNames, name),
  )
  if (given !== undefined)
    throw new PlantMockError(
      `The options mock and ${given[0]} exclude each other. Give ${given[0]} to createPlantMock instead.`,
    )
}
