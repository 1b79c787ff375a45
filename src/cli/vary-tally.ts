import { rm } from 'node:fs/promises'
import type { AssumptionId } from '../assumptions/registry.ts'
import type { AlternativeKey } from '../vary/observation.ts'
import type { FailedTests } from '../vary/summary.ts'
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
}

export const emptyTally = (): VaryTally => ({ runs: 0, exchanges: 0, failures: [], outputs: [], fixed: new Set() })

/** Adds a run to the tally, and removes its output if it passed. */
export const addRun = async (tally: VaryTally, run: RecordedRun, set: Output['set'], file: string): Promise<void> => {
  if (run.passed) await rm(file)
  else tally.outputs.push({ set, file, outcome: run.outcome })
  tally.exchanges += run.evidence.exchanges
  for (const id of run.evidence.fixed) tally.fixed.add(id)
  tally.failures.push({ set, tests: run.tests?.filter(({ outcome }) => outcome === 'failed') ?? [] })
}

/** The output of the smallest failed set that contains these alternatives. */
export const outputOf = ({ outputs }: VaryTally, set: Output['set']): Output | undefined =>
  outputs
    .filter(({ set: all }) => set.every((key) => all.includes(key)))
    .toSorted((a, b) => a.set.length - b.set.length)[0]
