import { rm } from 'node:fs/promises'
import type { AssumptionId } from '../core/assumptions/registry.ts'
import type { AlternativeKey } from '../vary/search/observation.ts'
import type { FailedTests } from '../vary/search/summary.ts'
import type { Ignored } from '../vary/suite/read-lines.ts'
import type { RecordedRun } from './vary-suite.ts'

/** The output of a run that failed. */
type Output = { readonly set: readonly AlternativeKey[]; readonly file: string; readonly outcome: string }

/** The results of the runs of one `vary` so far. */
export type VaryTally = {
  runs: number
  exchanges: number
  readonly failures: FailedTests[]
  readonly outputs: Output[]
  readonly fixed: Set<AssumptionId>
  /** Name and version of the packages whose programs the command started. */
  readonly programs: Set<string>
  /** Lines of evidence that were ignored. */
  ignored: Ignored | undefined
}

export const emptyTally = (): VaryTally => ({
  runs: 0,
  exchanges: 0,
  failures: [],
  outputs: [],
  fixed: new Set(),
  programs: new Set(),
  ignored: undefined,
})

/** Adds a run to the tally, and removes its output if it passed. */
export const addRun = async (tally: VaryTally, run: RecordedRun, set: Output['set'], file: string): Promise<void> => {
  if (run.passed) await rm(file)
  else tally.outputs.push({ set, file, outcome: run.outcome })
  tally.exchanges += run.evidence.exchanges
  for (const id of run.evidence.fixed) tally.fixed.add(id)
  for (const program of run.recorded.programs) tally.programs.add(program)
  for (const ignored of [run.evidence.ignored, run.recorded.ignored])
    if (ignored !== undefined)
      tally.ignored = { first: ignored.first, ...tally.ignored, count: ignored.count + (tally.ignored?.count ?? 0) }
  tally.failures.push({ set, tests: run.tests?.filter(({ outcome }) => outcome === 'failed') ?? [] })
}

/** The output of the smallest failed set that contains these alternatives. */
export const outputOf = ({ outputs }: VaryTally, set: Output['set']): Output | undefined =>
  outputs
    .filter(({ set: all }) => set.every((key) => all.includes(key)))
    .toSorted((a, b) => a.set.length - b.set.length)[0]
