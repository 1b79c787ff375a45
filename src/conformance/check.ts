import type { AssumptionId, Assumptions, AssumptionValue } from '../assumptions/registry.ts'
import { assumptionRegistry, defaultAssumptions } from '../assumptions/registry.ts'
import { isBearerToken } from '../contract/schemas.ts'
import { PlantMockError, UnreachableError } from '../util/errors.ts'
import {
  type Client,
  createClient,
  curlLine,
  type FetchLike,
  listAsk,
  NoAnswerError,
  NoVerdictError,
} from './client.ts'
import { type Finding, type Probe, probes } from './probes.ts'
import { type Rule, rules, type Suite, type Verdict } from './rules.ts'
import { createWorkbench, mostCreated } from './sample-plants.ts'

export type ConformanceOptions = {
  /** What sends the requests. Default: the global `fetch`. */
  readonly fetch?: FetchLike
  /** The address that `/plants` is below, such as `https://staging.example/v1`. */
  readonly baseUrl: string
  /** The caller's token, and that of another caller for the rule that one does not see the other's plants. */
  readonly tokens: { readonly caller: string; readonly other?: string | undefined }
  /** Create nothing; what needs plants is skipped. Default: false. */
  readonly readOnly?: boolean
  /** Check these rules alone, by id. Default: all; `[]` for none. */
  readonly rules?: readonly string[]
  /** Leave out these rules and assumptions, by id. */
  readonly skip?: readonly string[]
  /** What is assumed so far, to compare with what is found. Default: the defaults of the assumptionRegistry. */
  readonly assumptions?: Assumptions
  /** Headers for every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** How long one answer may take, in milliseconds. Default: 10000. */
  readonly timeout?: number
  /** Told of each rule and assumption before it is looked at. */
  readonly onProgress?: (id: string, done: number, of: number) => void
  /** Ends the check; what is known by then is reported. */
  readonly signal?: AbortSignal
  /** Where names and ids of created plants come from: numbers from 0 up to 1. Default: `Math.random`. */
  readonly random?: () => number
  /** How to wait before a request that was answered 429 is sent again. Default: a timer. */
  readonly wait?: (milliseconds: number) => Promise<void>
}

export type RuleResult = Pick<Rule, 'id' | 'section' | 'statement'> &
  (
    | { readonly outcome: 'passed' }
    | { readonly outcome: 'skipped'; readonly reason: string }
    /** `curl` repeats the exchange that shows the failure, with `$TOKEN` for the token. */
    | { readonly outcome: 'failed'; readonly reason: string; readonly curl: string }
  )

export type AssumptionResult = {
  readonly id: AssumptionId
  readonly section: string
  readonly question: string
  /** What was assumed. */
  readonly assumed: AssumptionValue
} & (
  | { readonly outcome: 'agrees' | 'differs'; readonly found: AssumptionValue }
  | { readonly outcome: 'other'; readonly found: string }
  | { readonly outcome: 'unseen'; readonly reason: string }
)

export type ConformanceReport = {
  readonly baseUrl: string
  /** True when no rule failed. */
  readonly conforms: boolean
  readonly rules: readonly RuleResult[]
  readonly assumptions: readonly AssumptionResult[]
  readonly requests: number
  /** Creates that succeeded. */
  readonly created: number
}

/**
 * Checks a service against every rule of the contract, then finds out what it does at the open points.
 * Requests are sent one at a time; redirects are not followed. With `readOnly`, none but GET and PROPFIND is sent.
 * @throws UnreachableError when the first request gets no answer; PlantMockError for options that cannot be used.
 */
export const checkConformance = async (options: ConformanceOptions): Promise<ConformanceReport> => {
  const { skip = [], readOnly = false, signal } = options
  const baseUrl = checkBaseUrl(options.baseUrl)
  const client = openClient(options, baseUrl)
  const bench = createWorkbench(client, options.random ?? Math.random, !readOnly)
  const suite: Suite = { client, bench, mayCreate: !readOnly, hasOther: options.tokens.other !== undefined }
  const chosen = chosenRules(options.rules).filter(({ id }) => !skip.includes(id))
  const seen = probes.filter(({ id }) => !skip.includes(id))
  checkSkip(skip)

  await reach(client, baseUrl)
  let done = 0
  const next = (id: string) => options.onProgress?.(id, done++, chosen.length + seen.length)
  const ruleResults: RuleResult[] = []
  for (const rule of chosen) {
    if (signal?.aborted) break
    next(rule.id)
    const { id, section, statement } = rule
    ruleResults.push({ id, section, statement, ...withCurl(await judge(rule, suite), baseUrl) })
  }
  const found = new Map<AssumptionId, Finding>()
  for (const probe of seen) {
    if (signal?.aborted) break
    next(probe.id)
    found.set(probe.id, await look(probe, suite))
  }
  return {
    baseUrl,
    conforms: ruleResults.every(({ outcome }) => outcome !== 'failed'),
    rules: ruleResults,
    assumptions: compare(found, options.assumptions ?? defaultAssumptions),
    requests: client.requests,
    created: client.created,
  }
}

const checkBaseUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new PlantMockError(
      `"${text}" is not an address. Write it as https://staging.example or http://127.0.0.1:4010.`,
    )
  if (url.username !== '' || url.password !== '')
    throw new PlantMockError(
      'The address has a user name or password in it; the service takes a bearer token alone.',
    )
  const [extra] = /[?#]/.exec(text) ?? []
  if (extra !== undefined)
    throw new PlantMockError(
      `The address ${url.origin}${url.pathname} has more behind its path; leave out the part from ${extra} on.`,
    )
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** Names in lower case, as the suite has its own, so that neither stands beside the other. */
const checkHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const pairs = Object.entries(headers)
  for (const [name, value] of pairs) {
    if (name.toLowerCase() === 'authorization')
      throw new PlantMockError('A header Authorization cannot be given: the suite sends its own, or none.')
    try {
      new Headers([[name, value]])
    } catch {
      // The value may be secret.
      throw new PlantMockError(`The header "${name}" cannot be sent: its name or its value is not valid.`)
    }
  }
  return Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]))
}

const openClient = (options: ConformanceOptions, baseUrl: string): Client => {
  const { tokens, random = Math.random } = options
  for (const token of [tokens.caller, tokens.other])
    if (token !== undefined && !isBearerToken(token))
      throw new PlantMockError('A token that was given cannot be a bearer token (RFC 6750, 2.1).')
  if (tokens.caller === tokens.other)
    throw new PlantMockError('The two tokens are the same; the second is for another caller.')
  const { timeout = 10_000, signal } = options
  if (!(timeout > 0 && timeout <= longestTimeout))
    throw new PlantMockError(`The timeout must be a number of milliseconds up to ${longestTimeout}.`)
  const stranger = `plant-mock-check-${Math.floor(random() * 2 ** 40).toString(36)}`
  return createClient({
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    baseUrl,
    tokens: { ...tokens, stranger },
    headers: checkHeaders(options.headers ?? {}),
    timeout,
    wait: options.wait ?? ((milliseconds) => pause(milliseconds, signal)),
    mostCreated,
    signal,
  })
}

/** What a timer holds. */
const longestTimeout = 2 ** 31 - 1

/** Ends early when the check is stopped. */
const pause = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal?.addEventListener('abort', end)
  })

const chosenRules = (ids: readonly string[] | undefined): readonly Rule[] => {
  const unknown = ids?.find((id) => !rules.some((rule) => rule.id === id))
  if (unknown !== undefined)
    throw new PlantMockError(
      `There is no rule "${unknown}". There are ${rules.map(({ id }) => id).join(', ')}.`,
    )
  return ids === undefined ? rules : rules.filter(({ id }) => ids.includes(id))
}

const checkSkip = (skip: readonly string[]): void => {
  const known = [...rules.map(({ id }) => id), ...assumptionRegistry.map(({ id }) => id as string)]
  const unknown = skip.find((id) => !known.includes(id))
  if (unknown !== undefined) throw new PlantMockError(`There is no rule or assumption "${unknown}" to skip.`)
}

const reach = async (client: Client, baseUrl: string): Promise<void> => {
  try {
    await client.send(listAsk('?limit=1'))
  } catch (error) {
    if (client.stopped) return
    if (error instanceof NoAnswerError || error instanceof NoVerdictError)
      throw new UnreachableError(`${baseUrl} cannot be reached: ${error.message}.`)
    throw error
  }
}

const judge = async (rule: Rule, suite: Suite): Promise<Verdict> => {
  if (rule.needs.includes('create') && !suite.mayCreate)
    return { outcome: 'skipped', reason: 'nothing may be created' }
  if (rule.needs.includes('other') && !suite.hasOther)
    return { outcome: 'skipped', reason: 'there is no token of another caller' }
  try {
    return await rule.check(suite)
  } catch (error) {
    if (error instanceof NoAnswerError) return { outcome: 'failed', reason: error.message, ask: error.ask }
    if (error instanceof NoVerdictError) return { outcome: 'skipped', reason: error.message }
    if (suite.client.stopped) return { outcome: 'skipped', reason: 'the check was stopped' }
    throw error
  }
}

const withCurl = (verdict: Verdict, baseUrl: string) =>
  verdict.outcome === 'failed'
    ? { outcome: verdict.outcome, reason: verdict.reason, curl: curlLine(verdict.ask, baseUrl) }
    : verdict

const look = async (probe: Probe, suite: Suite): Promise<Finding> => {
  if (probe.creates && !suite.mayCreate) return { unseen: 'nothing may be created' }
  try {
    return await probe.find(suite)
  } catch (error) {
    if (error instanceof NoAnswerError || error instanceof NoVerdictError) return { unseen: error.message }
    if (suite.client.stopped) return { unseen: 'the check was stopped' }
    throw error
  }
}

/** In the order of the assumptionRegistry. Points with nothing to vary have no probe, and are not part of the result. */
const compare = (
  found: ReadonlyMap<AssumptionId, Finding>,
  assumptions: Assumptions,
): readonly AssumptionResult[] =>
  assumptionRegistry.flatMap(({ id, section, question }): AssumptionResult[] => {
    const finding = found.get(id)
    const row = { id, section, question, assumed: assumptions[id] }
    if (finding === undefined) return []
    if ('unseen' in finding) return [{ ...row, outcome: 'unseen', reason: finding.unseen }]
    if ('other' in finding) return [{ ...row, outcome: 'other', found: finding.other }]
    return [{ ...row, outcome: finding.value === row.assumed ? 'agrees' : 'differs', found: finding.value }]
  })
