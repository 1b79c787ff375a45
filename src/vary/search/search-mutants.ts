import type { MutantId } from '../evidence/mutants.ts'
import type { SuiteRequest } from '../suite/suite-request.ts'
import { searchSuite } from './search-suite.ts'

export const searchMutants = async (request: SuiteRequest, mutants: readonly MutantId[]) => {
  const changes = mutants.map((mutant) => ({ mutant }))
  const search = await searchSuite(request, { changes, noun: 'mutant', needsOneFailure: true })
  return {
    ...search,
    results: search.verdicts.map(({ key, status, reason, exercisedBy, failing }) => ({
      id: key as MutantId,
      status: status === 'fails' ? ('killed' as const) : status === 'passes' ? ('survived' as const) : status,
      notJudged: reason,
      exercisedBy: search.namedTests(exercisedBy),
      killedBy: search.namedTests(failing),
      exchange: search.exchangeOf(key, exercisedBy),
    })),
  }
}

export type MutationReport = Awaited<ReturnType<typeof searchMutants>>
export type MutantReport = MutationReport['results'][number]
