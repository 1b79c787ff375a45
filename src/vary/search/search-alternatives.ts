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
import { type SuiteRun, wholeCommand } from '../suite/observe.ts'
import type { SuiteRequest } from '../suite/suite-request.ts'
import type { SuiteSummary } from '../suite/suite-session.ts'
import type { TestResult } from '../suite/test-result.ts'
import { type SearchReport, searchSuite, testsIn } from './search-suite.ts'
import type { NotJudged, Verdict } from './trials.ts'

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

/** An alternative that breaks tests, or a set that breaks tests only together. */
export type Broken = {
  readonly set: readonly ChangeKey[]
  /** The tests and hooks that fail; empty if only the command is known to fail. */
  readonly tests: readonly TestResult[]
}

export type VaryReport = SuiteSummary &
  Pick<SearchReport, 'command' | 'base' | 'isObserved' | 'isHook' | 'exchangeOf'> & {
    readonly broken: readonly Broken[]
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
    readonly assumeOf: (set: readonly ChangeKey[]) => Assume
    readonly rowOf: (key: ChangeKey) => Assumption | undefined
    /** A run in which these tests failed under these alternatives. */
    readonly failedRunOf: (
      set: readonly ChangeKey[],
      tests: readonly TestResult[],
    ) => Pick<SuiteRun, 'outcome' | 'output'> | undefined
  }

/**
 * Runs a test suite until it is known which planned alternatives break which tests.
 * @param pairs Whether harmless alternatives are also tried together.
 * @throws PlantMockError if the suite fails without alternatives, or sends no request to a mock.
 */
export const searchAlternatives = async (
  request: SuiteRequest,
  planned: Planned,
  pairs = false,
): Promise<VaryReport> => {
  const search = await searchSuite(request, { changes: [...planned.values()], noun: 'alternative', pairs })
  const { verdicts, together, suiteRuns, failureOf } = search
  const fixedIds = new Set(suiteRuns.flatMap(({ evidence }) => [...evidence.fixed]))
  const isFixed = (key: ChangeKey): boolean => {
    const alternative = planned.get(key)
    return alternative !== undefined && fixedIds.has(alternative.id)
  }
  const withStatus = (wanted: Verdict['status']): readonly ChangeKey[] =>
    verdicts.flatMap(({ key, status }) => (status === wanted ? [key] : []))
  const alone = verdicts.flatMap(({ key, status, failing }) => (status === 'fails' ? [{ keys: [key], failing }] : []))
  return {
    ...search,
    broken: [...alone, ...together].map(({ keys, failing }) => ({
      set: keys,
      tests: testsIn(failing).flatMap((id) => failureOf(id, keys) ?? []),
    })),
    flaky: flakyIn(search),
    isCommandFlaky: search.isFlaky(wholeCommand),
    passed: withStatus('passes'),
    notExercised: withStatus('notExercised').filter((key) => !isFixed(key)),
    fixed: withStatus('notExercised').filter(isFixed),
    notJudged: new Map(verdicts.flatMap(({ key, reason }) => (reason === undefined ? [] : [[key, reason] as const]))),
    countExercising: (key) => testsIn(verdicts.find((verdict) => verdict.key === key)?.exercisedBy ?? []).length,
    assumeOf: (set) => assumeOf(set.flatMap((key) => planned.get(key) ?? [])),
    rowOf: (key) => findAssumption(planned.get(key)?.id ?? ''),
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
