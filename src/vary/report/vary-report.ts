import { inspect } from 'node:util'
import type { Assumption } from '../../core/assumptions/registry.ts'
import { contractCommand, sectionsIn } from '../../core/contract/violation.ts'
import { type Finding, failuresIn, type Outcome, type Report, type Section } from '../../util/report.ts'
import { nameOf } from '../../util/terminal.ts'
import { plural } from '../../util/words.ts'
import type { ChangeKey } from '../evidence/plan.ts'
import { whyNotJudged } from '../search/judge.ts'
import type { Broken, VaryReport } from '../search/search-alternatives.ts'
import { type TestResult, withShortPath } from '../suite/test-result.ts'
import { acceptanceNotes, type ReportedAcceptance } from './accepted.ts'

type ReportOptions = {
  readonly verbose?: boolean
  readonly acceptance?: ReportedAcceptance | undefined
  readonly repeatOf: (key: ChangeKey) => string
  readonly next: string
}

export const varyReport = (found: VaryReport, options: ReportOptions): Report => {
  const { runs, exchanges, milliseconds, rowOf, passed, notExercised, fixed, notJudged } = found
  const { acceptance, repeatOf, verbose = false } = options
  const guesses = [...new Set(found.broken.map(({ key }) => rowOf(key)))]
  const accepted = found.broken.filter(({ key }) => acceptance?.accepted.has(key))
  const open = found.broken.filter((broken) => !accepted.includes(broken))
  const unbroken = [
    { title: 'Harmless: break nothing alone', findings: listed(passed, 'passed', found) },
    { title: 'Not exercised: no response would change', findings: listed(notExercised, 'skipped', found) },
    { title: 'Fixed: the tests set them', findings: listed(fixed, 'skipped', found) },
  ].filter(({ findings }) => findings.length > 0)
  const sections: readonly Section[] = [
    ...guesses.map((row) => ({
      title: `Relied on: ${guessOf(row, found)}`,
      findings: open.filter(({ key }) => rowOf(key) === row).map((broken) => brokenFinding(broken, found, options)),
    })),
    { title: 'Accepted', findings: accepted.map(({ key }) => acceptedFinding(key, found, acceptance)) },
    { title: 'Flaky: failed and passed under the same assumptions', layout: 'names', findings: flakyFindings(found) },
    {
      title: 'Not judged',
      layout: 'names',
      findings: [...notJudged].map(([key, reason]) => ({
        ...findingOf(key, 'skipped', found),
        reason: whyNotJudged[reason],
      })),
    },
    ...unbroken.map((section) => ({ ...section, layout: verbose ? ('names' as const) : ('hidden' as const) })),
  ]
  const verdict = `${verdictOf(found, guesses.length, accepted)}${found.isStopped ? ' Stopped before everything was tried.' : ''}`
  const [first] = failuresIn({ sections })
  const ifPassed = notJudged.size > 0 || found.isStopped ? [] : [options.next]
  const next =
    first === undefined
      ? ifPassed
      : [`Next: change the client or the test, then run ${repeatOf(first.name as ChangeKey)}`]
  const counts = unbroken.map(({ title, findings }) => `${findings.length} ${title.replace(/:.*/, '').toLowerCase()}`)
  return {
    command: 'vary',
    verdict,
    style: open.length > 0 ? 'red' : 'green',
    facts: [`${plural(runs, 'run')}, ${plural(exchanges, 'exchange')}.`],
    sections,
    notes: [
      ...acceptanceNotes(acceptance),
      ...(verbose || counts.length === 0 ? [] : [`Other alternatives: ${counts.join(', ')}. --verbose names them.`]),
      ...(found.areTestsKnown || found.broken.length === 0 ? [] : [unknownTests]),
    ],
    next: [...hints(open, found), ...next],
    milliseconds,
    data: { verdict, ...dataOf(found, options) },
  }
}

const findingOf = (key: ChangeKey, outcome: Outcome, { rowOf }: VaryReport): Finding => ({
  name: key,
  outcome,
  section: rowOf(key).section,
})

const listed = (keys: readonly ChangeKey[], outcome: Outcome, found: VaryReport): readonly Finding[] =>
  keys.map((key) => findingOf(key, outcome, found))

const acceptedFinding = (key: ChangeKey, found: VaryReport, acceptance: ReportOptions['acceptance']): Finding => {
  const reason = acceptance?.accepted.get(key) ?? ''
  return { ...findingOf(key, 'skipped', found), ...(reason !== '' && { text: reason }) }
}

const brokenFinding = (broken: Broken, found: VaryReport, options: ReportOptions): Finding => {
  const { key, tests } = broken
  const { acceptance, repeatOf } = options
  const { id, meaning } = found.rowOf(key)
  const failed = found.failedRunOf([key], tests)
  return {
    ...findingOf(key, acceptance?.isUpdated ? 'noted' : 'failed', found),
    text: meaning(found.assumeOf(key)[id] ?? found.base[id]),
    effect: tests.length === 0 ? `the command ends with ${failed?.outcome ?? 'a failure'}` : countText(broken, found),
    tests: tests.map(withShortPath),
    exchange: found.exchangeOf(
      key,
      tests.map((test) => test.id),
    ),
    commands: [...(failed === undefined ? [] : [['Output', failed.output] as const]), ['Repeat', repeatOf(key)]],
  }
}

/** The sentence `relies` describes only the default value of an assumption. */
const guessOf = ({ id, default: usual, relies, meaning }: Assumption, { base }: VaryReport): string =>
  base[id] === usual ? relies : `${id}=${base[id]} (${meaning(base[id])})`

const countText = ({ tests }: Broken, { isHook }: VaryReport): string => {
  const [one, many] = tests.some(isHook) ? ['test, hook or file', 'tests, hooks or files'] : ['test', 'tests']
  return tests.length === 1 ? `1 ${one} fails` : `${tests.length} ${many} fail`
}

const flakyFindings = ({ flaky, isCommandFlaky }: VaryReport): readonly Finding[] => [
  ...flaky.map((test) => ({ name: nameOf(withShortPath(test)), outcome: 'skipped' as const })),
  ...(isCommandFlaky ? [{ name: 'the command; its tests are not known', outcome: 'skipped' as const }] : []),
]

const verdictOf = (found: VaryReport, guesses: number, accepted: readonly Broken[]): string => {
  const { broken, passed, flaky, notJudged } = found
  const tried = broken.length + passed.length
  if (guesses > 0) {
    const known =
      accepted.length === 0 ? '' : ` Accepted: ${accepted.length} of ${plural(broken.length, 'alternative')}.`
    return `Your tests pass, but rely on ${guesses === 1 ? '1 guess' : `${guesses} guesses`} about the service.${known}`
  }
  if (tried === 0)
    return notJudged.size === 0 ? 'No alternative would change a response to your tests.' : 'No alternative was judged.'
  const all = tried === 1 ? 'the only alternative' : `all ${tried} alternatives`
  const holds = notJudged.size === 0 ? all : `${tried} of ${tried + notJudged.size} alternatives`
  return `Your tests pass under ${holds} that the client can notice${flaky.length === 0 ? '' : ', apart from flaky tests'}.`
}

const unknownTests =
  'The tests are not known, because no test runner was recognised. Use --results FILE, or let the command keep NODE_OPTIONS.'

const hints = (open: readonly Broken[], { rowOf, base, mocks }: VaryReport): readonly string[] => {
  if (open.length === 0) return []
  const rows = [...new Set(open.map(({ key }) => rowOf(key)))]
  const sections = [...new Set(rows.flatMap(({ section }) => sectionsIn(section)))]
  const assume = inspect(Object.fromEntries(rows.map(({ id }) => [id, base[id]])), {
    breakLength: Number.POSITIVE_INFINITY,
  })
  return [
    `Read: ${contractCommand(sections.join(','))}`,
    ...(mocks.inTests ? [`Pin in the test: await plants.assume(${assume})`] : []),
    ...(mocks.served
      ? [
          `Pin: ${rows.map(({ id }) => `--assume ${id}=${base[id]}`).join(' ')}, or in a test PATCH /__plant-mock/assumptions`,
        ]
      : []),
  ]
}

const dataOf = (found: VaryReport, { acceptance, repeatOf }: ReportOptions) => {
  const { command, exchanges, runs, milliseconds, broken, flaky, isCommandFlaky, passed, notExercised, fixed } = found
  return {
    command,
    exchanges,
    runs,
    milliseconds: Math.round(milliseconds),
    ...(found.isStopped && { stopped: true }),
    broken: broken.map(({ key, tests }) => {
      const failed = found.failedRunOf([key], tests)
      return {
        assume: found.assumeOf(key),
        section: found.rowOf(key).section,
        relies: `The client seems to rely on ${guessOf(found.rowOf(key), found)}; the contract does not state that.`,
        tests: tests.map((test) => ({ ...testData(test), ...(found.isHook(test) && { hook: true }) })),
        ...(failed && { outcome: failed.outcome, output: failed.output }),
        repeat: repeatOf(key),
      }
    }),
    flaky: [...flaky.map(testData), ...(isCommandFlaky ? [{ name: command.join(' ') }] : [])],
    passed,
    notExercised,
    fixed,
    notJudged: [...found.notJudged.keys()],
    ...(acceptance && {
      accepted: [...acceptance.accepted.keys()],
      gone: acceptance.gone,
      notAccepted: acceptance.notAccepted,
    }),
  }
}

const testData = ({ name, file, line, message }: TestResult) => ({
  name,
  file,
  ...(line !== undefined && { line }),
  ...(message !== undefined && { message }),
})
