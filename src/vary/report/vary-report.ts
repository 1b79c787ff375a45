import type { Assumption } from '../../core/assumptions/registry.ts'
import { contractCommand, sectionsIn } from '../../core/contract/violation.ts'
import { type JunitCase, renderJunit } from '../../util/junit.ts'
import { type Finding, renderReport, type Screen } from '../../util/report.ts'
import { nameOf, printable, printableJson, testTexts } from '../../util/terminal.ts'
import { shorten } from '../../util/text.ts'
import { plural } from '../../util/words.ts'
import type { ChangeKey } from '../evidence/plan.ts'
import { whyNotJudged } from '../search/judge.ts'
import type { Broken, VaryReport } from '../search/search-alternatives.ts'
import { isSameSet } from '../suite/observe.ts'
import { type TestResult, withShortPath } from '../suite/test-result.ts'
import { acceptanceText, type ReportedAcceptance } from './accepted.ts'
import { exchangeText } from './exchange-text.ts'

type RenderOptions = {
  readonly reporter: 'text' | 'json' | 'junit'
  readonly screen: Screen
  /** Whether the text also lists alternatives that break nothing. Default: false. */
  readonly verbose?: boolean
  /** The comparison with the file of `--accept`. Default: no comparison. */
  readonly acceptance?: ReportedAcceptance
  /** Reads a line of a source file. Default: no lines are known. */
  readonly sourceLine?: (file: string, line: number) => string | undefined
  /** The shell command that runs the suite under this alternative again. */
  readonly repeatOf: (key: ChangeKey) => string
  /** The last line of text: the command to run next. */
  readonly next: string
}

/** Renders the report for standard output. */
export const renderVaryReport = (report: VaryReport, options: RenderOptions): string => {
  if (options.reporter === 'json') return asJson(report, options)
  return options.reporter === 'junit' ? asJunit(report, options) : asText(report, options)
}

const citation = (key: ChangeKey, { rowOf }: VaryReport): string => `contract ${rowOf(key).section}`

const reliance = (key: ChangeKey, report: VaryReport): string =>
  `The client seems to rely on ${guessOf(report.rowOf(key), report)}; the contract does not state that.`

const asText = (report: VaryReport, options: RenderOptions): string => {
  const groups = groupsOf(report)
  return renderReport(
    {
      verdict: varyVerdict(report),
      style: groups.length > 0 ? 'red' : 'green',
      facts: [`${plural(report.runs, 'run')}, ${plural(report.exchanges, 'exchange')}.`],
      sections: [
        { title: 'Relied on', findings: groups.map((group) => groupFinding(group, report, options)) },
        { title: 'Flaky: failed and passed under the same assumptions', sentences: flakyTexts(report) },
        { title: 'Not judged', sentences: notJudgedTexts(report) },
        ...(options.verbose ? unbrokenOf(report).map(({ title, keys }) => ({ title, sentences: [listed(keys)] })) : []),
      ],
      notes: [...acceptanceText(options.acceptance), ...notesOf(report, options.verbose ?? false)],
      next: [...readNext(report), options.next],
    },
    options.screen,
  )
}

const isAccepted = (key: ChangeKey, { acceptance }: RenderOptions): boolean =>
  acceptance?.accepted.includes(key) ?? false

/** Groups by assumption, because its alternatives probably break tests for the same reason. */
const groupsOf = ({ broken, rowOf }: VaryReport): readonly (readonly [Assumption, readonly Broken[]])[] => {
  const groups = new Map<Assumption, Broken[]>()
  for (const entry of broken) {
    const row = rowOf(entry.key)
    groups.set(row, [...(groups.get(row) ?? []), entry])
  }
  return [...groups]
}

const groupFinding = (
  [row, group]: readonly [Assumption, readonly Broken[]],
  report: VaryReport,
  options: RenderOptions,
): Finding => {
  const { sourceLine = () => undefined } = options
  const tests = group.flatMap((entry) => entry.tests)
  const isOfTest = tests.some(({ file, line }) => line !== undefined && comparesResponse(sourceLine(file, line)))
  return {
    name: row.id,
    style: 'bold',
    text: guessOf(row, report),
    section: row.section,
    details: [
      ...group.flatMap((entry, index) => brokenText(entry, group[index - 1], report, options)),
      ...(isOfTest ? ['Perhaps only the test relies on it: its assertion compares the response itself.'] : []),
      `Accept ${group.length === 1 ? 'this' : 'these'} in the client, or ${pinText(row, report)}`,
    ],
  }
}

/** How to pin the base value in a test. */
const pinText = ({ id }: Assumption, { base, isObserved }: VaryReport): string =>
  isObserved
    ? `pin the guess in the test: await mock.assume({ '${id}': ${JSON.stringify(base[id])} })`
    : `pin the guess: --assume ${id}=${base[id]}, or in one test PATCH /__plant-mock/assumptions with ${JSON.stringify({ [id]: base[id] })}`

/** The assumption of an alternative: `list.order` of `list.order=newest`. */
const idIn = (key: ChangeKey): string => key.slice(0, key.indexOf('='))

/** The guess in words: `relies` describes the default value, `meaning` any other base value. */
const guessOf = ({ id, default: usual, relies, meaning }: Assumption, { base }: VaryReport): string =>
  base[id] === usual ? relies : `${id}=${base[id]} (${meaning(base[id])})`

/** Whether an assertion reads the response itself, so it would fail with any client. */
const comparesResponse = (line = ''): boolean =>
  /\b(?:expect|assert)/.test(line) && /\b(?:status|statusCode|statusText|headers|response|res)\b/.test(line)

const brokenText = (
  entry: Broken,
  previous: Broken | undefined,
  report: VaryReport,
  options: RenderOptions,
): readonly string[] => {
  const { paint } = options.screen
  const { key, tests } = entry
  const failed = report.failedRunOf([key], tests)
  const exchange = report.exchangeOf(
    key,
    tests.map(({ id }) => id),
  )
  const { id, meaning } = report.rowOf(key)
  const meant = meaning(report.assumeOf(key)[id] ?? report.base[id])
  const known = isAccepted(key, options) ? ' (accepted)' : ''
  const name = `With ${paint('red', key)} (${printable(meant)})${known}`
  const areSame =
    previous !== undefined &&
    tests.length > 0 &&
    isSameSet(
      tests.map(({ id }) => id),
      previous.tests.map(({ id }) => id),
    )
  const breaks =
    tests.length === 0
      ? [`${name}, the command ends with ${failed?.outcome ?? 'a failure'}`]
      : areSame
        ? [`${name}, the same ${tests.length === 1 ? 'test fails' : 'tests fail'}`]
        : [`${name}, ${countText(entry, report)}:`, ...testTexts(tests.map(withShortPath)).map(below)]
  return [
    ...breaks,
    ...(exchange === undefined ? [] : exchangeText(exchange, paint).map(below)),
    ...(failed === undefined ? [] : [`  Output  ${failed.output}`]),
    `  Repeat  ${options.repeatOf(key)}`,
  ]
}

const below = (line: string): string => `  ${line}`

/** `2 tests fail`, `1 hook fails`, or `1 hook and 2 tests fail` */
const countText = ({ tests }: Broken, { isHook }: VaryReport): string => {
  const hooks = tests.filter(isHook).length
  const others = tests.length - hooks
  const counts = [...(hooks > 0 ? [plural(hooks, 'hook')] : []), ...(others > 0 ? [plural(others, 'test')] : [])]
  return `${counts.join(' and ')} ${tests.length === 1 ? 'fails' : 'fail'}`
}

const flakyTexts = ({ flaky, isCommandFlaky }: VaryReport): readonly string[] => [
  ...flaky.map((test) => nameOf(withShortPath(test))),
  ...(isCommandFlaky ? ['the command; its tests are not known'] : []),
]

/** The report in one sentence; also says if the run was stopped. */
export const varyVerdict = (report: VaryReport): string =>
  `${verdictOf(report)}${report.isStopped ? ' Stopped before everything was tried.' : ''}`

const verdictOf = (report: VaryReport): string => {
  const { broken, passed, flaky, notJudged } = report
  const guesses = groupsOf(report).length
  const tried = broken.length + passed.length
  if (guesses > 0)
    return `Your tests pass, but rely on ${guesses === 1 ? '1 guess' : `${guesses} guesses`} about the service.`
  if (tried === 0)
    return notJudged.size === 0 ? 'No alternative would change a response to your tests.' : 'No alternative was judged.'
  const all = tried === 1 ? 'the one alternative' : `all ${tried} alternatives`
  const holds = notJudged.size === 0 ? all : `${tried} of ${tried + notJudged.size} alternatives`
  return `Your tests pass under ${holds} that the client can notice${flaky.length === 0 ? '' : ', apart from flaky tests'}.`
}

/** The alternatives that break nothing, grouped by reason. */
const unbrokenOf = ({ passed, notExercised, fixed }: VaryReport) =>
  [
    { title: 'Break nothing alone', keys: passed },
    { title: 'Not exercised: no response would change', keys: notExercised },
    { title: 'Fixed: the tests set them', keys: fixed },
  ].filter(({ keys }) => keys.length > 0)

const notJudgedTexts = ({ notJudged }: VaryReport): readonly string[] =>
  [...new Set(notJudged.values())].map((reason) => {
    const keys = [...notJudged.keys()].filter((key) => notJudged.get(key) === reason)
    return `${listed(keys)}: ${whyNotJudged[reason]}`
  })

const notesOf = (report: VaryReport, verbose: boolean): readonly string[] => {
  const { broken, areTestsKnown, ignored } = report
  const counts = unbrokenOf(report).map(({ title, keys }) => `${title.replace(/:.*/, '')}: ${keys.length}.`)
  return [
    ...(verbose || counts.length === 0 ? [] : [`${counts.join(' ')} --verbose names them.`]),
    ...(areTestsKnown || broken.length === 0
      ? []
      : [`The tests are not known, because ${unrecognised(report)}. Use --results FILE, or keep NODE_OPTIONS.`]),
    ...(ignored === undefined
      ? []
      : [`${plural(ignored.count, 'line')} of evidence ignored; the first is ${ignored.first}`]),
  ]
}

const readNext = (report: VaryReport): readonly string[] => {
  const sections = [...new Set(report.broken.flatMap(({ key }) => sectionsIn(report.rowOf(key).section)))]
  return sections.length === 0 ? [] : [`Read: ${contractCommand(sections.join(','))}`]
}

const unrecognised = ({ programs }: VaryReport): string =>
  programs.length === 0
    ? 'no test runner was recognised'
    : `no test runner was recognised in ${printable(shorten(programs.join(', '), 200))}`

/** `list.order=newest|name, create.status=200` */
const listed = (keys: readonly ChangeKey[]): string => {
  const values = new Map<string, string[]>()
  for (const key of keys) values.set(idIn(key), [...(values.get(idIn(key)) ?? []), key.slice(idIn(key).length + 1)])
  return [...values].map(([id, all]) => `${id}=${all.join('|')}`).join(', ')
}

const asJson = (report: VaryReport, { acceptance, repeatOf }: RenderOptions): string => {
  const {
    command,
    exchanges,
    runs,
    milliseconds,
    broken,
    flaky,
    isCommandFlaky,
    passed,
    notExercised,
    fixed,
    notJudged,
  } = report
  const shown = {
    verdict: varyVerdict(report),
    command,
    exchanges,
    runs,
    milliseconds: Math.round(milliseconds),
    ...(report.isStopped && { stopped: true }),
    broken: broken.map(({ key, tests }) => ({
      assume: report.assumeOf(key),
      section: report.rowOf(key).section,
      relies: reliance(key, report),
      tests: tests.map((test) => ({ ...testJson(test), ...(report.isHook(test) && { hook: true }) })),
      ...outcomeOf(report.failedRunOf([key], tests)),
      repeat: repeatOf(key),
    })),
    flaky: [...flaky.map(testJson), ...(isCommandFlaky ? [{ name: command.join(' ') }] : [])],
    passed,
    notExercised,
    fixed,
    notJudged: [...notJudged.keys()],
    ...(acceptance && { accepted: acceptance.accepted, gone: acceptance.gone, notAccepted: acceptance.notAccepted }),
  }
  return `${printableJson(shown, 2)}\n`
}

const outcomeOf = (run: ReturnType<VaryReport['failedRunOf']>) => run && { outcome: run.outcome, output: run.output }

const testJson = ({ name, file, line, message }: TestResult) => ({
  name,
  file,
  ...(line !== undefined && { line }),
  ...(message !== undefined && { message }),
})

const asJunit = (report: VaryReport, options: RenderOptions): string => {
  const { broken, flaky, passed, notExercised, fixed, notJudged, milliseconds } = report
  const casesOf = (keys: readonly ChangeKey[], skipped?: string): readonly JunitCase[] =>
    keys.map((key) => ({ classname: citation(key, report), name: key, ...(skipped && { skipped }) }))
  const failed = broken.map(({ key, tests }): JunitCase => {
    const lines = [
      ...testTexts(tests.map(withShortPath)),
      `Output: ${report.failedRunOf([key], tests)?.output}`,
      `Repeat: ${options.repeatOf(key)}`,
    ]
    const failure = { message: reliance(key, report), text: lines.join('\n') }
    const result = isAccepted(key, options) ? { skipped: `accepted: ${failure.message}` } : { failure }
    return { classname: citation(key, report), name: key, ...result }
  })
  const cases = [
    ...failed,
    ...casesOf(passed),
    ...casesOf(notExercised, 'not exercised: no response would change'),
    ...casesOf(fixed, 'fixed: the tests set it'),
    ...[...notJudged].flatMap(([key, reason]) => casesOf([key], `not judged: ${whyNotJudged[reason]}`)),
    ...flaky.map(({ file: classname, name }) => ({
      classname,
      name,
      skipped: 'flaky: failed and passed under the same assumptions',
    })),
  ]
  return renderJunit([{ name: 'plant-mock vary', time: milliseconds / 1000, cases }])
}
