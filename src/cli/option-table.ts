import { type Command, commands, flagText, type Option, optionHelp, optionRows } from './options.ts'

const allCommands = Object.keys(commands) as Command[]

/**
 * Renders all options as a Markdown table for README.md, grouped by the commands that take them. `npm run generate`
 * writes it between the marks `options`.
 */
export const optionTable = (): string => {
  const rows = [...optionRows]
    .sort(([, a], [, b]) => groupOrder(a).localeCompare(groupOrder(b)))
    .map(([name, option]) => [groupOf(option), flags(name, option), description(option)])
  return renderTable([['commands', 'option', 'description'], ...rows])
}

/** By the first command; with it, options of one command come before those of several. */
const groupOrder = (option: Option): string => {
  if (isForAll(option)) return '9'
  const positions = option.commands.map((command) => allCommands.indexOf(command))
  return `${positions[0]}${positions.length}${positions.join('')}`
}

const isForAll = (option: Option): boolean => option.commands.length === allCommands.length

const groupOf = (option: Option): string =>
  isForAll(option) ? 'all' : option.commands.map((command) => `\`${command}\``).join(', ')

const flags = (name: string, option: Option): string =>
  `${option.short === undefined ? '' : `\`-${option.short}\`, `}\`${flagText(name, option)}\``

/** With the commands for which the option means something else. */
const description = (option: Option): string => {
  const [first = 'serve'] = option.commands
  const others = Object.keys(option.helpFor ?? {}) as Command[]
  return [
    optionHelp(option, first),
    ...others.map((command) => `With \`${command}\`: ${optionHelp(option, command)}`),
  ].join('. ')
}

/** Pads the cells as the formatter does; the first row is the head. */
const renderTable = (rows: readonly (readonly string[])[]): string => {
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const [head = [], ...body] = escaped
  const widths = head.map((_, column) => Math.max(...escaped.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`
  return [head, widths.map((width) => '-'.repeat(width)), ...body].map(line).join('')
}
