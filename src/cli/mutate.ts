import { PlantMockError } from '../util/errors.ts'
import { suggestion } from '../util/words.ts'
import { type MutantId, mutantIds } from '../vary/evidence/mutants.ts'
import { renderMutationReport } from '../vary/report/mutation-report.ts'
import { scoreOf } from '../vary/report/mutation-score.ts'
import { searchMutants } from '../vary/search/search-mutants.ts'
import { assumptionsOf } from './assumption-settings.ts'
import { type CommandLine, type RunCliCommand, stopSignal } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import { suiteCommand } from './repeat-command.ts'
import { reporterOf } from './reporter.ts'
import { suiteRequest } from './suite-request.ts'

/** `plant-mock mutate -- COMMAND`: runs a test suite against services that each break a sentence of the contract. */
export const mutate: RunCliCommand = async (line, terminal, version) => {
  const { values } = line
  const reporter = reporterOf(values, ['text', 'json', 'html'])
  const mutants = selectMutants(line)
  const { assumptions: base } = await assumptionsOf(line, terminal)
  const signal = stopSignal(terminal)
  const report = await searchMutants(await suiteRequest(line, values, terminal, { base, signal }), mutants)
  const { threshold = 100 } = values
  const next = (survivor: MutantId | undefined): string =>
    survivor === undefined
      ? `Next: ${suiteCommand(line, 'vary')}`
      : `Next: let a test fail under ${survivor}, then run ${suiteCommand(line, 'mutate', [survivor])}`
  terminal.out(renderMutationReport(report, { reporter, paint: terminal.paint, threshold, version, next }))
  if (signal.aborted) return exitCodes.interrupted
  const { killed, survived, score } = scoreOf(report.results)
  if (killed + survived === 0) return exitCodes.usage
  return score >= threshold ? exitCodes.success : exitCodes.failure
}

const selectMutants = ({ values: { only } }: CommandLine): readonly MutantId[] => {
  const unknown = only?.find((id) => !mutantIds.some((known) => known === id))
  if (unknown !== undefined)
    throw new PlantMockError(
      `Unknown mutant "${unknown}".${suggestion(unknown, mutantIds)} The mutants are ${mutantIds.join(', ')}.`,
    )
  return mutantIds.filter((id) => only === undefined || only.includes(id))
}
