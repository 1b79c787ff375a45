import type { Assumption } from '../core/assumptions/registry.ts'
import { contractCommand, sectionsIn } from '../core/contract/citation.ts'
import { type JunitCase, renderJunit } from '../util/junit.ts'
import { type Paint, painter, printable, printableJson } from '../util/terminal.ts'
import { nameOf, testTexts } from '../util/test-text.ts'
import { plural, shorten } from '../util/words.ts'
import { type AlternativeKey, idIn } from '../vary/search/observation.ts'
import type { Broken } from '../vary/search/summary.ts'
import type { TestRun } from '../vary/suite/test-run.ts'
import type { UsualFormat } from './reporter.ts'
import { withShortPath } from './short-path.ts'
import type { VaryReport } from './vary-session.ts'

/** Renders the report for standard output. */
export const renderReport = (report: VaryReport, reporter: UsualFormat, colour: boolean): string => {
  const render = { text: asText, json: asJson, junit: asJunit }[reporter]
  return render(report, painter(colour))
}

const rowsOf = (set: readonly AlternativeKey[], { rowOf }: VaryReport): readonly Assumption[] =>
  set.flatMap((key) => rowOf(key) ?? [])

const sectionsOf = (set: readonly AlternativeKey[], report: VaryReport): readonly string[] => [
  ...new Set(rowsOf(set, report).flatMap(({ section }) => sectionsIn(section))),
]

const citation = (set: readonly AlternativeKey[], report: VaryReport): string =>
  `contract ${sectionsOf(set, report).join(', ')}`

/** The text of the registry is about the default; another base is described by its value. */
const reliance = (set: readonly AlternativeKey[], report: VaryReport): string => {
  const relied = rowsOf(set, report).map(({ id, default: usual, relies, meaning }) =>
    report.base[id] === usual ? relies : `${id}=${report.base[id]} (${meaning(report.base[id])})`,
  )
  return `The client seems to rely on ${[...new Set(relied)].join(', or on ')}; the contract does not state that.`
}

const asText = (report: VaryReport, paint: Paint): string =>
  [
    ...groupsOf(report).flatMap((group) => [...groupText(group, report, paint), '']),
    ...flakyText(report, paint),
    ...summaryText(report),
    '',
  ].join('\n')

/** Alternatives of one assumption have the same probable cause. */
const groupsOf = ({ broken }: VaryReport): readonly (readonly Broken[])[] => {
  const groups = new Map<string, Broken[]>()
  for (const entry of broken) {
    const ids = entry.set.map(idIn).join(' ')
    groups.set(ids, [...(groups.get(ids) ?? []), entry])
  }
  return [...groups.values()]
}

const groupText = (group: readonly Broken[], report: VaryReport, paint: Paint): readonly string[] => {
  const set = group[0]?.set ?? []
  return [
    `${paint('bold', set.map(idIn).join(' with '))}  (${citation(set, report)})`,
    `  ${reliance(set, report)}`,
    ...group.flatMap((entry, index) => brokenText(entry, group[index - 1], report, paint)),
  ]
}

const brokenText = (
  { set, tests }: Broken,
  previous: Broken | undefined,
  report: VaryReport,
  paint: Paint,
): readonly string[] => {
  const failed = report.failedRunOf(set)
  const name = paint('red', set.join(' with '))
  const areSame = previous !== undefined && tests.length > 0 && namesOf(tests) === namesOf(previous.tests)
  const breaks =
    tests.length === 0
      ? [`  ${name}: ${failed?.outcome ?? 'fails'}`]
      : areSame
        ? [`  ${name} breaks the same ${tests.length === 1 ? 'test' : 'tests'}`]
        : [`  ${name} breaks ${plural(tests.length, 'test')}`, ...testTexts(tests.map(withShortPath))]
  return [
    ...breaks,
    ...(failed === undefined ? [] : [`    Output  ${failed.output}`]),
    `    Repeat  ${report.repeatOf(set)}`,
  ]
}

const namesOf = (tests: readonly TestRun[]): string => tests.map(({ id }) => id).join('\n')

const flakyText = ({ flaky, isCommandFlaky }: VaryReport, paint: Paint): readonly string[] => {
  if (flaky.length === 0 && !isCommandFlaky) return []
  const names = flaky.map((test) => `  ${printable(nameOf(withShortPath(test)))}`)
  const command = isCommandFlaky ? ['  the command; its tests are not known'] : []
  return [paint('bold', 'Flaky: failed and passed under the same assumptions'), ...names, ...command, '']
}

const summaryText = (report: VaryReport): readonly string[] => {
  const { broken, passed, notMet, fixed, notJudged, ineffective, areTestsKnown, runs, exchanges, isStopped, ignored } =
    report
  const { flaky, isCommandFlaky } = report
  const single = broken.filter(({ set }) => set.length === 1)
  const ids = [...new Set(single.map(({ set }) => set.map(idIn).join()))]
  const tried = single.length + passed.length
  const breaking =
    single.length === 0
      ? []
      : [
          `${plural(single.length, 'alternative')} of ${tried} tried ${single.length === 1 ? 'breaks' : 'break'} the client: ${ids.join(', ')}.`,
        ]
  const together = broken.filter(({ set }) => set.length > 1).map(({ set }) => togetherText(set.map(idIn), ids))
  const nothing =
    tried === 0
      ? 'No alternative was tried.'
      : isCommandFlaky
        ? `The command is flaky, which leaves no result for ${plural(tried, 'alternative')} that the client can notice.`
        : `${tried === 1 ? 'The one alternative that the client can notice does not break it' : `None of the ${tried} alternatives that the client can notice breaks it`}${flaky.length === 0 ? '' : ', apart from flaky tests'}.`
  const verdict = broken.length > 0 ? [...breaking, ...new Set(together)].join(' ') : nothing
  const rest = [
    ...(notMet.length === 0 ? [] : [`${notMet.length} not exercised (no response would change): ${listed(notMet)}.`]),
    ...(fixed.length === 0 ? [] : [`${fixed.length} fixed (the tests set them): ${listed(fixed)}.`]),
    ...(notJudged.length === 0 ? [] : [`${notJudged.length} not judged: ${listed(notJudged)}.`]),
    ...(ineffective.length === 0
      ? []
      : [
          `Set, but never visible in a response: ${listed(ineffective)}. A cache replied, or the suite sets PLANT_MOCK_ASSUME or the assumption itself.`,
        ]),
    ...(areTestsKnown || broken.length === 0
      ? []
      : [`The tests are not known, because ${unrecognised(report)}. Use --results FILE, or keep NODE_OPTIONS.`]),
    ...(ignored === undefined
      ? []
      : [`${plural(ignored.count, 'line')} of evidence ignored; the first is ${printable(ignored.first)}`]),
  ]
  const sections = [...new Set(broken.flatMap(({ set }) => sectionsOf(set, report)))]
  return [
    ...(isStopped ? ['Stopped before everything was tried.'] : []),
    `${plural(runs, 'run')}, ${plural(exchanges, 'exchange')}. ${verdict}`,
    ...rest,
    ...(sections.length === 0 ? [] : [`Read a section of the contract: ${contractCommand(sections.join(','))}`]),
  ]
}

/** @param alone The assumptions of which an alternative breaks the client alone. */
const togetherText = ([first = '', ...others]: readonly string[], alone: readonly string[]): string => {
  const breaks = `${first} breaks the client together with ${others.join(' and ')}`
  if ([first, ...others].some((id) => alone.includes(id))) return `${breaks}.`
  return `${breaks}; alone ${others.length === 1 ? 'neither' : 'none of them'} does.`
}

const unrecognised = ({ programs }: VaryReport): string =>
  programs.length === 0
    ? 'no test runner was recognised'
    : `no test runner was recognised in ${printable(shorten(programs.join(', '), 200))}`

/** `list.order=newest|name, create.status=200` */
const listed = (keys: readonly AlternativeKey[]): string => {
  const values = new Map<string, string[]>()
  for (const key of keys) values.set(idIn(key), [...(values.get(idIn(key)) ?? []), key.slice(idIn(key).length + 1)])
  return [...values].map(([id, all]) => `${id}=${all.join('|')}`).join(', ')
}

const asJson = (report: VaryReport): string => {
  const { command, exchanges, runs, milliseconds, broken, flaky, isCommandFlaky, passed, notMet, fixed, notJudged } =
    report
  const shown = {
    command,
    exchanges,
    runs,
    milliseconds: Math.round(milliseconds),
    ...(report.isStopped && { stopped: true }),
    broken: broken.map(({ set, tests }) => ({
      assume: report.assumeOf(set),
      section: sectionsOf(set, report).join(', '),
      relies: reliance(set, report),
      tests: tests.map(testJson),
      ...outcomeOf(report.failedRunOf(set)),
      repeat: report.repeatOf(set),
    })),
    flaky: [...flaky.map(testJson), ...(isCommandFlaky ? [{ name: command.join(' ') }] : [])],
    passed,
    notMet,
    fixed,
    notJudged,
  }
  return `${printableJson(shown, 2)}\n`
}

const outcomeOf = (run: ReturnType<VaryReport['failedRunOf']>) => run && { outcome: run.outcome, output: run.output }

const testJson = ({ name, file, line, message }: TestRun) => ({
  name,
  file,
  ...(line !== undefined && { line }),
  ...(message !== undefined && { message }),
})

const asJunit = (report: VaryReport): string => {
  const { broken, flaky, passed, notMet, fixed, notJudged, milliseconds } = report
  const caseOf = (key: AlternativeKey, rest: Partial<JunitCase> = {}): JunitCase => ({
    classname: citation([key], report),
    name: key,
    ...rest,
  })
  const failed = broken.map(({ set, tests }): JunitCase => {
    const lines = [
      ...testTexts(tests.map(withShortPath)),
      `Output: ${report.failedRunOf(set)?.output}`,
      `Repeat: ${report.repeatOf(set)}`,
    ]
    const failure = { message: reliance(set, report), text: lines.join('\n') }
    return { classname: citation(set, report), name: set.join(' with '), failure }
  })
  const cases = [
    ...failed,
    ...passed.map((key) => caseOf(key)),
    ...notMet.map((key) => caseOf(key, { skipped: 'not exercised: no response would change' })),
    ...fixed.map((key) => caseOf(key, { skipped: 'fixed: the tests set it' })),
    ...notJudged.map((key) => caseOf(key, { skipped: 'not judged' })),
    ...flaky.map(
      ({ file, name }): JunitCase => ({
        classname: file,
        name,
        skipped: 'flaky: failed and passed under the same assumptions',
      }),
    ),
  ]
  return renderJunit([{ name: 'plant-mock vary', time: milliseconds / 1000, cases }])
}
