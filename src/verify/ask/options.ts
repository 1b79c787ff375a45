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

/** Anything that responds to requests like `fetch`: the global function, a mock's, or your own. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>

export type ConformanceOptions = {
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: FetchLike
  /** The address without `/plants`, such as `https://staging.example/v1`. */
  readonly baseUrl: string
  /** The token of a caller. With a second token, the check finds out whether callers see each other's plants. */
  readonly tokens: Tokens
  /**
   * A plant that the service accepts, if it refuses arbitrary names or tags. The prefix `plant-mock check` is added to
   * the name, or to the tag where the service refuses the longer name. Created plants have ids from `id` on.
   */
  readonly plant?: SampleOption
  /** Creates nothing; rules and probes that need created plants are skipped. Default: false. */
  readonly readOnly?: boolean
  /** Ids of the rules to check. Default: all; `[]` for none. */
  readonly rules?: readonly string[]
  /** Ids of rules and assumptions to leave out. */
  readonly skip?: readonly string[]
  /** The entries that an earlier check learned; the report names each change. `parseEntries` reads them from a file. */
  readonly expect?: Entries
  /** Ids of the rules that were broken before, from a learned file. The report names rules that are newly broken. */
  readonly knownBroken?: readonly string[]
  /** The values to compare the findings with. Default: the registry's defaults. */
  readonly assumptions?: Assumptions
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** The limit for a response, and for a created plant to appear in lists, in milliseconds. Default: 10000. */
  readonly timeout?: number
  /** Called before each rule and probe; then with `limits` and `alike`, before further requests. */
  readonly onProgress?: (id: string, done: number, total: number) => void
  /** Stops the check; the report holds the results so far. */
  readonly signal?: AbortSignal
  /** The entries of a mock that is compared with the service, by 40 more exchanges. Default: no comparison. */
  readonly imitate?: (found: readonly AssumptionResult[]) => Entries
  /** The seed of the exchanges for `imitate`. Default: 1. */
  readonly seed?: number
  /** Numbers from 0 (inclusive) to 1 (exclusive), for names and ids of created plants. Default: `Math.random`. */
  readonly random?: () => number
  /** The time in milliseconds, for names of created plants and `Retry-After`. Default: `Date.now`. */
  readonly now?: () => number
  /** Waits before a request is sent again. Default: a timer. */
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

/** @throws PlantMockError for an unknown option: a misspelt `readOnly` would let the check create plants. */
export const checkNames = (options: ConformanceOptions): void =>
  checkOptions(options, optionNames, 'checkConformance', { url: 'baseUrl', token: 'tokens' })

export type ClientOptions = Required<
  Pick<ConformanceOptions, 'fetch' | 'baseUrl' | 'readOnly' | 'headers' | 'timeout' | 'signal' | 'wait' | 'now'>
> & { readonly tokens: Tokens & { readonly unknown: string } }

/** @throws PlantMockError for an unusable option. The message contains no secret. */
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

/** @throws PlantMockError unless the text is an HTTP address without query and fragment. */
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

/** `Headers` lower-cases the names, as the check does, so that no header is sent twice. */
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
