import { type AssumptionId, type Assumptions, findAssumption } from '../../core/assumptions/registry.ts'
import { type VariationOptions, variations } from '../../core/assumptions/variations.ts'
import { PlantMockError } from '../../util/errors.ts'
import { type Alternative, assumeOf, type ChangeKey, keyOf } from '../evidence/plan.ts'
import { wholeCommand } from '../suite/observe.ts'
import type { SuiteRequest } from '../suite/suite-request.ts'
import type { TestResult } from '../suite/test-result.ts'
import { type SearchReport, searchSuite, testsIn } from './search-suite.ts'
import type { Verdict } from './trials.ts'

/** The alternatives to try, by key. */
export type Planned = ReadonlyMap<ChangeKey, Alternative>

/**
 * The alternatives to the assumptions of a suite.
 * @throws PlantMockError when none is selected.
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

/** Alternatives that break tests: one, or several that do so only together. */
export type Broken = {
  readonly set: readonly ChangeKey[]
  /** The tests and hooks that fail; none when only the command is known to fail. */
  readonly tests: readonly TestResult[]
}

/**
 * Runs a test suite until it is known which of the planned alternatives break which tests.
 * @param pairs Whether alternatives that break nothing are also tried together. Default: false.
 * @throws PlantMockError when the suite fails without alternatives, or sends no request to a mock.
 */
export const searchAlternatives = async (request: SuiteRequest, planned: Planned, pairs = false) => {
  const search = await searchSuite(request, { changes: [...planned.values()], noun: 'alternative', pairs })
  const fixedIds = new Set(search.suiteRuns.flatMap(({ evidence }) => [...evidence.fixed]))
  const isFixed = (key: ChangeKey): boolean => {
    const alternative = planned.get(key)
    return alternative !== undefined && fixedIds.has(alternative.id)
  }
  const withStatus = (wanted: Verdict['status']): readonly ChangeKey[] =>
    search.verdicts.flatMap(({ key, status }) => (status === wanted ? [key] : []))
  const failed = search.verdicts.filter(({ status }) => status === 'fails')
  return {
    ...search,
    broken: [...failed.map(({ key, failing }) => ({ keys: [key], failing })), ...search.together].map(
      ({ keys, failing }): Broken => ({
        set: keys,
        tests: testsIn(failing).flatMap((id) => search.failureOf(id, keys) ?? []),
      }),
    ),
    flaky: flakyIn(search),
    /** Whether the command failed and passed with the same alternatives, without a test that did. */
    isCommandFlaky: search.isFlaky(wholeCommand),
    passed: withStatus('passes'),
    /** Not exercised: no response would change. */
    notMet: withStatus('notMet').filter((key) => !isFixed(key)),
    /** Tests set these assumptions themselves. */
    fixed: withStatus('notMet').filter(isFixed),
    /** Set, but never visible in a response: a cache replied, or the suite set something else. */
    ineffective: withStatus('unseen'),
    /** The search was stopped, or only flaky tests meet them. */
    notJudged: withStatus('notJudged'),
    assumeOf: (set: readonly ChangeKey[]) => assumeOf(set.flatMap((key) => planned.get(key) ?? [])),
    rowOf: (key: ChangeKey) => findAssumption(planned.get(key)?.id ?? ''),
  }
}

export type VaryReport = Awaited<ReturnType<typeof searchAlternatives>>

/** The flaky tests, as they failed. */
export const flakyIn = ({ suiteRuns, isFlaky }: Pick<SearchReport, 'suiteRuns' | 'isFlaky'>): readonly TestResult[] => [
  ...new Map(
    suiteRuns.flatMap(({ tests = [] }) =>
      tests.flatMap((test) => (isFlaky(test.id) ? [[test.id, test] as const] : [])),
    ),
  ).values(),
]
