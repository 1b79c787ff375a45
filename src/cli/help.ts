import { lineWidth, wrap } from '../util/terminal.ts'
import type { RunCliCommand } from './command.ts'
import { type CliCommand, commands } from './commands.ts'
import { exitCodeRows, exitCodes } from './exit-codes.ts'
import { flagText, optionHelp, optionsOf, variableOf } from './options.ts'
import { commandNamed } from './parse.ts'

export const help: RunCliCommand = async ({ operands: [word] }, { out }, version) => {
  out(word === undefined ? overview(version) : helpText(commandNamed(word), version))
  return exitCodes.success
}

const title = (version: string): string => `plant-mock ${version}: a contract mock of the plant store service`

const common = ['port', 'fixtures', 'watch', 'latency', 'assume', 'assumptions', 'handlers', 'upstream']
const commonOptions = optionsOf('serve').flatMap(([name, option]) =>
  common.includes(name) ? [flagText(name, option)] : [],
)

export const overview = (version: string): string =>
  [
    title(version),
    '',
    'Usage:',
    '  plant-mock COMMAND [options]',
    `  ${commands.serve.usage}`,
    '',
    'Commands:',
    ...columns(Object.entries(commands).map(([name, { help }]) => [name, help])),
    '',
    'Common options:',
    ...wrap(commonOptions.join(', '), lineWidth - 2).map((line) => `  ${line}`),
    '',
    'Examples:',
    ...(['serve', 'vary'] as const).flatMap((name) => `  ${commands[name].examples[0]}`),
    '',
    '"plant-mock help serve" shows the options, exit codes and examples of serve.',
    '',
  ].join('\n')

export const helpText = (command: CliCommand, version: string): string => {
  const { help, usage, examples } = commands[command]
  const options = optionsOf(command).map(([name, option]) => {
    const short = option.short === undefined ? '    ' : `-${option.short}, `
    return [`${short}${flagText(name, option)}`, optionHelp(option, command), option.heading] as const
  })
  const width = Math.max(...options.map(([flag]) => flag.length))
  const groups = [...new Set(options.map(([, , heading]) => heading))].flatMap((heading) => {
    const rows = options.filter(([, , own]) => own === heading)
    return [`${heading}:`, ...columns(rows, width), '']
  })
  return [
    title(version),
    '',
    'Usage:',
    `  ${usage}`,
    '',
    ...wrap(help, lineWidth),
    '',
    ...groups,
    ...wrap(
      `Each option can be set by an environment variable, such as ${variableOf('port')} for --port. Flags take precedence.`,
      lineWidth,
    ),
    '',
    'Exit codes:',
    ...columns(exitCodesOf(command)),
    '',
    'Examples:',
    ...examples.map((example) => `  ${example}`),
    '',
  ].join('\n')
}

const columns = (
  pairs: readonly (readonly [string, string, ...unknown[]])[],
  width = Math.max(...pairs.map(([left]) => left.length)),
): readonly string[] =>
  pairs.flatMap(([left, right]) =>
    wrap(right, lineWidth - 4 - width).map((line, i) => `  ${(i === 0 ? left : '').padEnd(width)}  ${line}`),
  )

export const shownCode = ({ code, shown = `${code}` }: (typeof exitCodeRows)[number]): string => shown

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export const exitCodesOf = (command: CliCommand): readonly (readonly [code: string, meaning: string])[] =>
  exitCodeRows.flatMap((row) => {
    const { [command]: own, all } = row.meaning
    const meanings = [own, all].filter((meaning) => meaning !== undefined)
    return meanings.length === 0 ? [] : [[shownCode(row), capitalised(meanings.join('; '))] as const]
  })
