import {
  type Assumption,
  type AssumptionId,
  type AssumptionValue,
  assumptionRegistry,
  defaultAssumptions,
} from '../assumptions/registry.ts'
import { PlantMockError, UnreachableError } from '../util/errors.ts'
import { suggestion } from '../util/words.ts'
import { Client, type CreatedPlant, InconclusiveError } from './client.ts'
import { type Find, type Finding, type Scope, unseen } from './finding.ts'
import { type Change, compareWith } from './learned.ts'
import { type ConformanceOptions, clientOptions } from './options.ts'
import { probes } from './probes.ts'
import { type Rule, rules } from './rules.ts'
import { type CheckContext, createSamplePlants } from './sample-plants.ts'
import { NoResponseError, type TestResponse } from './send-request.ts'
import { listRequest } from './test-request.ts'
import { failed, skipped, type Verdict } from './verdict.ts'

export type RuleResult = Pick<Rule, 'id' | 'section' | 'statement'> & Verdict

export type AssumptionResult = Pick<Assumption, 'id' | 'section' | 'question'> & {
  readonly assumed: AssumptionValue
} & (
    | ({ readonly outcome: 'agrees' | 'differs'; readonly found: AssumptionValue } & Scope)
    /** The service does something that is none of the values in the registry. */
    | ({ readonly outcome: 'other'; readonly found: string } & Pick<Scope, 'evidence'>)
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
  /** Every plant that was created, or may have been, as it was sent. */
  readonly plants: readonly CreatedPlant[]
  /** Why the check ended early; `undefined` when it did not. */
  readonly incomplete?: string
  /** The differences from the expected assumptions; `undefined` when none were given. */
  readonly changes?: readonly Change[]
  /** Findings that tell more than the expected assumptions, and contradict none; `undefined` when none were given. */
  readonly refinements?: readonly Change[]
}

/**
 * Checks a service against every rule of the contract, then finds out how it behaves at the open points.
 * Requests are sent one at a time; redirects are not followed. With `readOnly`, only GET and PROPFIND are sent.
 * @throws UnreachableError when the first request gets no response; PlantMockError for an unusable option.
 */
export const checkConformance = async (options: ConformanceOptions): Promise<ConformanceReport> => {
  const { assumptions = defaultAssumptions, onProgress } = options
  const selected = select(options)
  const settings = clientOptions(options)
  const { baseUrl, signal } = settings
  const client = new Client(settings)
  const findings = new Map<AssumptionId, Finding>()
  const context: CheckContext = { client, samples: createSamplePlants(client, options), findings }
  const first = await client.send(listRequest('?limit=1')).catch((error) => {
    const reason = reasonOf(error, signal)
    if (signal.aborted) return undefined
    throw new UnreachableError(`${baseUrl} cannot be reached: ${reason}.`)
  })
  let done = 0
  const total = selected.rules.length + selected.probes.length
  const results: RuleResult[] = []
  for (const { check, isRepeated, ...rule } of selected.rules) {
    if (signal.aborted) break
    onProgress?.(rule.id, done++, total)
    results.push({ ...rule, ...(await check(context).catch((error) => verdictOf(error, signal))) })
  }
  for (const [id, find] of selected.probes) {
    if (signal.aborted) break
    onProgress?.(id, done++, total)
    findings.set(id, await find(context).catch((error) => unseen(reasonOf(error, signal))))
  }
  await repeat(results, context, signal)
  const compared = assumptionRegistry.flatMap((row) => {
    const finding = findings.get(row.id)
    return finding === undefined ? [] : [compare(row, assumptions[row.id], finding)]
  })
  return {
    baseUrl,
    conforms: results.every(({ outcome }) => outcome !== 'failed'),
    rules: results,
    assumptions: compared,
    requests: client.requests,
    created: client.created.filter(({ certain }) => certain).length,
    plants: client.created,
    ...reasonToStop(context, first),
    ...(options.expect !== undefined && compareWith(compared, options.expect)),
  }
}

/** Checks some rules again, after the time that the slowest plant took to be listed: another caller may see it late. */
const repeat = async (results: RuleResult[], context: CheckContext, signal: AbortSignal): Promise<void> => {
  const { client, samples } = context
  for (const { id, check, isRepeated } of rules) {
    const at = results.findIndex((result) => result.id === id && result.outcome === 'passed')
    const result = results[at]
    if (!isRepeated || result === undefined || client.stopped !== undefined || signal.aborted) continue
    if (samples.slowest() > 0) await client.wait(samples.slowest())
    const verdict = await check(context).catch((error) => verdictOf(error, signal))
    const { section, statement } = result
    if (verdict.outcome === 'failed') results[at] = { id, section, statement, ...verdict }
  }
}

/** A service that redirects its lists answers elsewhere, so almost nothing was seen; nor where it accepts no plant. */
const reasonToStop = (
  { client, samples }: CheckContext,
  first: TestResponse | undefined,
): { readonly incomplete?: string } => {
  if (client.stopped !== undefined) return { incomplete: client.stopped }
  if (first !== undefined && first.status >= 300 && first.status < 400)
    return { incomplete: `lists redirect (${first.status}) to ${first.headers.get('location') ?? 'nowhere'}` }
  const status = samples.refusal()
  if (status === undefined) return {}
  return {
    incomplete: `every plant is refused (${status}); give one that the service accepts with --plant, and ids with --ids`,
  }
}

const ruleIds = rules.map(({ id }) => id)
const knownIds: readonly string[] = [...ruleIds, ...assumptionRegistry.map(({ id }) => id)]

/** @throws PlantMockError for an unknown id. */
const select = ({ rules: ids = ruleIds, skip = [] }: ConformanceOptions) => {
  const rule = ids.find((id) => !ruleIds.includes(id))
  if (rule !== undefined)
    throw new PlantMockError(`Unknown rule "${rule}".${suggestion(rule, ruleIds)} The rules are ${ruleIds.join(', ')}.`)
  const unknown = skip.find((id) => !knownIds.includes(id))
  if (unknown !== undefined)
    throw new PlantMockError(`Unknown rule or assumption "${unknown}" in skip.${suggestion(unknown, knownIds)}`)
  return {
    rules: rules.filter(({ id }) => ids.includes(id) && !skip.includes(id)),
    probes: (Object.entries(probes) as [AssumptionId, Find][]).filter(([id]) => !skip.includes(id)),
  }
}

const verdictOf = (error: unknown, signal: AbortSignal): Verdict =>
  error instanceof NoResponseError ? failed(error, error.message) : skipped(reasonOf(error, signal))

/** Why nothing was observed. @throws Any error that is no reason. */
const reasonOf = (error: unknown, signal: AbortSignal): string => {
  if (error instanceof NoResponseError || error instanceof InconclusiveError) return error.message
  if (signal.aborted) return 'the check was stopped'
  throw error
}

const compare = (assumption: Assumption, assumed: AssumptionValue, finding: Finding): AssumptionResult => {
  const { id, section, question } = assumption
  const row = { id, section, question, assumed }
  if (typeof finding !== 'object') return compare(assumption, assumed, { value: finding })
  if ('unseen' in finding) return { ...row, outcome: 'unseen', reason: finding.unseen }
  if ('other' in finding) {
    const { other: found, ...scope } = finding
    return { ...row, outcome: 'other', found, ...scope }
  }
  const { value: found, ...scope } = finding
  return { ...row, outcome: found === assumed ? 'agrees' : 'differs', found, ...scope }
}
