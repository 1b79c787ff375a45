import type { ChangedExchange } from '../evidence/changed-exchange.ts'
import type { MutantId } from '../evidence/mutants.ts'
import { whole } from '../evidence/serve-plan.ts'
import { alternativesFile } from '../evidence/test-process.ts'
import { type Observation, type SuiteRun, type TestId, wholeCommand } from '../suite/observe.ts'
import type { SuiteRequest } from '../suite/suite-request.ts'
import { type SessionOptions, withSuiteSession } from '../suite/suite-session.ts'
import type { TestResult } from '../suite/test-result.ts'
import { killMutants, type MutantResults } from './kill-mutants.ts'
import { inLifetimes, stateGroups } from './state-groups.ts'

/**
 * Runs a test suite until it is known which mutants its tests kill.
 * @throws PlantMockError when the suite fails without mutants, or sends no request to a mock.
 */
export const searchMutants = (request: SuiteRequest, mutants: readonly MutantId[]) =>
  withSuiteSession(request, sessionOptions(mutants), async (session) => {
    const { first, earlier, run } = await session.first()
    const knowsFiles = isFileKnown(run)
    const groups = stateGroups(run, knowsFiles)
    const found: MutantResults<MutantId> = await killMutants({
      mutants,
      unchanged: [...earlier, first],
      isFileKnown: knowsFiles,
      fileOf: session.fileOf,
      groupOf: (test) => groups.get(test)?.[0] ?? session.fileOf(test),
      jobs: request.jobs ?? 1,
      async run(serve, tests) {
        const set = [...new Set(Object.values(serve))]
        // Where files are not known, a selection would number the lifetimes in another way.
        const inGroups = !knowsFiles && set.length > 0 && serve[whole] === undefined
        const files = inGroups ? undefined : session.filesOf(tests)
        const result = await session.run({ set, files, served: { mutants, serve: inLifetimes(serve, groups) } })
        return (
          result && {
            observation: withoutMissing(result.run, result.observation),
            timedOut: result.run.timedOut === true,
          }
        )
      },
    })
    const named = new Map((run.tests ?? []).map((test) => [test.id, test]))
    const testsOf = (ids: readonly TestId[]): readonly TestResult[] => ids.flatMap((id) => named.get(id) ?? [])
    return {
      ...session.summary(),
      command: request.command,
      tests: [...named.values()],
      flaky: testsOf(found.flaky),
      results: found.results.map(({ id, status, metBy, killedBy }) => ({
        id,
        status,
        metBy: testsOf(metBy),
        killedBy: testsOf(killedBy),
        /** The exchange of a test that met it. */
        exchange: differenceIn(session.runs, id, metBy),
      })),
    }
  })

const sessionOptions = (mutants: readonly MutantId[]): SessionOptions => ({
  planned: { count: mutants.length, noun: 'mutant' },
  assumeOf: () => ({}),
  filesOf: () => ({ [alternativesFile]: [] }),
  lookoutOf: ({ set }) => ({
    set,
    keysOf: ({ alternatives }) => (alternatives === 'all' ? [] : alternatives.flatMap((index) => mutants[index] ?? [])),
  }),
  unchanged: { mutants },
})

export type MutationReport = Awaited<ReturnType<typeof searchMutants>>
export type MutantReport = MutationReport['results'][number]

const differenceIn = (
  runs: readonly Pick<SuiteRun, 'differences'>[],
  id: MutantId,
  metBy: readonly TestId[],
): ChangedExchange | undefined => {
  const found = runs.flatMap(({ differences }) => differences.filter((one) => one.id === id))
  return (found.find(({ test }) => metBy.includes(test)) ?? found[0])?.first
}

/** A runner that stops at the first failure leaves out tests, which say nothing. */
const withoutMissing = ({ tests = [] }: SuiteRun, observation: Observation): Observation => {
  const known = new Set([wholeCommand, ...tests.map(({ id }) => id)])
  return { ...observation, failed: new Set([...observation.failed].filter((id) => known.has(id))) }
}

/** Whether each mock that would show a mutant knows the test file that uses it, and so which mutant to serve. */
const isFileKnown = ({ evidence, tests = [], areTimed }: SuiteRun): boolean => {
  const files = new Set(tests.map(({ file }) => file))
  return areTimed && evidence.sightings.every(({ file }) => file !== undefined && files.has(file))
}
