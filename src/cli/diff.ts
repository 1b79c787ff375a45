import { layerOf, parseEntries } from '../core/assumptions/file.ts'
import { environmentAssume, parseAssume } from '../core/assumptions/parse.ts'
import type { AssumptionId } from '../core/assumptions/registry.ts'
import { resolveAssumptions } from '../core/assumptions/resolve.ts'
import { withoutUserInfos } from '../core/http/address.ts'
import { shellWord } from '../util/shell.ts'
import type { ReportedTest } from '../util/terminal.ts'
import { type ChangeKey, keyOf } from '../vary/evidence/plan.ts'
import { whyNotJudged } from '../vary/search/judge.ts'
import { alternativeTo, searchAlternatives, type VaryReport } from '../vary/search/search-alternatives.ts'
import type { SuiteRequest } from '../vary/suite/suite-request.ts'
import { type TestResult, withShortPath } from '../vary/suite/test-result.ts'
import type { ConformanceReport } from '../verify/ask/check.ts'
import { parseBaseUrl } from '../verify/ask/options.ts'
import { type Comparison, learn, learnBroken, type RuleChange, type ServiceChange } from '../verify/read/learned.ts'
import {
  type Consequence,
  compareLearned,
  type Drift,
  driftReport,
  type Effect,
  type JudgedChange,
  mayBreak,
} from '../verify/report/changes-report.ts'
import { loadSource } from '../verify/sources/load.ts'
import type { Source } from '../verify/sources/source.ts'
import { optionsOfSuites } from './check-options.ts'
import { checkService, observedAt, targetOf } from './check-service.ts'
import { type CommandLine, type RunCliCommand, stopSignal, type Terminal } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import type { Values } from './options.ts'
import { suiteCommand, tokenFlags } from './repeat-command.ts'
import { printReport } from './reporter.ts'
import { suiteRequest } from './suite-request.ts'

type Side = Source & {
  readonly checked?: ConformanceReport['rules']
  readonly incomplete?: string
}

export const diff: RunCliCommand = async (line, terminal) => {
  const { values } = line
  const [earlierOperand = '', laterOperand = ''] = line.operands
  const signal = stopSignal(terminal)
  const readEarlier = await openSide(earlierOperand, line, terminal, signal)
  const readLater = await openSide(laterOperand, line, terminal, signal)
  // Checks one side after the other, because parallel checks of the same service would disturb each other.
  const earlier = await readEarlier()
  const later = await readLater()
  if (signal.aborted) return exitCodes.interrupted
  const compared = compareLearned(earlier, later)
  const found = { ...compared, rules: compared.rules.map((rule) => withReason(rule, later.checked)) }
  const judged = await judge(found, earlier, line, terminal, signal).catch((error: unknown) => ({ error }))
  const drift = { ...found, ...('error' in judged ? {} : judged) }
  const report = driftReport(drift, nextText(drift, line))
  await printReport(report, values, terminal)
  // Prints the report first, because an error of the test suite must not hide the comparison.
  if ('error' in judged) throw judged.error
  if (signal.aborted) return exitCodes.interrupted
  const isIncomplete = (earlier.incomplete ?? later.incomplete) !== undefined
  return isIncomplete && report.outcome !== 'broken' ? exitCodes.unreachable : outcomeCodes[report.outcome]
}

const nextText = ({ changes }: Pick<Drift, 'changes'>, { operands, rest, flags }: CommandLine): readonly string[] => {
  const repeat = changes.find(
    ({ breaks = [], breaksCommand }) => breaks.length > 0 || breaksCommand !== undefined,
  )?.repeat
  if (repeat !== undefined) return [`Next: change the client or the test, then run ${repeat}`]
  if (rest.length > 0 || changes.length === 0) return []
  return [
    `Next: to find the tests that break, run npx plant-mock diff ${operands.map(withoutUserInfos).map(shellWord).join(' ')}${tokenFlags(flags)} -- COMMAND`,
  ]
}

const withReason = (rule: RuleChange, checked: Side['checked'] = []): RuleChange => {
  const result = checked.find(({ id }) => id === rule.id)
  return result?.outcome === 'failed' ? { ...rule, reason: result.reason, curl: result.curl } : rule
}

const isAddress = (operand: string): boolean => operand.includes('://') && !/\.(?:json|ya?ml)(?:[?#]|$)/i.test(operand)

const outcomeCodes = {
  broken: exitCodes.failure,
  changed: exitCodes.changed,
  added: exitCodes.added,
  same: exitCodes.success,
}

const openSide = async (
  operand: string,
  line: CommandLine,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<() => Promise<Side>> => {
  if (/^[\w.-]+:\d+/.test(operand)) parseBaseUrl(operand)
  if (!isAddress(operand)) {
    const learned = await loadSource(operand, 'assumptions')
    return async () => learned
  }
  const target = targetOf(operand, line)
  return async () => {
    const { assumptions, rules, incomplete } = await checkService(target, line, terminal, { signal })
    const content = JSON.stringify(learn(assumptions, new Map(), observedAt(target)))
    return {
      file: operand,
      kind: 'learned',
      notes: [],
      entries: parseEntries(content, operand),
      broken: learnBroken(rules, []),
      checked: rules,
      ...(incomplete !== undefined && { incomplete }),
    }
  }
}

const judge = async (
  found: Comparison,
  { entries }: Side,
  line: CommandLine,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Partial<Pick<Drift, 'changes' | 'allAtOnce'>>> => {
  const { values, rest, flags } = line
  const [old = ''] = line.operands
  if (rest.length === 0) return {}
  const file = layerOf(entries, old)
  const explicit = parseAssume(flags.get('assume') ?? [])
  const { assumptions, provenance } = resolveAssumptions({
    file,
    environment: environmentAssume(terminal.environment),
    explicit,
  })
  // The mock accepts any token, because the tests may use tokens that the service does not know.
  const isOfService = assumptions['auth.tokens'] === 'listed' && provenance['auth.tokens'].by === 'file'
  const base = isOfService ? { ...assumptions, 'auth.tokens': 'any' as const } : assumptions
  const isOfSuite = ([name]: readonly [string, unknown]): boolean => optionsOfSuites.some((known) => known === name)
  const suiteValues: Values = Object.fromEntries(Object.entries(values).filter(isOfSuite))
  const kept = [...flags].filter((flag) => flag[0] === 'assume' || isOfSuite(flag))
  const repeatFlags = new Map([
    ...(isAddress(old) ? [] : [['assumptions', [old]] as const]),
    ...kept,
    ...(isOfService ? [['assume', [...(flags.get('assume') ?? []), 'auth.tokens=any']] as const] : []),
  ])
  const request = await suiteRequest(line, suiteValues, terminal, { base, signal })
  return judgeChanges(request, found, (key) => suiteCommand({ flags: repeatFlags, rest }, 'vary', key))
}

const judgeChanges = async (
  request: SuiteRequest,
  { changes: changed, refinements, newlySeen }: Comparison,
  repeatOf: (key: ChangeKey) => string,
): Promise<Pick<Drift, 'changes' | 'allAtOnce'>> => {
  const { base } = request
  const changes = [...changed, ...refinements, ...newlySeen]
  const possible = changes.flatMap(({ id, value }) => (value === undefined ? [] : [{ id, value }]))
  const shown = (all: readonly JudgedChange[]): readonly JudgedChange[] =>
    all.filter((change, index) => index < changed.length || mayBreak(change))
  if (possible.length === 0) return { changes: shown(changes.map(withoutRun)), allAtOnce: { breaks: [] } }
  const planned = new Map(
    possible
      .filter(({ id, value }) => value !== base[id])
      .map(({ id, value }) => [keyOf({ id, value }), alternativeTo(base, id, value)]),
  )
  const report = await searchAlternatives(request, planned, true)
  const { broken, fixed, notJudged, notExercised } = report
  const consequenceOf = (key: ChangeKey, id: AssumptionId): Consequence => {
    const exercisedBy = report.countExercising(key)
    const alone = broken.find((one) => one.key === key)
    if (alone !== undefined) {
      const outcome = report.failedRunOf([key], [])?.outcome ?? 'failed'
      return { ...effectOf({ ...alone, outcome }), exercisedBy, notExercised: false, repeat: repeatOf(key) }
    }
    if (fixed.includes(key)) return unknown(`the tests set ${id} themselves`)
    const reason = notJudged.get(key)
    if (reason !== undefined) return unknown(whyNotJudged[reason])
    return { breaks: [], exercisedBy, notExercised: notExercised.includes(key) }
  }
  return {
    changes: shown(
      changes.map((change): JudgedChange => {
        const { id, value } = change
        if (value === undefined) return withoutRun(change)
        const key = keyOf({ id, value })
        return { ...change, ...(planned.has(key) ? consequenceOf(key, id) : { breaks: [], notExercised: false }) }
      }),
    ),
    allAtOnce: report.brokenAtOnce === undefined ? { breaks: [] } : effectOf(report.brokenAtOnce),
  }
}

const unknown = (notJudged: string): Consequence => ({ breaks: [], notExercised: false, notJudged })

const withoutRun = (change: ServiceChange): JudgedChange => ({ ...change, ...unknown('the mock has no such value') })

const effectOf = ({ tests, outcome }: NonNullable<VaryReport['brokenAtOnce']>): Effect => ({
  breaks: tests.map(reported),
  ...(tests.length === 0 && { breaksCommand: outcome }),
})

const reported = ({ file, name, line, message }: TestResult): ReportedTest =>
  withShortPath({ file, name, ...(line !== undefined && { line }), ...(message !== undefined && { message }) })
