import { shellWord } from '../util/shell.ts'
import type { CommandLine } from './command.ts'
import type { CliCommand } from './commands.ts'
import { optionRows } from './options.ts'

const flagsOfSeveralRuns = ['thorough', 'only', 'jobs', 'reporter', 'threshold', 'update']

export const suiteCommand = (
  { flags, rest }: Pick<CommandLine, 'flags' | 'rest'>,
  command: CliCommand,
  only?: string,
): string => {
  const kept = [...flags]
    .filter(([name]) => !flagsOfSeveralRuns.includes(name) && optionRows.get(name)?.commands.includes(command))
    .flatMap(([name, texts]) => texts.flatMap((text) => flagWords(name, text)))
  const selected = only === undefined ? [] : ['--only', shellWord(only)]
  return ['npx', 'plant-mock', command, ...kept, ...selected, '--', ...rest.map(shellWord)].join(' ')
}

export const tokenFlags = (flags: CommandLine['flags']): string =>
  [...flags]
    .filter(([name]) => tokenVariables.has(name))
    .flatMap(([name, texts]) => texts.map((text) => ` ${flagWords(name, text).join(' ')}`))
    .join('')

/** Prints shell variables instead of tokens, because a token may be a real secret. */
const tokenVariables = new Map([
  ['token', '"$TOKEN"'],
  ['other-token', '"$OTHER_TOKEN"'],
])

const flagWords = (name: string, text: string): readonly string[] => {
  if (optionRows.get(name)?.value === undefined) return [`--${name}`]
  return [`--${name}`, tokenVariables.get(name) ?? shellWord(text)]
}
