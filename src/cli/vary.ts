import { readFileSync } from 'node:fs'
import type { VariationOptions } from '../core/assumptions/variations.ts'
import { renderJunit } from '../util/junit.ts'
import { printable, printableJson } from '../util/terminal.ts'
import { plural } from '../util/words.ts'
import type { ChangeKey } from '../vary/evidence/plan.ts'
import { type Accepted, compareAccepted, loadAccepted, writeAccepted } from '../vary/report/accepted.ts'
import { renderVaryReport, varyVerdict } from '../vary/report/vary-report.ts'
import { planAlternatives, searchAlternatives, type VaryReport } from '../vary/search/search-alternatives.ts'
import { withShortPath } from '../vary/suite/test-result.ts'
import { assumptionsOf } from './assumption-settings.ts'
import { type CommandLine, type RunCliCommand, stopSignal } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import { findings, reportToGitHub, type SummaryRow } from './github.ts'
import { suiteCommand } from './repeat-command.ts'
import { reporterOf, usualFormats } from './reporter.ts'
import { orReport, suiteRequest } from './suite-request.ts'

/**
 * `plant-mock vary -- COMMAND`: runs a test suite without changes, then under the alternatives that it would notice.
 */
export const vary: RunCliCommand = async (line, terminal) => {
  const { values } = line
  const reporter = reporterOf(values, usualFormats)
  const { accept, update = false } = values
  const { assumptions: base } = await assumptionsOf(line, terminal)
  const { thorough = false, only } = values
  // `variations` refuses invalid texts.
  const selected = only && { only: only as NonNullable<VariationOptions['only']> }
  const planned = planAlternatives({ thorough, base, ...selected })
  const accepted: Accepted = accept === undefined ? new Map() : await loadAccepted(accept, 'reliance', update)
  const signal = stopSignal(terminal)
  const request = await suiteRequest(line, values, terminal, { base, signal })
  const report = await orReport(searchAlternatives(request, planned), terminal, (verdict) => {
    if (reporter === 'json') return `${printableJson({ verdict, command: line.rest }, 2)}\n`
    const failure = { message: verdict, text: '' }
    const cases = [{ classname: 'plant-mock vary', name: 'the unchanged suite', failure }]
    // As text, standard error has the message.
    return reporter === 'junit' ? renderJunit([{ name: 'plant-mock vary', cases }]) : ''
  })
  const acceptance = compareAccepted(report, accepted, planned)
  const rendering = {
    verbose: values.verbose ?? false,
    sourceLine,
    repeatOf: (key: ChangeKey) => suiteCommand(line, 'vary', key),
    next: nextText(line, report, acceptance.notAccepted),
    ...(accept !== undefined && { acceptance: { ...acceptance, file: accept, isUpdated: update } }),
  }
  terminal.out(renderVaryReport(report, { ...rendering, reporter, screen: terminal }))
  await reportToGitHub(terminal, 'vary', { verdict: varyVerdict(report), findings: findingsOf(report, accepted) })
  if (signal.aborted) return exitCodes.interrupted
  if (accept !== undefined && update) {
    const count = await writeAccepted(accept, 'reliance', acceptance)
    terminal.error(`Wrote ${plural(count, 'accepted reliance')} to ${printable(accept)}.\n`)
  } else if (acceptance.notAccepted.length > 0) return exitCodes.failure
  return report.notJudged.size === 0 ? exitCodes.success : exitCodes.usage
}

const nextText = (line: CommandLine, { broken }: VaryReport, notAccepted: readonly string[]) => {
  const first = broken.find(({ key }) => notAccepted.includes(key))
  if (first !== undefined)
    return `Next: change the client or the test, then run ${suiteCommand(line, 'vary', first.key)}`
  return `Would the tests notice a service that breaks the contract? Next: ${suiteCommand(line, 'mutate')}`
}

/** The tests that fail because of unaccepted reliances. */
const findingsOf = ({ broken }: VaryReport, accepted: Accepted): readonly SummaryRow[] =>
  broken
    .filter(({ key }) => !accepted.has(key))
    .flatMap(({ key, tests }) => findings(`fails with ${key}`, tests.map(withShortPath)))

/** A line of a test file; `undefined` for a file that cannot be read. */
const sourceLine = (file: string, line: number): string | undefined => {
  try {
    return readFileSync(file, 'utf8').split('\n')[line - 1]
  } catch {
    return undefined
  }
}
