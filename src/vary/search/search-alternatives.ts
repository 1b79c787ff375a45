import { type Assume, type AssumptionId, type Assumptions, findAssumption } from '../../core/assumptions/registry.ts'
import { type VariationOptions, variations } from '../../core/assumptions/variations.ts'
import { PlantMockError } from '../../util/errors.ts'
import type { Alternative } from '../evidence/evidence-log.ts'
import { alternativesFile } from '../evidence/test-process.ts'
import { type AlternativeKey, keyOf, lookForValues, type SuiteRun } from '../suite/observe.ts'
import type { SuiteRequest } from '../suite/suite-request.ts'
import { type SessionOptions, type SuiteSession, withSuiteSession } from '../suite/suite-session.ts'
import { type Findings, findCauses, type Search } from './find-causes.ts'
import { summarise } from './summary.ts'

/** The alternatives to try, by key. */
export type Planned = ReadonlyMap<AlternativeKey, Alternative>

/**
 * The alternatives to the assumptions of a suite.
 * @throws PlantMockError when none is selected.
 */
export const planAlternatives = (options: VariationOptions & { readonly base: Assumptions }): Planned => {
  const planned = variations(options).flatMap(({ assume }) =>
    Object.entries(assume).map(([id, value]): Alternative => ({ id: id as AssumptionId, value })),
  )
  if (planned.length > 0) return new Map(planned.map((alternative) => [keyOf(alternative), alternative]))
  throw new PlantMockError('Nothing to vary: --only names no alternative to the current assumptions.')
}

type SearchOptions = Pick<Search, 'each' | 'combined'> & { readonly planned: Planned }

/**
 * Runs a test suite until it is known which of the planned alternatives break which tests.
 * @throws PlantMockError when the suite fails without alternatives, or sends no request to a mock.
 */
export const searchAlternatives = (request: SuiteRequest, { planned, ...search }: SearchOptions): Promise<VaryReport> =>
  withSuiteSession(request, sessionOptions(request.base, planned), async (session) => {
    const { first, earlier } = await session.first()
    const findings = await findCauses({
      first,
      earlier,
      ...search,
      run: async (next, further) => (await session.run(next, further))?.observation,
      filesOf: session.filesOf,
      fileOf: session.fileOf,
      jobs: request.jobs ?? 1,
    })
    return varyReport(request, planned, session, findings)
  })

const sessionOptions = (base: Assumptions, planned: Planned): SessionOptions => {
  // With the value of the base, a run tells whether an alternative in force was visible.
  const ids = [...new Set([...planned.values()].map(({ id }) => id))]
  const compared = [...planned.values(), ...ids.map((id) => ({ id, value: base[id] }))]
  const keys = [...planned.keys()]
  const assumeOf = assumeIn(planned)
  return {
    planned: { count: planned.size, noun: 'alternative' },
    assumeOf: ({ set }) => assumeOf(set),
    filesOf: ({ set }) => {
      const inForce = Object.keys(assumeOf(set))
      return {
        [alternativesFile]: compared.map(({ id, value }) => ({
          id,
          value,
          isShown: value === base[id] && inForce.includes(id),
        })),
      }
    },
    lookoutOf: ({ set }) => lookForValues({ base, set, planned: keys, compared }),
  }
}

const assumeIn =
  (planned: Planned) =>
  (set: readonly AlternativeKey[]): Assume =>
    Object.fromEntries(set.flatMap((key) => planned.get(key) ?? []).map(({ id, value }) => [id, value]))

const varyReport = (
  { command, base }: SuiteRequest,
  planned: Planned,
  { runs, ...session }: SuiteSession,
  findings: Findings,
) => {
  const fixed = new Set(runs.flatMap(({ evidence }) => [...evidence.fixed]))
  return {
    ...summarise(findings, [...planned.keys()], fixed, runs),
    ...session.summary(),
    command,
    base,
    assumeOf: assumeIn(planned),
    /** The failed run with the smallest set that contains these alternatives. */
    failedRunOf: (set: readonly AlternativeKey[]): FailedRun | undefined =>
      runs
        .filter(({ passed, set: all }) => !passed && set.every((key) => all.includes(key)))
        .toSorted((a, b) => a.set.length - b.set.length)[0],
    rowOf: (key: AlternativeKey) => findAssumption(planned.get(key)?.id ?? ''),
  }
}

type FailedRun = Pick<SuiteRun, 'output' | 'outcome' | 'differences'>

export type VaryReport = ReturnType<typeof varyReport>
