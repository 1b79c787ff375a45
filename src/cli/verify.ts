import { existsSync } from 'node:fs'
import { type Learned, parseEntries } from '../core/assumptions/file.ts'
import { withoutUserInfos } from '../core/http/address.ts'
import { checkWritable, writeForOption } from '../server/files/write-fixtures.ts'
import { PlantMockError } from '../util/errors.ts'
import { inOrderOf } from '../util/json.ts'
import { failuresIn, type Report } from '../util/report.ts'
import { shellWord } from '../util/shell.ts'
import { printable } from '../util/terminal.ts'
import { plural } from '../util/words.ts'
import type { ConformanceReport } from '../verify/ask/check.ts'
import { isNewlyBroken, learn, learnBroken } from '../verify/read/learned.ts'
import { checkReport } from '../verify/report/report.ts'
import { loadSource } from '../verify/sources/load.ts'
import { checkService, observedAt, targetOf } from './check-service.ts'
import { type CommandLine, type RunCliCommand, stopSignal } from './command.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { tokenFlags } from './repeat-command.ts'
import { printReport } from './reporter.ts'
import { assumptionsOf } from './start-options.ts'

export const verify: RunCliCommand = async (line, terminal) => {
  const { values } = line
  const [address = ''] = line.operands
  if (!address.includes('://') && existsSync(address))
    throw new PlantMockError(
      `${address} is a file. Give the URL of a service, or compare files: plant-mock diff OLD.json ${shellWord(address)}`,
    )
  const target = targetOf(address, line)
  if (values.learn !== undefined) await checkWritable('--learn', values.learn)
  const learned: Learned =
    values.learn !== undefined && existsSync(values.learn)
      ? await learnedSoFar(values.learn)
      : { entries: new Map(), broken: [] }
  const expect = values.expect === undefined ? undefined : await loadSource(values.expect, 'assumptions')
  const { assumptions } = await assumptionsOf(line, terminal)
  const content = (found: ConformanceReport['assumptions']) => learn(found, learned.entries, observedAt(target))
  const signal = stopSignal(terminal)
  const found = await checkService(target, line, terminal, {
    signal,
    assumptions,
    ...(expect !== undefined && { expect: expect.entries, knownBroken: expect.broken }),
    ...(values.learn !== undefined && { imitate: (found) => parseEntries(JSON.stringify(content(found)), 'learned') }),
  })
  const next = nextText(found, line, printable(withoutUserInfos(address)))
  const report = checkReport(found, values.verbose ?? false, next)
  await printReport(report, values, terminal)
  if (signal.aborted) return exitCodes.interrupted
  if (values.learn !== undefined) {
    const broken = learnBroken(found.rules, learned.broken)
    const $schema = learned.source?.$schema
    const written = {
      ...content(found.assumptions),
      ...(broken.length > 0 && { broken }),
      ...($schema !== undefined && { $schema }),
    }
    await writeForOption('--learn', values.learn, inOrderOf(learned.source, written))
    const entries = Object.values(written.assumptions)
    const count = entries.filter((entry) => typeof entry !== 'object' || 'value' in entry).length
    const mockCommand = `npx plant-mock --assumptions ${shellWord(values.learn)}`
    terminal.error(
      `Wrote ${plural(count, 'observed value')} to ${printable(values.learn)}. Mock this service: ${printable(mockCommand)}\n`,
    )
  }
  return exitCodeOf(found, report)
}

const nextText = (
  { rules, changes = [] }: ConformanceReport,
  { values: { expect, learn }, flags }: CommandLine,
  address: string,
): string | undefined => {
  if (rules.some(isNewlyBroken)) return 'Next: correct what is broken, then run the check again'
  if (expect !== undefined && changes.length > 0)
    return `Next: to find the tests that break, run npx plant-mock diff ${shellWord(expect)} ${shellWord(address)}${tokenFlags(flags)} -- COMMAND`
  return learn === undefined ? 'Next: add --learn learned.json, for a mock that imitates this service' : undefined
}

const exitCodeOf = ({ rules, incomplete }: ConformanceReport, report: Report): ExitCode => {
  if (rules.some(isNewlyBroken)) return exitCodes.failure
  if (incomplete !== undefined) return exitCodes.unreachable
  return failuresIn(report).length > 0 ? exitCodes.changed : exitCodes.success
}

const learnedSoFar = async (file: string): Promise<Learned> => {
  const source = await loadSource(file, 'assumptions')
  if (source.kind === 'learned') return source
  throw new PlantMockError(`--learn cannot add to ${file}: it is a ${source.kind}, not a file of --learn.`)
}
