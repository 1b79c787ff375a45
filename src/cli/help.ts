import type { RunCliCommand } from './command.ts'
import { allCommands, type CliCommand, commands } from './commands.ts'
import { exitCodeRows, exitCodes } from './exit-codes.ts'
import { flagText, type Option, optionGroups, optionHelp, optionRows, optionsOf, variableOf } from './options.ts'
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
    return { group: option.group, shown: [`${short}${flagText(name, option)}`, optionHelp(option, command)] as const }
  })
  const width = Math.max(...options.map(({ shown: [flag] }) => flag.length))
  const groups = optionGroups.flatMap((group) => {
    const own = options.filter((option) => option.group === group)
    return own.length === 0
      ? []
      : [
          `${group}:`,
          ...columns(
            own.map(({ shown }) => shown),
            width,
          ),
          '',
        ]
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

const shownCode = ({ code, shown = `${code}` }: (typeof exitCodeRows)[number]): string => shown

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The exit codes of a command with their meaning, for its help. */
export const exitCodesOf = (command: CliCommand): readonly (readonly [code: string, meaning: string])[] =>
  exitCodeRows.flatMap((row) => {
    const { [command]: own, all } = row.meaning
    const meanings = [own, all].filter((meaning) => meaning !== undefined)
    return meanings.length === 0 ? [] : [[shownCode(row), capitalised(meanings.join('; '))] as const]
  })

/** Renders all exit codes as a Markdown table for the guide. `npm run generate` writes it between the marks `exit-codes`. */
export const exitCodeTable = (): string => {
  const rows = exitCodeRows.map((row) => {
    const byMeaning = new Map<string, string[]>()
    for (const [command, meaning] of Object.entries(row.meaning))
      byMeaning.set(meaning, [...(byMeaning.get(meaning) ?? []), command])
    const parts = [...byMeaning].map(([meaning, commands]) =>
      commands.includes('all')
        ? `${capitalised(meaning)}.`
        : `${commands.map((command) => `\`${command}\``).join(', ')}: ${meaning}.`,
    )
    return `| ${shownCode(row)} | ${parts.join(' ')} |`
  })
  return ['| code | meaning |', '| --- | --- |', ...rows].join('\n')
}

const isForAll = (option: Option): boolean => option.commands.length === allCommands.length

/**
 * Renders all options as Markdown lists for the guide, below the commands that take them. `npm run generate` writes them
 * between the marks `options`.
 */
export const optionList = (): string => {
  const options = [...optionRows].sort(([, a], [, b]) => groupOrder(a).localeCompare(groupOrder(b)))
  const lines = options.map(([name, option], i) => {
    const short = option.short === undefined ? '' : `\`-${option.short}\`, `
    const line = `- ${short}\`${flagText(name, option)}\`: ${description(option)}\n`
    const before = options[i - 1]?.[1]
    const isFirst = before === undefined || groupOrder(before) !== groupOrder(option)
    return isFirst ? `\n${commandsOf(option)}\n\n${line}` : line
  })
  return `${lines.join('')}\n`
}

const commandsOf = (option: Option): string =>
  isForAll(option) ? '**all**' : `**${option.commands.map((command) => `\`${command}\``).join(', ')}**`

/** By the first command; with it, options of one command come before those of several. */
const groupOrder = (option: Option): string => {
  if (isForAll(option)) return '9'
  const positions = option.commands.map((command) => allCommands.indexOf(command))
  return `${positions[0]}${positions.length}${positions.join('')}`
}

/** With the commands for which the option means something else. */
const description = (option: Option): string => {
  const [first = 'serve'] = option.commands
  const byHelp = new Map<string, string[]>()
  for (const command of Object.keys(option.helpFor ?? {}) as CliCommand[]) {
    const help = optionHelp(option, command)
    byHelp.set(help, [...(byHelp.get(help) ?? []), `\`${command}\``])
  }
  const helpForOthers = [...byHelp].map(([help, others]) => `With ${others.join(', ')}: ${help}`)
  return [optionHelp(option, first), ...helpForOthers].join('. ')
}
