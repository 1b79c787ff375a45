import type { VariationOptions } from '../core/assumptions/variations.ts'
import type { ChangeKey } from '../vary/evidence/plan.ts'
import { compareAccepted, loadAccepted, writeAccepted } from '../vary/report/accepted.ts'
import { varyReport } from '../vary/report/vary-report.ts'
import { planAlternatives, searchAlternatives } from '../vary/search/search-alternatives.ts'
import { type RunCliCommand, stopSignal } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import { suiteCommand } from './repeat-command.ts'
import { printReport } from './reporter.ts'
import { assumptionsOf } from './start-options.ts'
import { orReport, suiteRequest } from './suite-request.ts'

export const vary: RunCliCommand = async (line, terminal) => {
  const { values } = line
  const { accept, update = false } = values
  const { assumptions: base } = await assumptionsOf(line, terminal)
  const { thorough = false, only } = values
  // The cast is safe, because `planAlternatives` throws an error for invalid values.
  const selected = only && { only: only as NonNullable<VariationOptions['only']> }
  const planned = planAlternatives({ thorough, base, ...selected })
  const accepted = await loadAccepted(accept, 'reliance', update)
  const signal = stopSignal(terminal)
  const request = await suiteRequest(line, values, terminal, { base, signal })
  const found = await orReport(searchAlternatives(request, planned), line, terminal)
  const acceptance = compareAccepted(found, accepted, planned)
  const report = varyReport(found, {
    verbose: values.verbose ?? false,
    repeatOf: (key: ChangeKey) => suiteCommand(line, 'vary', key),
    next: `Would the tests notice a service that breaks the contract? Next: ${suiteCommand(line, 'mutate')}`,
    ...(accept !== undefined && { acceptance: { ...acceptance, file: accept, isUpdated: update } }),
  })
  await printReport(report, values, terminal)
  if (signal.aborted) return exitCodes.interrupted
  if (accept !== undefined && update) terminal.error(await writeAccepted(accept, acceptance))
  else if (acceptance.notAccepted.length > 0) return exitCodes.failure
  return found.notJudged.size === 0 ? exitCodes.success : exitCodes.usage
}
