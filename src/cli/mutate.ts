import { PlantMockError } from '../util/errors.ts'
import { printable, printableJson } from '../util/terminal.ts'
import { plural, suggestion } from '../util/words.ts'
import { type MutantId, mutantIds, mutants } from '../vary/evidence/mutants.ts'
import { type Accepted, compareAcceptedMutants, loadAccepted, writeAccepted } from '../vary/report/accepted.ts'
import { mutationVerdict, renderMutationReport } from '../vary/report/mutation-report.ts'
import { isAnyJudged, isDecided, scoredMutants, scoreOf, survivorsIn } from '../vary/report/mutation-score.ts'
import { searchMutants } from '../vary/search/search-mutants.ts'
import { assumptionsOf } from './assumption-settings.ts'
import { type CommandLine, type RunCliCommand, stopSignal } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import { reportToGitHub } from './github.ts'
import { suiteCommand } from './repeat-command.ts'
import { reporterOf } from './reporter.ts'
import { orReport, suiteRequest } from './suite-request.ts'

/** `plant-mock mutate -- COMMAND`: runs a test suite against services that each break a sentence of the contract. */
export const mutate: RunCliCommand = async (line, terminal, version) => {
  const { values } = line
  const reporter = reporterOf(values, ['text', 'json'])
  const selected = selectMutants(line)
  const { threshold = 100, accept, update = false } = values
  const accepted: Accepted = accept === undefined ? new Map() : await loadAccepted(accept, 'mutant', update)
  const { assumptions: base } = await assumptionsOf(line, terminal)
  const signal = stopSignal(terminal)
  const request = await suiteRequest(line, values, terminal, { base, signal })
  const found = await orReport(searchMutants(request, selected), terminal, (error) => {
    const thresholds = { high: threshold, low: threshold }
    const empty = { schemaVersion: '2', thresholds, files: {}, config: { command: line.rest, error } }
    return reporter === 'json' ? `${printableJson(empty, 2)}\n` : ''
  })
  const results = scoredMutants(found.results, accepted)
  const acceptance = compareAcceptedMutants(results, accepted)
  const rendering = {
    ...{ reporter, screen: terminal, threshold, version },
    repeatOf: (id: MutantId) => suiteCommand(line, 'mutate', id),
    next: suiteCommand(line, 'vary'),
    ...(accept !== undefined && { acceptance: { ...acceptance, file: accept, isUpdated: update } }),
  }
  const report = { ...found, results }
  terminal.out(renderMutationReport(report, rendering))
  await reportToGitHub(terminal, 'mutate', {
    verdict: mutationVerdict(report),
    findings: survivorsIn(results).map(({ id }) => ({ what: `${id} survives: ${mutants[id].does}` })),
  })
  if (signal.aborted) return exitCodes.interrupted
  if (!isAnyJudged(results)) return exitCodes.usage
  if (accept !== undefined && update) {
    const count = await writeAccepted(accept, 'mutant', acceptance)
    terminal.error(`Wrote ${plural(count, 'accepted mutant')} to ${printable(accept)}.\n`)
  } else if (scoreOf(results).score < threshold) return exitCodes.failure
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
