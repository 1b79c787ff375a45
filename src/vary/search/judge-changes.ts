import type { AssumptionId } from '../../core/assumptions/registry.ts'
import type { ReportedTest } from '../../util/terminal.ts'
import type { Change, Consequence, JudgedChange } from '../../verify/read/change.ts'
import { type Drift, isAlarming } from '../../verify/report/changes-report.ts'
import { type ChangeKey, keyOf } from '../evidence/plan.ts'
import type { SuiteRequest } from '../suite/suite-request.ts'
import { type TestResult, withShortPath } from '../suite/test-result.ts'
import { alternativeTo, searchAlternatives, type VaryReport } from './search-alternatives.ts'
import { whyNotJudged } from './trials.ts'

type JudgeOptions = {
  readonly changes: readonly Change[]
  /** Newly known values, tried too: a change may break a test only together with such a value. */
  readonly alsoKnown: readonly Change[]
  /** The shell command that runs the suite under these alternatives again. */
  readonly repeatOf: (set: readonly ChangeKey[]) => string
}

/**
 * Runs a test suite without changes, then with each change alone, then with all changes.
 * @throws PlantMockError if the suite fails without a change, or sends no request to a mock.
 */
export const judgeChanges = async (
  request: SuiteRequest,
  { changes: changed, alsoKnown, repeatOf }: JudgeOptions,
): Promise<Pick<Drift, 'changes' | 'together'>> => {
  const { base } = request
  const changes = [...changed, ...alsoKnown]
  const possible = changes.flatMap(({ id, value, brokenRule }) =>
    value === undefined || brokenRule !== undefined ? [] : [{ id, value }],
  )
  const shown = (all: readonly JudgedChange[]): readonly JudgedChange[] =>
    all.filter((change, index) => index < changed.length || isAlarming({ changes: [change], together: [] }))
  if (possible.length === 0) return { changes: shown(changes.map(withoutRun)), together: [] }
  // Without an earlier value, the first run uses the base value of the assumption.
  const planned = new Map(
    possible
      .filter(({ id, value }) => value !== base[id])
      .map(({ id, value }) => [keyOf({ id, value }), alternativeTo(base, id, value)]),
  )
  const report = await searchAlternatives(request, planned, true)
  const consequenceOf = (key: ChangeKey, id: AssumptionId) => consequence(report, key, id, repeatOf)
  return {
    changes: shown(
      changes.map((change): JudgedChange => {
        const { id, value, brokenRule } = change
        if (value === undefined || brokenRule !== undefined) return withoutRun(change)
        const key = keyOf({ id, value })
        return { ...change, ...(planned.has(key) ? consequenceOf(key, id) : { breaks: [], notExercised: false }) }
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

/** A change that the mock cannot imitate, or a broken rule. */
const withoutRun = (change: Change): JudgedChange =>
  change.brokenRule === undefined ? { ...change, ...unknown('the mock has no such value') } : change

const unknown = (notJudged: string): Consequence => ({ breaks: [], notExercised: false, notJudged })

const consequence = (
  report: VaryReport,
  key: ChangeKey,
  id: AssumptionId,
  repeatOf: JudgeOptions['repeatOf'],
): Consequence => {
  const { broken, fixed, notJudged, notExercised } = report
  const exercisedBy = report.countExercising(key)
  const alone = broken.find(({ set }) => set.length === 1 && set[0] === key)
  if (alone !== undefined) {
    const outcome = report.failedRunOf([key], [])?.outcome ?? 'failed'
    return {
      breaks: alone.tests.map(reported),
      ...(alone.tests.length === 0 && { breaksCommand: outcome }),
      exercisedBy,
      notExercised: false,
      repeat: repeatOf([key]),
    }
  }
  if (fixed.includes(key)) return unknown(`the tests set ${id} themselves`)
  const reason = notJudged.get(key)
  if (reason !== undefined) return unknown(whyNotJudged[reason])
  return { breaks: [], exercisedBy, notExercised: notExercised.includes(key) }
}

const reported = ({ file, name, line, message }: TestResult): ReportedTest =>
  withShortPath({ file, name, ...(line !== undefined && { line }), ...(message !== undefined && { message }) })
