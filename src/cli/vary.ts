import { readFileSync } from 'node:fs'
import type { AssumptionId, Assumptions } from '../core/assumptions/registry.ts'
import { type VariationOptions, variations } from '../core/assumptions/variations.ts'
import { PlantMockError } from '../util/errors.ts'
import { printable } from '../util/terminal.ts'
import { plural } from '../util/words.ts'
import type { Alternative } from '../vary/evidence/evidence.ts'
import { acceptedText, compareAccepted, loadAccepted, writeAccepted } from '../vary/report/accepted.ts'
import { renderReport, varyVerdict } from '../vary/report/vary-report.ts'
import { searchSuite } from '../vary/search/search-alternatives.ts'
import type { Planned, VaryReport } from '../vary/search/vary-session.ts'
import { keyOf } from '../vary/suite/observe.ts'
import { assumptionsOf } from './assumption-settings.ts'
import { type CommandLine, type RunCliCommand, stopSignal } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import { type Finding, findings, reportToGitHub } from './github.ts'
import type { Values } from './options.ts'
import { suiteCommand, withShortPath } from './repeat-command.ts'
import { reporterOf, usualFormats } from './reporter.ts'

/** `plant-mock vary -- COMMAND`: runs a test suite without changes, then under the alternatives that it would notice. */
export const vary: RunCliCommand = async (line, terminal) => {
  const { values } = line
  const reporter = reporterOf(values, usualFormats)
  const { accept, update = false } = values
  const { assumptions: base } = await assumptionsOf(line, terminal)
  const planned = planAlternatives(values, base)
  const accepted = accept === undefined ? new Set<string>() : await loadAccepted(accept, update)
  const signal = stopSignal(terminal)
  const report = await searchSuite(line, terminal, {
    base,
    planned,
    signal,
    each: values.each ?? false,
    ...(values.only && { combined: [...planned.keys()] }),
  })
  const { lines, ...acceptance } = compareAccepted(report, accepted, planned)
  const rendering = {
    verbose: values.verbose ?? false,
    sourceLine,
    next: nextText(line, report, acceptance.notAccepted),
    ...(accept !== undefined && { acceptance: { ...acceptance, file: accept, isUpdated: update } }),
  }
  terminal.out(renderReport(report, { ...rendering, reporter, paint: terminal.paint }))
  await reportToGitHub(terminal, 'vary', { verdict: varyVerdict(report), findings: findingsOf(report, accepted) })
  if (signal.aborted) return exitCodes.interrupted
  if (accept !== undefined && update) {
    await writeAccepted(accept, lines)
    terminal.error(`Wrote ${plural(lines.length, 'accepted reliance')} to ${printable(accept)}.\n`)
  } else if (acceptance.notAccepted.length > 0) return exitCodes.failure
  return report.ineffective.length > 0 ? exitCodes.usage : exitCodes.success
}

/** The one command to run next. */
const nextText = (line: CommandLine, { broken, repeatOf }: VaryReport, notAccepted: readonly string[]) => {
  const first = broken.find(({ set }) => notAccepted.includes(acceptedText(set)))
  if (first !== undefined) return `Next: change the client or the test, then run ${repeatOf(first.set)}`
  return `Would the tests notice a service that breaks the contract? Next: ${suiteCommand(line, 'mutate')}`
}

/** The tests that fail for reliances that are not accepted. */
const findingsOf = ({ broken }: VaryReport, accepted: ReadonlySet<string>): readonly Finding[] =>
  broken
    .filter(({ set }) => !accepted.has(acceptedText(set)))
    .flatMap(({ set, tests }) => findings(`fails with ${set.join(' with ')}`, tests.map(withShortPath)))

/** A line of a test file; `undefined` for a file that cannot be read. */
const sourceLine = (file: string, line: number): string | undefined => {
  try {
    return readFileSync(file, 'utf8').split('\n')[line - 1]
  } catch {
    return undefined
  }
}

const planAlternatives = ({ thorough = false, only }: Values, base: Assumptions): Planned => {
  const selected = only === undefined ? {} : { only: only as NonNullable<VariationOptions['only']> }
  const planned = variations({ thorough, base, ...selected }).flatMap(({ assume }) =>
    Object.entries(assume).map(([id, value]): Alternative => ({ id: id as AssumptionId, value })),
  )
  if (planned.length > 0) return new Map(planned.map((alternative) => [keyOf(alternative), alternative]))
  throw new PlantMockError('Nothing to vary: --only names no alternative to the current assumptions.')
}
