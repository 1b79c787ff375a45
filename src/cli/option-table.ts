import { type Command, commands, flagText, type Option, optionHelp, optionRows } from './options.ts'

/**
 * Renders all options as a Markdown table for README.md, grouped by the commands that take them. `npm run generate`
 * writes it between the marks `options`.
 */
export const optionTable = (): string => {
  const groups = new Map<string, string[]>()
  for (const [name, option] of optionRows) {
    const group = groupOf(option)
    groups.set(group, [...(groups.get(group) ?? []), row(group, name, option)])
  }
  return [
    '| commands | option | description |',
    '| --- | --- | --- |',
    ...[...groups.values()].flat(),
    '',
  ].join('\n')
}

const groupOf = ({ commands: taking }: Option): string =>
  taking.length === Object.keys(commands).length
    ? 'all'
    : taking.map((command) => `\`${command}\``).join(', ')

const row = (group: string, name: string, option: Option): string => {
  const short = option.short === undefined ? '' : `\`-${option.short}\`, `
  return `| ${group} | ${short}\`${escapePipes(flagText(name, option))}\` | ${escapePipes(description(option))} |`
}

/** With the commands for which the option means something else. */
const description = (option: Option): string => {
  const [first = 'serve'] = option.commands
  const others = Object.keys(option.helpFor ?? {}) as Command[]
  return [
    optionHelp(option, first),
    ...others.map((command) => `With \`${command}\`: ${optionHelp(option, command)}`),
  ].join('. ')
}

const escapePipes = (text: string): string => text.replaceAll('|', '\\|')
