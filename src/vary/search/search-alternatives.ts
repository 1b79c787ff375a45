import {
  type Assume,
  type Assumption,
  type AssumptionId,
  type Assumptions,
  findAssumption,
} from '../../core/assumptions/registry.ts'
import { type VariationOptions, variations } from '../../core/assumptions/variations.ts'
import { PlantMockError } from '../../util/errors.ts'
import { type Alternative, assumeOf, type ChangeKey, keyOf } from '../evidence/plan.ts'
import { type SuiteRun, type TestId, wholeCommand } from '../suite/observe.ts'
import type { SuiteRequest } from '../suite/suite-request.ts'
import type { SuiteSummary } from '../suite/suite-session.ts'
import type { TestResult } from '../suite/test-result.ts'
import type { NotJudged, Verdict } from './judge.ts'
import { type SearchReport, searchSuite, testsIn } from './search-suite.ts'

/** The alternatives to try, by key. */
export type Planned = ReadonlyMap<ChangeKey, Alternative>

/**
 * The alternatives to the assumptions of a suite.
 * @throws PlantMockError if no alternative is selected.
 */
export const planAlternatives = (options: VariationOptions & { readonly base: Assumptions }): Planned => {
  const planned = variations(options).flatMap(({ assume }) =>
    Object.entries(assume).map(([id, value]) => alternativeTo(options.base, id as AssumptionId, value)),
  )
  if (planned.length > 0) return new Map(planned.map((alternative) => [keyOf(alternative), alternative]))
  throw new PlantMockError('Nothing to vary: --only names no alternative to the current assumptions.')
}

export const alternativeTo = (base: Assumptions, id: AssumptionId, value: Alternative['value']): Alternative => ({
  id,
  value,
  base: base[id],
})

/** An alternative that breaks tests. */
export type Broken = {
  readonly key: ChangeKey
  /** The tests and hooks that fail; empty if only the command is known to fail. */
  readonly tests: readonly TestResult[]
}

export type VaryReport = SuiteSummary &
  Pick<SearchReport, 'command' | 'base' | 'isObserved' | 'isHook' | 'exchangeOf'> & {
    readonly broken: readonly Broken[]
    /** What all alternatives at once break, and none alone. `undefined`: nothing, or it was not tried. */
    readonly brokenAtOnce?: Pick<Broken, 'tests'> & { readonly outcome: string }
    readonly flaky: readonly TestResult[]
    /** Whether the command both failed and passed with the same alternatives, without a failing test. */
    readonly isCommandFlaky: boolean
    readonly passed: readonly ChangeKey[]
    /** No response would change. */
    readonly notExercised: readonly ChangeKey[]
    /** Alternatives to assumptions that tests set themselves. */
    readonly fixed: readonly ChangeKey[]
    /** Exercised alternatives without a verdict, with the reason. */
    readonly notJudged: ReadonlyMap<ChangeKey, NotJudged>
    readonly countExercising: (key: ChangeKey) => number
    readonly assumeOf: (key: ChangeKey) => Assume
    readonly rowOf: (key: ChangeKey) => Assumption
    /** A run in which these tests failed under this alternative. */
    readonly failedRunOf: (
      key: ChangeKey,
      tests: readonly TestResult[],
    ) => Pick<SuiteRun, 'outcome' | 'output'> | undefined
  }

/**
 * Runs a test suite until it is known which planned alternatives break which tests.
 * @param atOnce Whether all alternatives are also served at once.
 * @throws PlantMockError if the suite fails without alternatives, or sends no request to a mock.
 */
export const searchAlternatives = async (
  request: SuiteRequest,
  planned: Planned,
  atOnce = false,
): Promise<VaryReport> => {
  const search = await searchSuite(request, { changes: [...planned.values()], noun: 'alternative', atOnce })
  const { verdicts, suiteRuns, failureOf, failedRunOf, failingAtOnce } = search
  const fixedIds = new Set(suiteRuns.flatMap(({ evidence }) => [...evidence.fixed]))
  const alternativeOf = (key: ChangeKey): Alternative => planned.get(key) as Alternative
  const isFixed = (key: ChangeKey): boolean => fixedIds.has(alternativeOf(key).id)
  const withStatus = (wanted: Verdict['status']): readonly ChangeKey[] =>
    verdicts.flatMap(({ key, status }) => (status === wanted ? [key] : []))
  const failures = (keys: readonly ChangeKey[], failing: readonly TestId[]): readonly TestResult[] =>
    testsIn(failing).flatMap((id) => failureOf(id, keys) ?? [])
  const all = [...planned.keys()]
  return {
    ...search,
    broken: verdicts.flatMap(({ key, status, failing }) =>
      status === 'fails' ? [{ key, tests: failures([key], failing) }] : [],
    ),
    ...(failingAtOnce.length > 0 && {
      brokenAtOnce: { tests: failures(all, failingAtOnce), outcome: failedRunOf(all, [])?.outcome ?? 'failed' },
    }),
    flaky: flakyIn(search),
    isCommandFlaky: search.isFlaky(wholeCommand),
    passed: withStatus('passes'),
    notExercised: withStatus('notExercised').filter((key) => !isFixed(key)),
    fixed: withStatus('notExercised').filter(isFixed),
    notJudged: new Map(verdicts.flatMap(({ key, reason }) => (reason === undefined ? [] : [[key, reason] as const]))),
    countExercising: (key) => testsIn(verdicts.find((verdict) => verdict.key === key)?.exercisedBy ?? []).length,
    assumeOf: (key) => assumeOf([alternativeOf(key)]),
    rowOf: (key) => findAssumption(alternativeOf(key).id) as Assumption,
    failedRunOf: (key, tests) => failedRunOf([key], tests),
  }
}

/** The flaky tests, with their failures. */
export const flakyIn = ({ suiteRuns, isFlaky }: Pick<SearchReport, 'suiteRuns' | 'isFlaky'>): readonly TestResult[] => [
  ...new Map(
    suiteRuns.flatMap(({ tests = [] }) =>
      tests.flatMap((test) => (isFlaky(test.id) ? [[test.id, test] as const] : [])),
    ),
  ).values(),
]
