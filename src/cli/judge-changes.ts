import type { AssumptionId } from '../core/assumptions/registry.ts'
import type { ReportedTest } from '../util/terminal.ts'
import { type ChangeKey, keyOf } from '../vary/evidence/plan.ts'
import { whyNotJudged } from '../vary/search/judge.ts'
import { alternativeTo, searchAlternatives, type VaryReport } from '../vary/search/search-alternatives.ts'
import type { SuiteRequest } from '../vary/suite/suite-request.ts'
import { type TestResult, withShortPath } from '../vary/suite/test-result.ts'
import type { ServiceChange } from '../verify/read/learned.ts'
import {
  type Consequence,
  type Drift,
  type Effect,
  type JudgedChange,
  mayBreak,
} from '../verify/report/changes-report.ts'

type JudgeOptions = {
  readonly changes: readonly ServiceChange[]
  /** Tried too, because a change may break a test only beside a newly known value. */
  readonly alsoKnown: readonly ServiceChange[]
  readonly repeatOf: (key: ChangeKey) => string
}

/** @throws PlantMockError if the suite fails without a change, or sends no request to a mock. */
export const judgeChanges = async (
  request: SuiteRequest,
  { changes: changed, alsoKnown, repeatOf }: JudgeOptions,
): Promise<Pick<Drift, 'changes' | 'allAtOnce'>> => {
  const { base } = request
  const changes = [...changed, ...alsoKnown]
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
