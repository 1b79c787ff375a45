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
import { type ConformanceOptions, checkNames, clientOptions } from './options.ts'
import { probes } from './probes.ts'
import type { Rule } from './rules/rule.ts'
import { rules } from './rules/rules.ts'
import { type CheckContext, createSamplePlants } from './sample-plants.ts'
import { isPage, NoResponseError, succeeded } from './send-request.ts'
import { listRequest, namePrefix } from './test-request.ts'
import { describe, failed, skipped, type Verdict } from './verdict.ts'

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
  checkNames(options)
  const { assumptions = defaultAssumptions, onProgress } = options
  const selected = select(options)
  const settings = clientOptions(options)
  const { baseUrl, signal } = settings
  const client = new Client(settings)
  const findings = new Map<AssumptionId, Finding>()
  const samples = createSamplePlants(client, options)
  const first = await client.send(listRequest('?limit=1')).catch((error) => {
    const reason = reasonOf(error, signal)
    if (signal.aborted) return undefined
    throw new UnreachableError(`${baseUrl} cannot be reached: ${reason}.`)
  })
  const context: CheckContext = { client, samples, findings, first }
  let done = 0
  const total = selected.rules.length + selected.probes.length
  const results: RuleResult[] = []
  const begin = async (id: string): Promise<void> => {
    onProgress?.(id, done, total)
    // After the first progress, which announces the creates.
    if (done++ === 0) await checkUsable(context).catch((error) => reasonOf(error, signal))
  }
  const reliance = createReliance(client)
  for (const { check, isRepeated, reliesOnRefusals, ...rule } of selected.rules) {
    if (signal.aborted) break
    await begin(rule.id)
    const end = reliance.begin()
    const verdict =
      client.stopped === undefined
        ? await check(context).catch((error) => verdictOf(error, signal))
        : skipped(client.stopped)
    const at = results.push({ ...rule, ...verdict }) - 1
    if (reliesOnRefusals && verdict.outcome === 'passed')
      end((reason) => results.splice(at, 1, { ...rule, ...skipped(reason) }))
  }
  for (const [id, find] of selected.probes) {
    if (signal.aborted) break
    await begin(id)
    const end = reliance.begin()
    findings.set(id, await find(context).catch((error) => unseen(reasonOf(error, signal))))
    end((reason) => {
      for (const discarded of [id, ...(comparedWith[id] ?? [])])
        if (findings.has(discarded)) findings.set(discarded, unseen(reason))
    })
  }
  await reliance.check(context).catch((error) => reasonOf(error, signal))
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
    ...reasonToStop(context, options),
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

/**
 * Leaves a service alone of which nothing can be seen: a wrong address or token, a page about maintenance, an outage.
 * Where only lists fail, a valid create succeeds, and the check goes on.
 */
const checkUsable = async ({ client, samples, first }: CheckContext): Promise<void> => {
  if (first === undefined || (succeeded(first) && !isPage(first))) return
  const { status, headers } = first
  if (status >= 300 && status < 400)
    client.stop(`lists redirect (${status}) to ${headers.get('location') ?? 'nowhere'}`)
  const mayCreate = !succeeded(first) && status !== 401 && client.canCreate
  if (mayCreate && (await samples.first().then(succeeded, isInconclusive))) return
  if (status === 401 || status === 403) client.stop(`the token is not accepted: ${describe(first)}`)
  client.stop(
    status >= 500 ? `the service fails: ${describe(first)}` : `no list succeeds at this address: ${describe(first)}`,
  )
}

/** Assumptions whose value says how they differ from another. */
const comparedWith: Readonly<Partial<Record<AssumptionId, readonly AssumptionId[]>>> = {
  'error.body': ['error.authBody', 'error.syntaxBody', 'error.duplicateBody', 'error.pathBody'],
  'error.invalidStatus': ['error.syntaxStatus', 'create.contentType'],
  'list.invalidLimit': ['list.repeatedLimit'],
}

/** @returns False for a reason why nothing was observed. @throws Any other error. */
const isInconclusive = (error: unknown): false => {
  if (error instanceof NoResponseError || error instanceof InconclusiveError) return false
  throw error
}

/**
 * Refusals show something only as long as valid requests succeed: a quota may be used up. The requests of later rules
 * and probes show that for those before, so that few more are needed.
 */
const createReliance = (client: Client) => {
  type Relying = { readonly refused: Client['lastRefused']; readonly discard: (reason: string) => void }
  const relying: Relying[] = []
  const isUnconfirmed = (method: 'GET' | 'POST', { refused }: Relying) => refused[method] > client.lastSucceeded[method]
  return {
    /** @returns A function that ends a rule or probe; `discard` is called if its refusals show nothing. */
    begin() {
      const before = { ...client.lastRefused }
      return (discard: Relying['discard']): void => {
        const { GET, POST } = client.lastRefused
        const refused = { GET: GET > before.GET ? GET : 0, POST: POST > before.POST ? POST : 0 }
        if (refused.GET > 0 || refused.POST > 0) relying.push({ refused, discard })
      }
    },
    async check({ samples }: CheckContext): Promise<void> {
      try {
        if (relying.some((one) => isUnconfirmed('GET', one))) {
          const list = await client.send(listRequest('?limit=1'))
          if (!succeeded(list) && client.lastSucceeded.GET > 0) client.stop(`lists no longer succeed (${list.status})`)
        }
        if (relying.some((one) => isUnconfirmed('POST', one))) {
          const { status } = await samples.create()
          const wasAccepted = client.lastSucceeded.POST > 0
          if (wasAccepted && status >= 400) client.createsStopped ??= `creates no longer succeed (${status})`
        }
      } finally {
        for (const one of relying) {
          if (isUnconfirmed('GET', one)) one.discard('no later list succeeds, so a refusal shows nothing')
          else if (isUnconfirmed('POST', one)) one.discard('no later create succeeds, so a refusal shows nothing')
        }
      }
    },
  }
}

/** Why the check ended early, or could not create plants. */
const reasonToStop = (
  { client, samples }: CheckContext,
  { plant, ids }: ConformanceOptions,
): { readonly incomplete?: string } => {
  const stopped = client.stopped ?? client.createsStopped
  if (stopped !== undefined) return { incomplete: stopped }
  const status = samples.refusal()
  if (status === undefined) return {}
  const hints = [
    plant === undefined
      ? 'give one that the service accepts with --plant'
      : `"${namePrefix}" was added to the one of --plant`,
    ...(ids === undefined ? [plant === undefined ? 'ids with --ids' : 'give ids with --ids'] : []),
  ]
  return { incomplete: `every plant is refused (${status}); ${hints.join(plant === undefined ? ', and ' : '; ')}` }
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
