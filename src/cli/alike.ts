import { loadLearned } from '../server/files/load-fixtures.ts'
import { PlantMockError } from '../util/errors.ts'
import { printable } from '../util/terminal.ts'
import { isTooUnlike, renderAlike } from '../verify/alike-report.ts'
import { createdText } from '../verify/report.ts'
import type { RunCliCommand } from './command.ts'
import { commands } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import { reporterOf, usualFormats } from './reporter.ts'
import { checkService, cleanUp, required, targetOf } from './verify.ts'

/** `plant-mock alike URL FILE`: compares a mock with what a file holds and a live service, by the exchanges of a check. */
export const alike: RunCliCommand = async (line, terminal) => {
  const { values, operands } = line
  const [, file] = operands
  if (file === undefined) throw new PlantMockError(`FILE is missing. Usage: ${commands.alike.usage}`)
  const reporter = reporterOf(values, usualFormats)
  const target = targetOf(line)
  const { entries } = await loadLearned(file)
  const { report, signal } = await checkService(target, line, terminal, { imitate: () => entries })
  const { alike } = required(report.alike, values)
  if (alike !== undefined) terminal.out(renderAlike(alike, reporter, terminal.paint, values.verbose))
  terminal.error(
    createdText(report)
      .slice(1)
      .map((text) => `${text}\n`)
      .join(''),
  )
  if (report.incomplete !== undefined) terminal.error(`The check is incomplete: ${printable(report.incomplete)}.\n`)
  const isCleanedUp = await cleanUp(values.cleanup, report.plants, terminal)
  if (signal.aborted) return exitCodes.interrupted
  if (report.incomplete !== undefined || !isCleanedUp) return exitCodes.unreachable
  return isTooUnlike(alike) ? exitCodes.changed : exitCodes.success
}
