import {
  type Assumption,
  type AssumptionId,
  type AssumptionValue,
  assumptionRegistry,
  defaultAssumptions,
} from '../assumptions/registry.ts'
import { PlantMockError, UnreachableError } from '../util/errors.ts'
import { suggestion } from '../util/words.ts'
import { Client, InconclusiveError } from './client.ts'
import { type Find, type Finding, unseen } from './finding.ts'
import { type ConformanceOptions, clientOptions } from './options.ts'
import { probes } from './probes.ts'
import { failed, type Rule, rules, skipped, type Verdict } from './rules.ts'
import { type CheckContext, createSamplePlants } from './sample-plants.ts'
import { NoResponseError } from './send-request.ts'
import { listRequest } from './test-request.ts'

export type RuleResult = Pick<Rule, 'id' | 'section' | 'statement'> & Verdict

export type AssumptionResult = Pick<Assumption, 'id' | 'section' | 'question'> & {
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
  const { assumptions = defaultAssumptions, random = Math.random, onProgress } = options
  const selected = select(options)
  const settings = clientOptions(options)
  const { baseUrl, signal } = settings
  const client = new Client(settings)
  const context: CheckContext = { client, samples: createSamplePlants(client, random) }
  await client.send(listRequest('?limit=1')).catch((error) => {
    const reason = reasonOf(error, signal)
    if (!signal.aborted) throw new UnreachableError(`${baseUrl} cannot be reached: ${reason}.`)
  })
  let done = 0
  const total = selected.rules.length + selected.probes.length
  const results: RuleResult[] = []
  for (const { check, ...rule } of selected.rules) {
    if (signal.aborted) break
    onProgress?.(rule.id, done++, total)
    results.push({ ...rule, ...(await check(context).catch((error) => verdictOf(error, signal))) })
  }
  const findings = new Map<AssumptionId, Finding>()
  for (const [id, find] of selected.probes) {
    if (signal.aborted) break
    onProgress?.(id, done++, total)
    findings.set(id, await find(context).catch((error) => unseen(reasonOf(error, signal))))
  }
  return {
    baseUrl,
    conforms: results.every(({ outcome }) => outcome !== 'failed'),
    rules: results,
    assumptions: assumptionRegistry.flatMap((row) => {
      const finding = findings.get(row.id)
      return finding === undefined ? [] : [compare(row, assumptions[row.id], finding)]
    }),
    requests: client.requests,
    created: client.created,
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
  if (typeof finding !== 'object')
    return { ...row, outcome: finding === assumed ? 'agrees' : 'differs', found: finding }
  return 'unseen' in finding
    ? { ...row, outcome: 'unseen', reason: finding.unseen }
    : { ...row, outcome: 'other', found: finding.other }
}
