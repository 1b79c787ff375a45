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
import type { SuiteRequest } from '../suite/suite-request.ts'
import type { SuiteSummary } from '../suite/suite-session.ts'
import type { TestResult } from '../suite/test-result.ts'
import type { NotJudged, Verdict } from './judge.ts'
import { type SearchReport, searchSuite } from './search-suite.ts'

export type Planned = ReadonlyMap<ChangeKey, Alternative>

/** @throws PlantMockError if no alternative is selected. */
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

export type Broken = {
  readonly key: ChangeKey
  /** Includes hooks; empty if only the command is known to fail. */
  readonly tests: readonly TestResult[]
}

export type VaryReport = SuiteSummary &
  Pick<
    SearchReport,
    'command' | 'base' | 'mocks' | 'isHook' | 'exchangeOf' | 'failedRunOf' | 'flaky' | 'isCommandFlaky'
  > & {
    readonly broken: readonly Broken[]
    /** The tests that only all alternatives at once break. */
    readonly brokenAtOnce?: Pick<Broken, 'tests'> & { readonly outcome: string }
    readonly passed: readonly ChangeKey[]
    readonly notExercised: readonly ChangeKey[]
    /** Alternatives to assumptions that tests set themselves. */
    readonly fixed: readonly ChangeKey[]
    readonly notJudged: ReadonlyMap<ChangeKey, NotJudged>
    readonly countExercising: (key: ChangeKey) => number
    readonly assumeOf: (key: ChangeKey) => Assume
    readonly rowOf: (key: ChangeKey) => Assumption
  }

/**
 * @param atOnce Whether all alternatives are also served at once. Default: false.
 * @throws SuiteError if the suite fails without alternatives, or sends no request to a mock.
 */
export const searchAlternatives = async (
  request: SuiteRequest,
  planned: Planned,
  atOnce = false,
): Promise<VaryReport> => {
  const search = await searchSuite(request, { changes: [...planned.values()], noun: 'alternative', atOnce })
  const { verdicts, suiteRuns, failuresOf, failedRunOf, failingAtOnce } = search
  const fixedIds = new Set(suiteRuns.flatMap(({ evidence }) => [...evidence.fixed]))
  const alternativeOf = (key: ChangeKey): Alternative => planned.get(key) as Alternative
  const isFixed = (key: ChangeKey): boolean => fixedIds.has(alternativeOf(key).id)
  const withStatus = (wanted: Verdict['status']): readonly ChangeKey[] =>
    verdicts.flatMap(({ key, status }) => (status === wanted ? [key] : []))
  const all = [...planned.keys()]
  return {
    ...search,
    broken: verdicts.flatMap(({ key, status, failing }) =>
      status === 'fails' ? [{ key, tests: failuresOf(failing, [key]) }] : [],
    ),
    ...(failingAtOnce.length > 0 && {
      brokenAtOnce: { tests: failuresOf(failingAtOnce, all), outcome: failedRunOf(all, [])?.outcome ?? 'failed' },
    }),
    passed: withStatus('passes'),
    notExercised: withStatus('notExercised').filter((key) => !isFixed(key)),
    fixed: withStatus('notExercised').filter(isFixed),
    notJudged: new Map(verdicts.flatMap(({ key, reason }) => (reason === undefined ? [] : [[key, reason] as const]))),
    countExercising: (key) =>
      search.namedTests(verdicts.find((verdict) => verdict.key === key)?.exercisedBy ?? []).length,
    assumeOf: (key) => assumeOf([alternativeOf(key)]),
    rowOf: (key) => findAssumption(alternativeOf(key).id) as Assumption,
  }
}
