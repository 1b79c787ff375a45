import { PlantMockError } from '../util/errors.ts'
import { suggestion } from '../util/words.ts'
import { type MutantId, mutantIds } from '../vary/evidence/mutants.ts'
import { compareAcceptedMutants, loadAccepted, writeAccepted } from '../vary/report/accepted.ts'
import { mutationReport } from '../vary/report/mutation-report.ts'
import { isAnyJudged, isDecided, scoredMutants, scoreOf } from '../vary/report/mutation-score.ts'
import { searchMutants } from '../vary/search/search-mutants.ts'
import { type CommandLine, type RunCliCommand, stopSignal } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import { suiteCommand } from './repeat-command.ts'
import { printReport } from './reporter.ts'
import { assumptionsOf } from './start-options.ts'
import { orReport, suiteRequest } from './suite-request.ts'

export const mutate: RunCliCommand = async (line, terminal, version) => {
  const { values } = line
  const selected = selectMutants(line)
  const { threshold = 100, accept, update = false } = values
  const accepted = await loadAccepted(accept, 'mutant', update)
  const { assumptions: base } = await assumptionsOf(line, terminal)
  const signal = stopSignal(terminal)
  const request = await suiteRequest(line, values, terminal, { base, signal })
  const found = await orReport(searchMutants(request, selected), line, terminal, (error) => ({
    ...{ schemaVersion: '2', thresholds: { high: threshold, low: threshold }, files: {} },
    config: { command: line.rest, error },
  }))
  const results = scoredMutants(found.results, accepted)
  const acceptance = compareAcceptedMutants(results, accepted)
  const report = mutationReport(
    { ...found, results },
    {
      threshold,
      version,
      repeatOf: (id: MutantId) => suiteCommand(line, 'mutate', id),
      next: suiteCommand(line, 'vary'),
      ...(accept !== undefined && { acceptance: { ...acceptance, file: accept, isUpdated: update } }),
    },
  )
  await printReport(report, values, terminal)
  if (signal.aborted) return exitCodes.interrupted
  if (!isAnyJudged(results)) return exitCodes.usage
  if (accept !== undefined && update) terminal.error(await writeAccepted(accept, acceptance))
  else if (scoreOf(results) < threshold) return exitCodes.failure
  return isDecided(results) ? exitCodes.success : exitCodes.usage
}

const selectMutants = ({ values: { only } }: CommandLine): readonly MutantId[] => {
  const unknown = only?.find((id) => !mutantIds.some((known) => known === id))
  if (unknown !== undefined)
    throw new PlantMockError(
      `Unknown mutant "${unknown}".${suggestion(unknown, mutantIds)} The mutants are ${mutantIds.join(', ')}.`,
    )
  return mutantIds.filter((id) => only === undefined || only.includes(id))
}
