import packageJson from '../../package.json' with { type: 'json' }
import { AddressError, PlantMockError, UnreachableError } from '../util/errors.ts'
import { helpText } from './help.ts'
import type { Command } from './options.ts'
import { type CommandLine, parseCommandLine } from './parse.ts'
import type { Terminal } from './terminal.ts'

/** What a command gets; it answers with an exit code when it is done. */
export type Run = (line: CommandLine, terminal: Terminal, version: string) => Promise<number>

/** Each command is loaded when it is called: serving must not wait for what generating needs. */
const runs: Readonly<Record<Command, () => Promise<Run>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  generate: async () => (await import('./generate.ts')).generate,
  assumptions: async () => (await import('./assumptions.ts')).assumptions,
  vary: async () => (await import('./vary.ts')).vary,
  verify: async () => (await import('./verify.ts')).verify,
  contract: async () => (await import('./contract.ts')).contract,
}

/**
 * Runs the command line. Exit codes: 0 done, 1 the address could not be bound or variations broke the client,
 * a rule was found broken, 2 something given cannot be used, 3 the service to check cannot be reached.
 */
export const run = async (args: readonly string[], terminal: Terminal): Promise<number> => {
  try {
    const line = parseCommandLine(args, terminal.environment)
    const { command, values } = line
    const { version } = packageJson
    if (values.version) terminal.out(`${version}\n`)
    else if (values.help) terminal.out(helpText(command, version))
    else return await (await runs[command]())(line, terminal, version)
    return 0
  } catch (error) {
    if (!(error instanceof PlantMockError || isOfTheSystem(error))) throw error
    terminal.error(`plant-mock: ${error.message}\n`)
    return error instanceof UnreachableError ? 3 : error instanceof AddressError ? 1 : 2
  }
}

/** What the system refuses says enough by itself, such as `ENOENT: no such file or directory, uv_cwd`. */
const isOfTheSystem = (error: unknown): error is Error => error instanceof Error && 'syscall' in error
