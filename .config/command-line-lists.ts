import { allCommands, type CliCommand } from '../src/cli/commands.ts'
import { exitCodeRows } from '../src/cli/exit-codes.ts'
import { capitalised, shownCode } from '../src/cli/help.ts'
import { flagText, type Option, optionHelp, optionRows } from '../src/cli/options.ts'

/** Renders all exit codes as a Markdown list for the guide. `npm run generate` writes it between the marks `exit-codes`. */
export const exitCodeList = (): string => {
  const lines = exitCodeRows.map((row) => {
    const byMeaning = new Map<string, string[]>()
    for (const [command, meaning] of Object.entries(row.meaning))
      byMeaning.set(meaning, [...(byMeaning.get(meaning) ?? []), command])
    const parts = [...byMeaning].map(([meaning, commands]) =>
      commands.includes('all')
        ? `${capitalised(meaning)}.`
        : `${commands.map((command) => `\`${command}\``).join(', ')}: ${meaning}.`,
    )
    return `- **${shownCode(row)}**: ${parts.join(' ')}\n`
  })
  return `\n${lines.join('')}\n`
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
  const [first = 'serve'] = option.commands.filter((command) => option.helpFor?.[command] === undefined)
  const byHelp = new Map<string, string[]>()
  for (const command of Object.keys(option.helpFor ?? {}) as CliCommand[]) {
    const help = optionHelp(option, command)
    byHelp.set(help, [...(byHelp.get(help) ?? []), `\`${command}\``])
  }
  const helpForOthers = [...byHelp].map(([help, others]) => `With ${others.join(', ')}: ${help}`)
  return [optionHelp(option, first), ...helpForOthers].join('. ')
}
