import { allCommands, type CliCommand } from './commands.ts'
import { flagText, type Option, optionHelp, optionRows } from './options.ts'

const isForAll = (option: Option): boolean => option.commands.length === allCommands.length

/**
 * Renders all options as a Markdown table for the guide, below the commands that take them. `npm run generate` writes it
 * between the marks `options`.
 */
export const optionTable = (): string => {
  const options = [...optionRows].sort(([, a], [, b]) => groupOrder(a).localeCompare(groupOrder(b)))
  const rows = options
    .flatMap(([name, option], i) => {
      const row = [
        `${option.short === undefined ? '' : `\`-${option.short}\`, `}\`${flagText(name, option)}\``,
        description(option),
      ]
      const before = options[i - 1]?.[1]
      return before !== undefined && groupOrder(before) === groupOrder(option) ? [row] : [[commandsOf(option), ''], row]
    })
    .map((cells) => cells.map((cell) => cell.replaceAll('|', '\\|')))
  const head = ['option', 'description']
  // Pads the cells as the formatter does.
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((cells) => cells[column]?.length ?? 0)))
  const pad = (cell: string, column: number) => cell.padEnd(widths[column] ?? 0)
  const rule = widths.map((width) => '-'.repeat(width))
  return [head, rule, ...rows].map((cells) => `| ${cells.map(pad).join(' | ')} |\n`).join('')
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
