import packageJson from '../../package.json' with { type: 'json' }
import { withoutUserInfos } from '../core/http/address.ts'
import { AddressError, PlantMockError, StoppedError, UnreachableError } from '../util/errors.ts'
import { printableLines } from '../util/terminal.ts'
import { checkOptions } from './check-options.ts'
import { type RunCliCommand, SharedStoreError, type Terminal } from './command.ts'
import type { CliCommand } from './commands.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { parseCommandLine } from './parse.ts'
import { serve } from './serve.ts'

export { processTerminal } from './terminal.ts'

/** perf: loads all commands except the default on demand (`npm run bench`, start of `serve`). */
const loadCommand: Readonly<Record<CliCommand, () => Promise<RunCliCommand>>> = {
  serve: async () => serve,
  run: async () => (await import('./run.ts')).run,
  vary: async () => (await import('./vary.ts')).vary,
  mutate: async () => (await import('./mutate.ts')).mutate,
  verify: async () => (await import('./verify.ts')).verify,
  learn: async () => (await import('./learn.ts')).learn,
  diff: async () => (await import('./diff.ts')).diff,
  generate: async () => (await import('./generate.ts')).generate,
  assumptions: async () => (await import('./assumptions.ts')).assumptions,
  contract: async () => (await import('./contract.ts')).contract,
  help: async () => (await import('./help.ts')).help,
}

export const main = async (args: readonly string[], terminal: Terminal): Promise<number> => {
  let command: CliCommand | undefined
  try {
    const line = parseCommandLine(args, terminal.environment)
    const { values } = line
    command = line.command
    const version: string = packageJson.version
    if (values.version) terminal.out(`${version}\n`)
    else if (values.help) {
      const { helpText, overview } = await import('./help.ts')
      terminal.out(line.isNamed ? helpText(command, version) : overview(version))
    } else {
      checkOptions(line)
      return await (await loadCommand[command]())(line, terminal, version)
    }
    return exitCodes.success
  } catch (error) {
    if (!(error instanceof PlantMockError || isSystemError(error))) throw error
    terminal.error(`plant-mock: ${printableLines(withoutUserInfos(error.message))}\n`)
    return exitCodeOf(error, command)
  }
}

/** An AddressError exits with `usage` in `vary` and `mutate`, where exit code 1 is a verdict about the tests. */
const exitCodeOf = (error: Error, command: CliCommand | undefined): ExitCode => {
  if (error instanceof UnreachableError) return exitCodes.unreachable
  if (error instanceof StoppedError) return exitCodes.interrupted
  if (error instanceof SharedStoreError) return exitCodes.failure
  return error instanceof AddressError && command !== 'vary' && command !== 'mutate'
    ? exitCodes.failure
    : exitCodes.usage
}

const isSystemError = (error: unknown): error is Error => error instanceof Error && 'syscall' in error
