import type { Difference } from '../shadows/difference.ts'
import { type TestId, wholeCommand } from './observation.ts'
import { linesByTest, type RunRecord } from './observe.ts'
import type { DifferenceSighting } from './read-evidence.ts'

/** The exchanges of a test whose responses differ because of one assumption or mutant. */
export type TestDifferences = {
  readonly test: TestId
  /** The assumption or mutant. */
  readonly id: string
  /** The numbers of the exchanges. */
  readonly exchanges: readonly number[]
  readonly first: Difference
}

/** The differences of a run by test; without known tests, those of the command. */
export const differencesByTest = ({
  evidence: { differences },
  tests,
  areTimed,
}: Pick<RunRecord, 'tests' | 'areTimed'> & {
  readonly evidence: { readonly differences: readonly DifferenceSighting[] }
}): readonly TestDifferences[] => {
  const byTest =
    areTimed && tests !== undefined ? linesByTest(tests, differences) : new Map([[wholeCommand, differences]])
  return [...byTest].flatMap(([test, lines]) =>
    [...new Set(lines.map(({ id }) => id))].flatMap((id) => {
      const same = lines.filter((line) => line.id === id)
      const [first] = same
      if (first === undefined) return []
      const { request, diff } = first
      return [{ test, id, exchanges: same.map(({ exchange }) => exchange), first: { request, diff } }]
    }),
  )
}
