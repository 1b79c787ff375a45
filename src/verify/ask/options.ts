import type { Entries } from '../../core/assumptions/file.ts'
import type { Assumptions } from '../../core/assumptions/registry.ts'
import { isBearerToken } from '../../core/contract/schemas.ts'
import { schemeHint, withoutUserInfo } from '../../core/http/address.ts'
import { waitFor } from '../../core/mock/time.ts'
import { checkOptions, type OptionNames } from '../../util/check-options.ts'
import { PlantMockError } from '../../util/errors.ts'
import { maxTimeout } from '../../util/pauses.ts'
import type { AssumptionResult } from '../read/finding.ts'
import { isSample, type SampleOption } from './sample-options.ts'

export type Tokens = { readonly caller: string; readonly other?: string | undefined }

/** A function that sends requests like the global `fetch`, for example the `fetch` of a mock. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>

export type ConformanceOptions = {
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: FetchLike
  /** The address of the service without `/plants`, such as `https://staging.example/v1`. */
  readonly baseUrl: string
  /** Bearer tokens of one or two callers. With two, the check tests whether callers see each other's plants. */
  readonly tokens: Tokens
  /**
   * Template of the created plants, for a service that refuses arbitrary names, tags or ids. The check adds the prefix
   * `plant-mock check` to the name, or to the tag if the service refuses the longer name. Created plants have ids from
   * `id` to `id + 9999`.
   */
  readonly plant?: SampleOption
  /** Sends no creates, and skips rules and assumptions that need created plants. Default: false. */
  readonly readOnly?: boolean
  /** Ids of the rules to check. Default: all rules. An empty list selects none. */
  readonly rules?: readonly string[]
  /** Ids of rules and assumptions to skip. */
  readonly skip?: readonly string[]
  /** Assumptions of an earlier check, as returned by `parseEntries`. The report names each finding that differs. */
  readonly expect?: Entries
  /** Ids of rules that an earlier check found broken. The report lists other broken rules as newly broken. */
  readonly knownBroken?: readonly string[]
  /** Values to compare the findings with. Default: `defaultAssumptions`. */
  readonly assumptions?: Assumptions
  /** Headers to send with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds to wait for a response, and for a created plant to appear in lists. Default: 10000. */
  readonly timeout?: number
  /**
   * Called before each step of the check. `id` is the id of a rule or assumption, `limits` for lists with many
   * different limits, or `alike` for the requests of `imitate`.
   */
  readonly onProgress?: (id: string, done: number, total: number) => void
  /** Stops the check early. The report then holds the results so far. */
  readonly signal?: AbortSignal
  /**
   * Turns the findings into the assumptions of a mock. For a comparison of this mock with the service, the check sends
   * 40 more requests. Default: no comparison.
   */
  readonly imitate?: (found: readonly AssumptionResult[]) => Entries
  /** The seed of the random requests for `imitate`. Default: 1. */
  readonly seed?: number
  /** Returns numbers from 0 (inclusive) to 1 (exclusive), for names and ids of new plants. Default: `Math.random`. */
  readonly random?: () => number
  /** Returns the time in milliseconds, for names of created plants and `Retry-After`. Default: `Date.now`. */
  readonly now?: () => number
  /** Waits a number of milliseconds, for example before a retry. Default: a timer. */
  readonly wait?: (milliseconds: number) => Promise<void>
}

const optionNames: OptionNames<ConformanceOptions> = {
  fetch: 'function',
  baseUrl: 'text',
  tokens: 'object',
  plant: true,
  readOnly: 'switch',
  rules: 'list',
  skip: true,
  expect: true,
  knownBroken: true,
  assumptions: true,
  headers: 'object',
  timeout: true,
  onProgress: 'function',
  signal: true,
  imitate: 'function',
  seed: 'number',
  random: 'function',
  now: 'function',
  wait: 'function',
}

/** Rejects unknown options, because a misspelt `readOnly` would let the check create plants. */
export const checkNames = (options: ConformanceOptions): void =>
  checkOptions(options, optionNames, 'checkConformance', { url: 'baseUrl', token: 'tokens' })

export type ClientOptions = Required<
  Pick<ConformanceOptions, 'fetch' | 'baseUrl' | 'readOnly' | 'headers' | 'timeout' | 'signal' | 'wait' | 'now'>
> & { readonly tokens: Tokens & { readonly unknown: string } }

export const clientOptions = (options: ConformanceOptions): ClientOptions => {
  const { random = Math.random, timeout = 10_000, signal = new AbortController().signal } = options
  if (!(timeout > 0 && timeout <= maxTimeout))
    throw new PlantMockError(`The timeout must be a number of milliseconds up to ${maxTimeout}.`)
  if (!isSample(options.plant ?? {}))
    throw new PlantMockError('The plant needs at least one of: name (text), tag (text), id (whole number).')
  const unknown = `plant-mock-check-${Math.floor(random() * 2 ** 40).toString(36)}`
  return {
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    baseUrl: parseBaseUrl(options.baseUrl),
    tokens: { ...checkTokens(options.tokens), unknown },
    timeout,
    headers: checkHeaders(options.headers ?? {}),
    wait: options.wait ?? ((milliseconds) => waitFor(milliseconds, signal)),
    now: options.now ?? Date.now,
    readOnly: options.readOnly ?? false,
    signal,
  }
}

export const parseBaseUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new PlantMockError(
      `"${withoutUserInfo(text)}" is not an HTTP address. Write it as https://staging.example or http://127.0.0.1:4010.${schemeHint(text)}`,
    )
  if (url.username !== '' || url.password !== '')
    throw new PlantMockError(
      'The address contains a user name or password, but the service takes bearer tokens. Remove it.',
    )
  const [separator] = /[?#]/.exec(text) ?? []
  if (separator !== undefined)
    throw new PlantMockError(
      `The address ${url.origin}${url.pathname} must end with its path. Remove the part from ${separator} on.`,
    )
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

const checkTokens = (tokens: Tokens): Tokens => {
  for (const token of [tokens.caller, tokens.other])
    if (token !== undefined && !isBearerToken(token))
      throw new PlantMockError('A given token is not a valid bearer token (RFC 6750, 2.1).')
  if (tokens.caller === tokens.other)
    throw new PlantMockError('The two tokens are the same. The second must belong to another caller.')
  return tokens
}

/** Lower-cases the names with `Headers`, because two spellings of a name would send the header twice. */
const checkHeaders = (given: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    if (name.toLowerCase() === 'authorization')
      throw new PlantMockError('The header Authorization cannot be set. Give tokens instead.')
    try {
      headers.set(name, value)
    } catch {
      throw new PlantMockError(`The header "${name}" cannot be sent: its name or its value is not valid.`)
    }
  }
  return Object.fromEntries(headers)
}
