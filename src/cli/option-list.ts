import { allCommands, type CliCommand } from './commands.ts'
import { flagText, type Option, optionHelp, optionRows } from './options.ts'

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
  const others = Object.keys(option.helpFor ?? {}) as CliCommand[]
  const helpForOthers = others.map((command) => `With \`${command}\`: ${optionHelp(option, command)}`)
  return [optionHelp(option, first), ...helpForOthers].join('. ')
}
