import {
  type AssumptionId,
  type Assumptions,
  type AssumptionValue,
  assumptionRegistry,
  defaultAssumptions,
} from '../assumptions/registry.ts'
import { PlantMockError, UnreachableError } from '../util/errors.ts'
import { suggestion } from '../util/words.ts'
import { type Client, createClient, InconclusiveError } from './client.ts'
import type { CheckContext } from './context.ts'
import type { Find, Finding } from './finding.ts'
import { type ConformanceOptions, clientOptions } from './options.ts'
import { probes } from './probes.ts'
import { type Rule, rules, type Verdict } from './rules.ts'
import { createSamplePlants } from './sample-plants.ts'
import { NoResponseError } from './send-request.ts'
import { curlLine, listRequest } from './test-request.ts'

export type RuleResult = Pick<Rule, 'id' | 'section' | 'statement'> &
  (
    | { readonly outcome: 'passed' }
    | { readonly outcome: 'skipped'; readonly reason: string }
    /** `curl` repeats the request that shows the failure, with `$TOKEN` for the token. */
    | { readonly outcome: 'failed'; readonly reason: string; readonly curl: string }
  )

export type AssumptionResult = {
  readonly id: AssumptionId
  readonly section: string
  readonly question: string
  readonly assumed: AssumptionValue
} & (
  | { readonly outcome: 'agrees' | 'differs'; readonly found: AssumptionValue }
  /** The service does something that is none of the values in the registry. */
  | { readonly outcome: 'other'; readonly found: string }
  | { readonly outcome: 'unseen'; readonly reason: string }
)

export type ConformanceReport = {
  readonly baseUrl: string
  /** True when no rule failed. */
  readonly conforms: boolean
  readonly rules: readonly RuleResult[]
  /** In the order of the registry; assumptions without alternatives are left out. */
  readonly assumptions: readonly AssumptionResult[]
  readonly requests: number
  /** Creates that succeeded. */
  readonly created: number
}

/**
 * Checks a service against every rule of the contract, then finds out how it behaves at the open points.
 * Requests are sent one at a time; redirects are not followed. With `readOnly`, only GET and PROPFIND are sent.
 * @throws UnreachableError when the first request gets no response; PlantMockError for an unusable option.
 */
export const checkConformance = async (options: ConformanceOptions): Promise<ConformanceReport> => {
  const { skip = [], random = Math.random, signal } = options
  const selectedRules = selectRules(options.rules, skip)
  const selectedProbes = selectProbes(skip)
  const settings = clientOptions(options)
  const { baseUrl } = settings
  const client = createClient(settings)
  const context: CheckContext = { client, samples: createSamplePlants(client, random) }
  await assertReachable(client, baseUrl)
  let done = 0
  const total = selectedRules.length + selectedProbes.length
  const ruleResults: RuleResult[] = []
  for (const rule of selectedRules) {
    if (signal?.aborted) break
    options.onProgress?.(rule.id, done++, total)
    const { id, section, statement } = rule
    ruleResults.push({ id, section, statement, ...withCurl(await checkRule(rule, context), baseUrl) })
  }
  const findings = new Map<AssumptionId, Finding>()
  for (const [id, find] of selectedProbes) {
    if (signal?.aborted) break
    options.onProgress?.(id, done++, total)
    findings.set(id, await runProbe(find, context))
  }
  return {
    baseUrl,
    conforms: ruleResults.every(({ outcome }) => outcome !== 'failed'),
    rules: ruleResults,
    assumptions: compare(findings, options.assumptions ?? defaultAssumptions),
    requests: client.requests,
    created: client.created,
  }
}

const ruleIds = rules.map(({ id }) => id)
const knownIds: readonly string[] = [...ruleIds, ...assumptionRegistry.map(({ id }) => id)]

const selectRules = (ids: readonly string[] = ruleIds, skip: readonly string[]): readonly Rule[] => {
  const unknown = ids.find((id) => !ruleIds.includes(id))
  if (unknown !== undefined)
    throw new PlantMockError(
      `Unknown rule "${unknown}".${suggestion(unknown, ruleIds)} The rules are ${ruleIds.join(', ')}.`,
    )
  return rules.filter(({ id }) => ids.includes(id) && !skip.includes(id))
}

const selectProbes = (skip: readonly string[]): readonly (readonly [AssumptionId, Find])[] => {
  const unknown = skip.find((id) => !knownIds.includes(id))
  if (unknown !== undefined)
    throw new PlantMockError(`Unknown rule or assumption "${unknown}" in skip.${suggestion(unknown, knownIds)}`)
  const all = Object.entries(probes) as [AssumptionId, Find][]
  return all.filter(([id]) => !skip.includes(id))
}

const assertReachable = async (client: Client, baseUrl: string): Promise<void> => {
  try {
    await client.send(listRequest('?limit=1'))
  } catch (error) {
    if (client.isStopped) return
    if (error instanceof NoResponseError || error instanceof InconclusiveError)
      throw new UnreachableError(`${baseUrl} cannot be reached: ${error.message}.`)
    throw error
  }
}

const stoppedReason = 'the check was stopped'

const checkRule = async (rule: Rule, context: CheckContext): Promise<Verdict> => {
  try {
    return await rule.check(context)
  } catch (error) {
    if (error instanceof NoResponseError) return { outcome: 'failed', reason: error.message, request: error.request }
    if (error instanceof InconclusiveError) return { outcome: 'skipped', reason: error.message }
    if (context.client.isStopped) return { outcome: 'skipped', reason: stoppedReason }
    throw error
  }
}

const withCurl = (verdict: Verdict, baseUrl: string) =>
  verdict.outcome === 'failed'
    ? { outcome: verdict.outcome, reason: verdict.reason, curl: curlLine(verdict.request, baseUrl) }
    : verdict

const runProbe = async (find: Find, context: CheckContext): Promise<Finding> => {
  try {
    return await find(context)
  } catch (error) {
    if (error instanceof NoResponseError || error instanceof InconclusiveError) return { unseen: error.message }
    if (context.client.isStopped) return { unseen: stoppedReason }
    throw error
  }
}

const compare = (findings: ReadonlyMap<AssumptionId, Finding>, assumptions: Assumptions): readonly AssumptionResult[] =>
  assumptionRegistry.flatMap(({ id, section, question }): AssumptionResult[] => {
    const finding = findings.get(id)
    const row = { id, section, question, assumed: assumptions[id] }
    if (finding === undefined) return []
    if ('unseen' in finding) return [{ ...row, outcome: 'unseen', reason: finding.unseen }]
    if ('other' in finding) return [{ ...row, outcome: 'other', found: finding.other }]
    return [{ ...row, outcome: finding.value === row.assumed ? 'agrees' : 'differs', found: finding.value }]
  })
