import type { RunCliCommand } from './command.ts'
import { type CliCommand, commands } from './commands.ts'
import { exitCodeRows, exitCodes } from './exit-codes.ts'
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
  const options = optionsOf(command).map(([name, option]) => {
    const short = option.short === undefined ? '    ' : `-${option.short}, `
    return { group: option.group, shown: [`${short}${flagText(name, option)}`, optionHelp(option, command)] as const }
  })
  const width = Math.max(...options.map(({ shown: [flag] }) => flag.length))
  const groups = [...new Set(options.map(({ group }) => group))].flatMap((group) => {
    const own = options.filter((option) => option.group === group).map(({ shown }) => shown)
    return [`${group}:`, ...columns(own, width), '']
  })
  return [
    `plant-mock ${version}: a contract mock of the plant store service`,
    '',
    'Usage:',
    ...(isDefault ? ['  plant-mock COMMAND [options]'] : []),
    `  ${usage}`,
    '',
    ...(isDefault
      ? ['Commands:', ...columns(Object.entries(commands).map(([name, { help }]) => [name, help]))]
      : [help]),
    '',
    ...groups,
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
const columns = (
  pairs: readonly (readonly [string, string])[],
  width = Math.max(...pairs.map(([left]) => left.length)),
): readonly string[] =>
  pairs.flatMap(([left, right]) =>
    wrap(right, 94 - width).map((line, i) => `  ${(i === 0 ? left : '').padEnd(width)}  ${line}`),
  )

/** Splits text into lines of at most `width` characters; no word may be longer. */
const wrap = (text: string, width: number): readonly string[] =>
  text.match(new RegExp(`\\S.{0,${width - 1}}(?= |$)`, 'g')) ?? []

/** A code as lists show it: `128 + N` for those of signals. */
export const shownCode = ({ code, shown = `${code}` }: (typeof exitCodeRows)[number]): string => shown

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The exit codes of a command with their meaning, for its help. */
export const exitCodesOf = (command: CliCommand): readonly (readonly [code: string, meaning: string])[] =>
  exitCodeRows.flatMap((row) => {
    const { [command]: own, all } = row.meaning
    const meanings = [own, all].filter((meaning) => meaning !== undefined)
    return meanings.length === 0 ? [] : [[shownCode(row), capitalised(meanings.join('; '))] as const]
  })
