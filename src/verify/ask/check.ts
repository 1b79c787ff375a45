import type { Entries, Entry } from '../../core/assumptions/file.ts'
import {
  type AssumptionId,
  type Assumptions,
  assumptionRegistry,
  defaultAssumptions,
  rowOf,
} from '../../core/assumptions/registry.ts'
import { isAdvice, type Rule, type RuleId, ruleIds, rules } from '../../core/contract/rules.ts'
import type { NewPlant } from '../../core/contract/schemas.ts'
import { operations } from '../../core/operations/operations.ts'
import { PlantMockError, UnreachableError } from '../../util/errors.ts'
import { suggestion } from '../../util/words.ts'
import { type AssumptionResult, assumptionResult, entryOf } from '../read/finding.ts'
import type { Alikeness } from '../read/imitation.ts'
import { type Comparison, compareWith, type RuleState, type ServiceChange } from '../read/learned.ts'
import { noLater, type RecordedExchange, type Recording, unconfirmedIn } from '../read/recording.ts'
import { type CreatedPlant, isPage, lengthOf, refused, succeeded } from '../read/response.ts'
import { isCreate, isList, listRequest, namePrefix } from '../read/test-request.ts'
import { describe, excerpt, failed, type RuleVerdict, skipped } from '../read/verdict.ts'
import { Client } from './client.ts'
import { drawSample, sendHeldOut } from './held-out-requests.ts'
import { findRateLimit } from './list-probes.ts'
import { type ConformanceOptions, checkNames, clientOptions } from './options.ts'
import { finalPlan, plan } from './plan.ts'
import { createPlantSource } from './plant-source.ts'
import { ruleChecks } from './rules.ts'
import type { CheckContext, PlanRow, Probe } from './sample-plants.ts'
import { createSamplePlants } from './sample-plants.ts'
import { InconclusiveError, insteadOf, NoResponseError } from './send-request.ts'
import { createAtOnce, sweep } from './sweep.ts'

export type RuleResult = { readonly id: RuleId } & Rule & RuleVerdict & Pick<RuleState, 'wasBroken'>

export type ConformanceReport = {
  readonly baseUrl: string
  /** False if a rule is broken or no rule could be checked. */
  readonly conforms: boolean
  readonly rules: readonly RuleResult[]
  /** One result for each checked assumption that has several possible values, in the order of `assumptionRegistry`. */
  readonly assumptions: readonly AssumptionResult[]
  readonly requests: number
  readonly created: number
  /** Every created plant, as sent, even without a clear response, because the service may have stored the plant. */
  readonly plants: readonly CreatedPlant[]
  /** Why the check ended early. `undefined` if the check is complete. */
  readonly incomplete?: string
  /** Findings that contradict the entries of the option `expect`. `undefined` without this option. */
  readonly changes?: readonly ServiceChange[]
  /** Comparison of the service with the mock of the option `imitate`. `undefined` without this option. */
  readonly alike?: Alikeness
  /** Findings that are more precise than the entries of the option `expect`. `undefined` without this option. */
  readonly refinements?: Comparison['refinements']
  /** Findings for assumptions without a value in the option `expect`. `undefined` without this option. */
  readonly newlySeen?: Comparison['newlySeen']
}

/**
 * Checks whether a service follows every rule of the contract, then measures the value of each assumption. Sends one
 * request at a time, except a few concurrent creates at the end. Follows no redirects. With `readOnly`, sends only GET,
 * PROPFIND and OPTIONS.
 * @throws UnreachableError if the first request gets no response.
 * @throws PlantMockError for an invalid option.
 */
export const checkConformance = async (options: ConformanceOptions): Promise<ConformanceReport> => {
  checkNames(options)
  const { assumptions = defaultAssumptions, knownBroken = [], onProgress } = options
  const selected = selectChecks(options)
  const settings = clientOptions(options)
  const { baseUrl, signal, now } = settings
  const source = createPlantSource(options.random ?? Math.random, now, options.plant)
  const client = new Client(settings, source.keyOf)
  const { recording } = client
  const findings = new Map<AssumptionId, Entry | undefined>()
  const reasons = new Map<AssumptionId, string>()
  const samples = createSamplePlants(client, source)
  const first = await client.send(listRequest('?limit=1')).catch((error) => {
    const reason = reasonOf(error, signal)
    if (signal.aborted) return undefined
    throw new UnreachableError(`${baseUrl} cannot be reached: ${reason}.`, { cause: error })
  })
  const context: CheckContext = { client, samples, findings, first }
  const ignoreInconclusive = (work: Promise<unknown>) => work.catch((error) => reasonOf(error, signal))
  let done = 0
  const total = selected.rules.length + selected.plan.length + selected.finalPlan.length
  const begin = async (id: string): Promise<void> => {
    onProgress?.(id, done, total)
    if (done++ === 0) await ignoreInconclusive(checkUsable(context, baseUrl))
  }
  const verdicts = new Map<RuleId, RuleVerdict>()
  let refusals: readonly RecordedExchange[] = []
  for (const id of selected.rules) {
    if (signal.aborted) break
    await begin(id)
    const check = ruleChecks[id]
    const before = recording.exchanges.length
    verdicts.set(
      id,
      client.stopReason === undefined ? await verdictOf(check(context), signal) : skipped(client.stopReason),
    )
    if (id === 'robust.refusal') refusals = recording.exchanges.slice(before)
  }
  const sendRows = async (rows: typeof selected.plan): Promise<void> => {
    for (const [id, row] of rows) {
      if (signal.aborted) return
      await begin(id)
      recording.purpose = id
      const found = await row(context).catch((error) => void reasons.set(id, reasonOf(error, signal)))
      findings.set(id, found === undefined ? undefined : entryOf(found))
      recording.purpose = undefined
    }
  }
  await sendRows(selected.plan)
  await ignoreInconclusive(confirmRefusals(context, refusals))
  onProgress?.('limits', done, total)
  await ignoreInconclusive(sweep(context, (id) => verdicts.get(id)?.outcome === 'passed'))
  // Measures the rate limit again, because requests since the first measurement may have reached the limit.
  if (findings.get('rate.limit')?.value === 'none')
    await ignoreInconclusive(findRateLimit(context).then((found) => findings.set('rate.limit', entryOf(found))))
  if (verdicts.has('create.stored')) await ignoreInconclusive(confirmMissing(context))
  if (options.imitate && !signal.aborted && client.stopReason === undefined) {
    const onDraw = (): void => {
      recording.isHeldOut = true
    }
    onProgress?.('alike', done, total)
    await ignoreInconclusive(sendHeldOut(client, samples, options.seed ?? 1, onDraw))
  }
  await sendRows(selected.finalPlan)
  if (selected.finalPlan.length > 0) await ignoreInconclusive(client.send(listRequest('?limit=1')))
  if (verdicts.get('create.stored')?.outcome === 'passed' && client.stopReason === undefined && !signal.aborted) {
    // Does not record the concurrent creates, because the service may execute the creates in any order.
    recording.end()
    const verdict = await createAtOnce(context).catch((error) => void reasonOf(error, signal))
    if (verdict !== undefined) verdicts.set('create.stored', verdict)
  }
  const unconfirmed = unconfirmedIn(recording.exchanges)
  if (verdicts.get('robust.refusal')?.outcome === 'passed' && refusals.some((one) => unconfirmed.has(one)))
    verdicts.set('robust.refusal', skipped(noLater('create')))
  const results = selected.rules.flatMap((id): RuleResult[] => {
    const verdict = verdicts.get(id)
    return verdict === undefined ? [] : [resultOf(id, client.violations.failureOf(id), verdict, knownBroken)]
  })
  const { readCheck } = await import('../read/read-check.ts')
  const found = resultsOf(readCheck(recording.exchanges, findings, reasons, samples), findings, assumptions)
  return {
    baseUrl,
    conforms:
      results.every(({ outcome }) => outcome !== 'failed') &&
      (results.length === 0 || results.some(({ outcome }) => outcome !== 'skipped')),
    rules: results,
    assumptions: found,
    requests: client.requests,
    created: client.created.filter(({ certain }) => certain).length,
    plants: client.created,
    ...reasonToStop(context, signal),
    ...(options.expect !== undefined && compareWith(found, options.expect)),
    ...(options.imitate &&
      !signal.aborted && { alike: await measure(recording, options.imitate(found), context, results) }),
  }
}

const resultOf = (
  id: RuleId,
  failure: RuleVerdict | undefined,
  verdict: RuleVerdict,
  knownBroken: readonly string[],
): RuleResult => {
  const found = verdict.outcome === 'failed' ? verdict : (failure ?? verdict)
  const judged = found.outcome === 'failed' && isAdvice(id) ? { ...found, outcome: 'advised' as const } : found
  return { id, ...rules[id], ...judged, ...(knownBroken.includes(id) && { wasBroken: true as const }) }
}

const resultsOf = (
  read: (id: AssumptionId) => Entry,
  sent: ReadonlyMap<AssumptionId, unknown>,
  assumptions: Assumptions,
): readonly AssumptionResult[] =>
  assumptionRegistry.flatMap((row) => {
    const { needs } = rowOf(row.id)
    const isNeedless = needs !== undefined && sent.has(needs) && (read(needs).value ?? 'none') === 'none'
    return sent.has(row.id) && !isNeedless ? [assumptionResult(row, assumptions[row.id], read(row.id))] : []
  })

/** Checks that valid requests still succeed after a refusal: with an exhausted quota, the service refuses all. */
const confirmRefusals = async (
  { client, samples }: CheckContext,
  refusals: readonly RecordedExchange[],
): Promise<void> => {
  const { exchanges } = client.recording
  const isGiven = ({ request: { as }, response }: RecordedExchange) => as === 'caller' && succeeded(response)
  const unconfirmed = [...unconfirmedIn(exchanges)].filter(
    ([one]) => refused(one.response) && (one.purpose !== undefined || refusals.includes(one)),
  )
  if (unconfirmed.some(([, kind]) => kind === 'list')) {
    const list = await client.send(listRequest('?limit=1'))
    if (!succeeded(list) && exchanges.some((one) => isList(one.request) && isGiven(one)))
      client.stop(`lists no longer succeed (${list.status})`)
  }
  if (unconfirmed.some(([, kind]) => kind === 'create')) {
    const { status } = await samples.create()
    if (status >= 400 && exchanges.some((one) => isCreate(one.request) && isGiven(one)))
      client.createStopReason ??= `creates no longer succeed (${status})`
  }
}

const checkUsable = async ({ client, samples, first }: CheckContext, baseUrl: string): Promise<void> => {
  if (first === undefined || (succeeded(first) && !isPage(first))) return
  const { status, headers } = first
  if (status >= 300 && status < 400)
    client.stop(`lists redirect (${status}) to ${headers.get('location') ?? 'nowhere'}`)
  const mayCreate = !succeeded(first) && status !== 401 && client.canCreate
  if (mayCreate && (await samples.first().then(succeeded, insteadOf(false, NoResponseError, InconclusiveError)))) return
  if (status === 401 || status === 403) client.stop(`the token is not accepted: ${describe(first)}`)
  const { path } = operations.listPlants
  if (new URL(baseUrl).pathname.replace(/\/$/, '').endsWith(path))
    client.stop(`no list succeeds at ${baseUrl}${path} (${status}); leave out ${path} at the end of the address`)
  client.stop(
    status >= 500 ? `the service fails: ${describe(first)}` : `no list succeeds at this address: ${describe(first)}`,
  )
}

const reasonToStop = ({ client, samples }: CheckContext, signal: AbortSignal): { readonly incomplete?: string } => {
  const status = samples.refusal()
  const refused = `every plant with "${namePrefix}" in name or tag is refused (${status}); give another plant with --plant, optionally with a first id`
  const reason = signal.aborted
    ? 'it was stopped'
    : (client.stopReason ?? client.createStopReason ?? (status && refused))
  return reason ? { incomplete: reason } : {}
}

/** Loads `imitation.ts` on demand, because `imitation.ts` imports the whole mock. */
const measure = async (
  { exchanges }: Recording,
  entries: Entries,
  { samples }: CheckContext,
  rules: readonly RuleResult[],
): Promise<Alikeness> => {
  const { imitate } = await import('../read/imitation.ts')
  const broken = rules.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)
  return imitate(exchanges, entries, samples, broken, drawSample())
}

/** Repeats the list until the timeout, because a service may show a new plant late. */
const confirmMissing = async ({ client, samples, findings }: CheckContext): Promise<void> => {
  const found = client.violations.missing()
  const truncated = /^clamp/.test(String(findings.get('list.maxLimit')?.value))
  if (found === undefined || (truncated && !found.isProven)) return
  const { plant, as } = found
  const list = await samples.listUntil(plant as NewPlant, { as })
  if (found.isProven) samples.requireLabels(list)
  else await samples.requireComplete(list)
  if (samples.shows(list, plant as NewPlant)) return
  const label = excerpt(samples.labelOf(plant) ?? '')
  const reason = `"${label}" is not among the ${lengthOf(list)} listed plants, although an earlier list had older and newer plants`
  client.violations.note('create.stored', list, reason)
}

const verdictOf = (check: Promise<RuleVerdict>, signal: AbortSignal): Promise<RuleVerdict> =>
  check.catch((error) =>
    error instanceof NoResponseError ? failed(error, error.message) : skipped(reasonOf(error, signal)),
  )

const reasonOf = (error: unknown, signal: AbortSignal): string => {
  if (error instanceof NoResponseError || error instanceof InconclusiveError) return error.message
  if (signal.aborted) return 'the check was stopped'
  throw error
}

const knownIds: readonly string[] = [...ruleIds, ...assumptionRegistry.map(({ id }) => id)]

const selectChecks = ({ rules: ids = ruleIds, skip = [], knownBroken = [] }: ConformanceOptions) => {
  const rule = [...ids, ...knownBroken].find((id) => !ruleIds.some((known) => known === id))
  if (rule !== undefined)
    throw new PlantMockError(`Unknown rule "${rule}".${suggestion(rule, ruleIds)} The rules are ${ruleIds.join(', ')}.`)
  const unknown = skip.find((id) => !knownIds.includes(id))
  if (unknown !== undefined)
    throw new PlantMockError(`Unknown rule or assumption "${unknown}" in skip.${suggestion(unknown, knownIds)}`)
  const rowsOf = (table: object) =>
    (Object.entries(table) as [AssumptionId, PlanRow | Probe][]).filter(([id]) => !skip.includes(id))
  return {
    rules: ruleIds.filter((id) => ids.includes(id) && !skip.includes(id)),
    plan: rowsOf(plan),
    finalPlan: rowsOf(finalPlan),
  }
}
