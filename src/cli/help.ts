import type { RunCliCommand } from './command.ts'
import { type CliCommand, commands } from './commands.ts'
import { exitCodesOf } from './exit-code-table.ts'
import { exitCodes } from './exit-codes.ts'
import { flagText, optionHelp, optionsOf, variableOf } from './options.ts'
import { commandNamed } from './unknown-words.ts'

/** `plant-mock help COMMAND`: the same as `plant-mock COMMAND --help`. */
export const help: RunCliCommand = async ({ operands: [word] }, { out }, version) => {
  out(helpText(word === undefined ? 'serve' : commandNamed(word), version))
  return exitCodes.success
}

/** The help text of one command; that of `serve` lists the commands too. */
export const helpText = (command: CliCommand, version: string): string => {
  const { help, usage, examples } = commands[command]
  const isDefault = command === 'serve'
  const commandHelp = Object.entries(commands).map(([name, { help }]) => [name, help] as const)
  const options = optionsOf(command).map(([name, option]) => {
    const short = option.short === undefined ? '    ' : `-${option.short}, `
    return [`${short}${flagText(name, option)}`, optionHelp(option, command)] as const
  })
  return [
    `plant-mock ${version}: a contract mock of the plant store service`,
    '',
    'Usage:',
    ...(isDefault ? ['  plant-mock COMMAND [options]'] : []),
    `  ${usage}`,
    '',
    ...(isDefault ? ['Commands:', ...columns(commandHelp)] : [help]),
    '',
    'Options:',
    ...columns(options),
    '',
    `Each option can be set by an environment variable, such as ${variableOf('port')} for --port.`,
    'Flags take precedence.',
    '',
    'Exit codes:',
    ...columns(exitCodesOf(command)),
    ...(isDefault ? ['', '"plant-mock help COMMAND" shows options, exit codes and examples of a command.'] : []),
    ...(examples === undefined ? [] : ['', 'Examples:', ...examples.map((example) => `  ${example}`)]),
    '',
  ].join('\n')
}

/** Two columns in 100 characters; a long description continues below itself. */
const columns = (pairs: readonly (readonly [string, string])[]): readonly string[] => {
  const width = Math.max(...pairs.map(([left]) => left.length)) + 2
  return pairs.flatMap(([left, right]) =>
    wrap(right, 96 - width).map((line, i) => `  ${(i === 0 ? left : '').padEnd(width)}${line}`),
  )
}

/** Splits text into lines of at most `width` characters; no word may be longer. */
const wrap = (text: string, width: number): readonly string[] =>
  text.match(new RegExp(`\\S.{0,${width - 1}}(?= |$)`, 'g')) ?? []
