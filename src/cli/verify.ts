import { spawn } from 'node:child_process'
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
import type { CreatedPlant } from '../verify/read/created-plant.ts'
import { isNewlyBroken, learn, learnBroken } from '../verify/read/learned.ts'
import { checkReport } from '../verify/report/report.ts'
import { loadLearned, loadSource } from '../verify/sources/load.ts'
import { assumptionsOf } from './assumption-settings.ts'
import { checkService, observedAt, targetOf } from './check-service.ts'
import { type CommandLine, type RunCliCommand, stopSignal, type Terminal } from './command.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { tokenFlags } from './repeat-command.ts'
import { printReport } from './reporter.ts'

/** `plant-mock verify URL`: checks a live service against the contract. */
export const verify: RunCliCommand = async (line, terminal) => {
  const { values } = line
  const [address = ''] = line.operands
  if (!address.includes('://') && existsSync(address))
    throw new PlantMockError(
      `${address} is a file. Give the URL of a service, or compare files: plant-mock diff OLD.json ${address}`,
    )
  const target = targetOf(address, line)
  if (values.learn !== undefined) await checkWritable('--learn', values.learn)
  const learned: Learned =
    values.learn !== undefined && existsSync(values.learn)
      ? await learnedSoFar(values.learn)
      : { entries: new Map(), broken: [] }
  const expect = values.expect === undefined ? undefined : await loadLearned(values.expect)
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
  const isCleanedUp = await cleanUp(values.cleanup, found.plants, terminal)
  if (signal.aborted) return exitCodes.interrupted
  if (values.learn !== undefined) {
    const broken = learnBroken(found.rules, learned.broken)
    const written = { ...content(found.assumptions), ...(broken.length > 0 && { broken }) }
    const schema = learned.source?.$schema
    await writeForOption(
      '--learn',
      values.learn,
      inOrderOf(learned.source, schema === undefined ? written : { ...written, $schema: schema }),
    )
    const entries = Object.values(written.assumptions)
    const count = entries.filter((entry) => typeof entry !== 'object' || 'value' in entry).length
    const mockCommand = `npx plant-mock --assumptions ${shellWord(values.learn)}`
    terminal.error(
      `Wrote ${plural(count, 'observed value')} to ${printable(values.learn)}. Mock this service: ${printable(mockCommand)}\n`,
    )
  }
  return isCleanedUp ? exitCodeOf(found, report) : exitCodes.unreachable
}

/** The most urgent next step. */
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

/** Reads the file that the check adds to; refuses other kinds, such as the document of the service. */
const learnedSoFar = async (file: string): Promise<Learned> => {
  const source = await loadSource(file, 'assumptions')
  if (source.kind === 'learned') return source
  throw new PlantMockError(`--learn cannot add to ${file}: it is a ${source.kind}, not a file of --learn.`)
}

/**
 * Runs the command of `--cleanup` in a shell, with the created plants on its standard input as NDJSON. Its output goes
 * to standard error, so that a report on standard output stays whole.
 * @returns Whether it succeeded; true when there is nothing to do.
 */
const cleanUp = async (
  command: string | undefined,
  plants: readonly CreatedPlant[],
  terminal: Pick<Terminal, 'error' | 'environment'>,
): Promise<boolean> => {
  if (command === undefined || plants.length === 0) return true
  const outcome = await new Promise<string | undefined>((resolve) => {
    const child = spawn(command, {
      shell: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: terminal.environment as NodeJS.ProcessEnv,
    })
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => terminal.error(String(chunk)))
    child.on('error', (error) => resolve(`cannot be started: ${error.message}`))
    child.on('close', (code, signal) => resolve(code === 0 ? undefined : `ended with ${signal ?? `exit code ${code}`}`))
    // A command that reads nothing may end first.
    child.stdin.on('error', () => undefined)
    child.stdin.end(plants.map((plant) => `${JSON.stringify(plant)}\n`).join(''))
  })
  if (outcome === undefined) return true
  terminal.error(`The command of --cleanup ${outcome}; the created plants may remain.\n`)
  return false
}
