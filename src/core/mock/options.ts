import type { OptionNames } from '../../util/check-options.ts'
import { PlantMockError } from '../../util/errors.ts'
import type { Assume } from '../assumptions/registry.ts'
import type { AssumptionLayer } from '../assumptions/resolve.ts'
import type { Delay, Fault } from '../faults/fault.ts'
import type { PlantsOrNames } from './shipped.ts'

export type PlantMockOptions = {
  /** The plants at the start and after each `reset()`, or names of shipped fixtures such as `garden`. Default: none. */
  readonly fixtures?: PlantsOrNames
  /**
   * Values for points that the contract leaves open. Default: the defaults of the registry. On Node.js, the environment
   * variable `PLANT_MOCK_ASSUME` (`id=value,id=value`) sets assumptions that this option omits.
   */
  readonly assume?: Assume
  /** Assumptions from `loadAssumptions` of `plant-mock/node`. The option `assume` takes precedence. Default: none. */
  readonly assumptions?: AssumptionLayer
  /** Accepts only these tokens, and tokens in the `access` of plants (`auth.tokens=listed`). Default: any token. */
  readonly tokens?: readonly string[]
  /**
   * Names of callers, with their tokens: `{ "caller-1": "a real token" }`. Fixtures, journal and log show the names,
   * which keeps tokens out of files.
   */
  readonly callers?: Readonly<Record<string, string>>
  /** The seed of all randomness: shuffled lists, and the delays and probabilities of faults. Default: 1. */
  readonly seed?: number
  /** Faults at the start and after each reset. Default: none. */
  readonly faults?: readonly Fault[]
  /** Delays each response: milliseconds, or a range. Default: 0. */
  readonly latency?: Delay
  /** The share of requests, from 0 to 1, that get status 503. Default: 0. */
  readonly failRate?: number
  /**
   * Honours the request header `Prefer` (RFC 7240): `code=503` responds with this status (400 to 599), and `delay=300`
   * delays the response (at most 60,000 ms). Default: true.
   */
  readonly prefer?: boolean
  /**
   * How many exchanges each mock instance keeps in its journal; 0 for none. Default: 1000. If all journals of the mock
   * exceed 32 MB of JSON, the oldest exchanges lose their bodies.
   */
  readonly journal?: number
  /**
   * The maximum number of sessions. Above this number, the least recently used session is deleted. An open event stream
   * counts as use. Default: 256.
   */
  readonly sessions?: number
  /** Receives notices for the user, such as the deletion of a session. Default: `console.info`. */
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

export const otherMockNames = {
  delay: 'latency',
  plants: 'fixtures',
  data: 'fixtures',
  token: 'tokens',
} as const satisfies Record<string, keyof PlantMockOptions>

export const checkWithoutMockOptions = (options: object): void => {
  const given = Object.entries(options).find(
    ([name, value]) => value !== undefined && name !== 'onNotice' && Object.hasOwn(mockOptionNames, name),
  )
  if (given !== undefined)
    throw new PlantMockError(
      `The options mock and ${given[0]} exclude each other. Give ${given[0]} to createPlantMock instead.`,
    )
}
