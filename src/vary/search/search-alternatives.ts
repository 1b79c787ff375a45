import {
  type Assumption,
  type AssumptionId,
  type Assumptions,
  findAssumption,
} from '../../core/assumptions/registry.ts'
import { type VariationOptions, variations } from '../../core/assumptions/variations.ts'
import { PlantMockError } from '../../util/errors.ts'
import { type Alternative, assumeOf, type ChangeKey, keyOf } from '../evidence/plan.ts'
import type { SuiteRequest } from '../suite/suite-request.ts'
import type { Verdict } from './judge.ts'
import { searchSuite } from './search-suite.ts'

export type Planned = ReadonlyMap<ChangeKey, Alternative>

export const planAlternatives = (options: VariationOptions & { readonly base: Assumptions }): Planned => {
  const planned = variations(options).flatMap(({ assume }) =>
    Object.entries(assume).map(([id, value]) => alternativeTo(options.base, id as AssumptionId, value)),
  )
  if (planned.length > 0) return new Map(planned.map((alternative) => [keyOf(alternative), alternative]))
  throw new PlantMockError('Nothing to vary: --only selects no value that differs from the current assumptions.')
}

export const alternativeTo = (base: Assumptions, id: AssumptionId, value: Alternative['value']): Alternative => ({
  id,
  value,
  base: base[id],
})

export const searchAlternatives = async (request: SuiteRequest, planned: Planned, atOnce = false) => {
  const { verdicts, suiteRuns, failuresOf, failingAtOnce, namedTests, tests, ...search } = await searchSuite(request, {
    changes: [...planned.values()],
    noun: 'alternative',
    atOnce,
  })
  const fixedIds = new Set(suiteRuns.flatMap(({ evidence }) => [...evidence.fixed]))
  const alternativeOf = (key: ChangeKey): Alternative => planned.get(key) as Alternative
  const isFixed = (key: ChangeKey): boolean => fixedIds.has(alternativeOf(key).id)
  const withStatus = (wanted: Verdict['status'], isMatch = (_: ChangeKey) => true): readonly ChangeKey[] =>
    verdicts.flatMap(({ key, status }) => (status === wanted && isMatch(key) ? [key] : []))
  const all = [...planned.keys()]
  return {
    ...search,
    broken: verdicts.flatMap(({ key, status, failing }) =>
      status === 'fails' ? [{ key, tests: failuresOf(failing, [key]) }] : [],
    ),
    ...(failingAtOnce.length > 0 && {
      brokenAtOnce: {
        tests: failuresOf(failingAtOnce, all),
        outcome: search.failedRunOf(all, [])?.outcome ?? 'failed',
      },
    }),
    passed: withStatus('passes'),
    notExercised: withStatus('notExercised', (key) => !isFixed(key)),
    fixed: withStatus('notExercised', isFixed),
    notJudged: new Map(verdicts.flatMap(({ key, reason }) => (reason === undefined ? [] : [[key, reason] as const]))),
    countExercising: (key: ChangeKey) =>
      namedTests(verdicts.find((verdict) => verdict.key === key)?.exercisedBy ?? []).length,
    assumeOf: (key: ChangeKey) => assumeOf([alternativeOf(key)]),
    rowOf: (key: ChangeKey) => findAssumption(alternativeOf(key).id) as Assumption,
  }
}

export type VaryReport = Awaited<ReturnType<typeof searchAlternatives>>
export type Broken = VaryReport['broken'][number]
