import type { AssumptionId } from '../core/assumptions/registry.ts'
import { PlantMockError } from '../util/errors.ts'
import type { ReportedTest } from '../util/terminal.ts'
import { type AlternativeKey, keyOf } from '../vary/search/observe.ts'
import type { TestRun } from '../vary/suite/test-run.ts'
import type { Change, Consequence, JudgedChange } from '../verify/read/change.ts'
import { type Drift, isAlarming } from '../verify/report/changes-report.ts'
import { assumptionsOf } from './assumption-settings.ts'
import type { CommandLine, Terminal } from './command.ts'
import { withShortPath } from './repeat-command.ts'
import { searchSuite } from './search-suite.ts'
import type { VaryReport } from './vary-session.ts'

type JudgeOptions = {
  /** The assumptions file from before the changes. */
  readonly earlier: string
  readonly changes: readonly Change[]
  /** Further observations that are new: a change may break a test only together with one. */
  readonly alsoKnown: readonly Change[]
  readonly signal: AbortSignal
}

/**
 * Runs the test suite of a command line with the assumptions of a file, then with each change, and with all of them.
 * @throws PlantMockError when the suite fails without a change, or sends no request to a mock.
 */
export const judgeChanges = async (
  line: CommandLine,
  terminal: Terminal,
  { earlier, changes: changed, alsoKnown, signal }: JudgeOptions,
): Promise<Pick<Drift, 'changes' | 'together'>> => {
  const suite = suiteLine(line, earlier)
  const { assumptions: base } = await assumptionsOf(suite, terminal)
  const changes = [...changed, ...alsoKnown]
  const possible = changes.flatMap(({ id, value, brokenRule }) =>
    value === undefined || brokenRule !== undefined ? [] : [{ id, value }],
  )
  const shown = (all: readonly JudgedChange[]): readonly JudgedChange[] =>
    all.filter((change, index) => index < changed.length || isAlarming({ changes: [change], together: [] }))
  if (possible.length === 0) return { changes: shown(changes.map(withoutRun)), together: [] }
  // The first run has the value that an assumption had without one: it shows a change from what is no value.
  const planned = new Map(possible.filter(({ id, value }) => value !== base[id]).map((one) => [keyOf(one), one]))
  const report = await searchSuite(suite, terminal, { base, planned, signal, combined: [...planned.keys()] })
  return {
    changes: shown(
      changes.map((change): JudgedChange => {
        const { id, value, brokenRule } = change
        if (value === undefined || brokenRule !== undefined) return withoutRun(change)
        const key = keyOf({ id, value })
        return { ...change, ...(planned.has(key) ? consequenceOf(key, id, report) : { breaks: [], notMet: false }) }
      }),
    ),
    together: report.broken
      .filter(({ set }) => set.length > 1)
      .map(({ set, tests }) => ({
        ids: set.flatMap((key) => planned.get(key)?.id ?? []),
        breaks: tests.map(reported),
      })),
  }
}

/** The options of `verify` that only a suite has. */
const optionsOfSuites: readonly string[] = ['fixtures', 'jobs', 'results', 'output', 'no-server']

/** The options of a suite; those of the check, such as a token of the service, mean something else there. */
const suiteLine = (line: CommandLine, earlier: string): CommandLine => {
  const ofSuite = ([name]: readonly [string, unknown]) => optionsOfSuites.includes(name)
  const flags = [...line.flags].filter((flag) => flag[0] === 'assume' || ofSuite(flag))
  return {
    ...line,
    command: 'vary',
    values: { ...Object.fromEntries(Object.entries(line.values).filter(ofSuite)), assumptions: earlier },
    flags: new Map([['assumptions', [earlier]], ...flags]),
  }
}

/** A change that cannot be imitated, or that is not compared. */
const withoutRun = (change: Change): JudgedChange =>
  change.brokenRule === undefined ? { ...change, ...unknown('no value of the mock behaves so') } : change

const unknown = (notJudged: string): Consequence => ({ breaks: [], notMet: false, notJudged })

const consequenceOf = (key: AlternativeKey, id: AssumptionId, report: VaryReport): Consequence => {
  const { broken, fixed, ineffective, notJudged, notMet, isStopped } = report
  const metBy = report.metBy.get(key)?.length ?? 0
  const alone = broken.find(({ set }) => set.length === 1 && set[0] === key)
  if (alone !== undefined) {
    const outcome = report.failedRunOf([key])?.outcome ?? 'failed'
    return {
      breaks: alone.tests.map(reported),
      ...(alone.tests.length === 0 && { breaksCommand: outcome }),
      metBy,
      notMet: false,
      repeat: report.repeatOf([key]),
    }
  }
  if (fixed.includes(key)) return unknown(`the tests set ${id} themselves`)
  if (ineffective.includes(key)) return unknown('no response showed it: a cache replied, or the suite sets it itself')
  if (notJudged.includes(key)) return unknown(isStopped ? 'the search was stopped' : 'only flaky tests met it')
  return { breaks: [], metBy, notMet: notMet.includes(key) }
}

const reported = ({ file, name, line, message }: TestRun): ReportedTest =>
  withShortPath({ file, name, ...(line !== undefined && { line }), ...(message !== undefined && { message }) })

/** @throws PlantMockError for a suite that nothing is compared with, and for its options without a suite. */
export const checkSuite = ({ values, rest, flags }: CommandLine): void => {
  if (rest.length > 0 && values.expect === undefined)
    throw new PlantMockError(
      'A test command shows what changes break, so it needs the observations from before: --expect FILE.',
    )
  const unused = optionsOfSuites.find((name) => flags.has(name))
  if (rest.length === 0 && unused !== undefined)
    throw new PlantMockError(`--${unused} is for a test command, which is missing. Put it after --: -- npm test`)
}
