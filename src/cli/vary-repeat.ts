import { shellWord } from '../util/shell.ts'
import type { AlternativeKey } from '../vary/observation.ts'
import type { CommandLine } from './command.ts'

/** Flags that select or report several runs; a repeated run does not need them. */
const flagsOfSeveralRuns = ['each', 'repeat', 'thorough', 'only', 'jobs', 'reporter', 'output']

/** The shell command that tries these alternatives alone. */
export const repeatCommand = ({ flags, rest }: CommandLine, set: readonly AlternativeKey[]): string => {
  const kept = [...flags]
    .filter(([name]) => !flagsOfSeveralRuns.includes(name))
    .flatMap(([name, texts]) => texts.flatMap((text) => flagWords(name, text)))
  const selected = set.flatMap((key) => ['--only', shellWord(key)])
  return ['npx', 'plant-mock', 'vary', ...kept, ...selected, '--', ...rest.map(shellWord)].join(' ')
}

/** A token may be a real one, which must not appear on a screen. */
const flagWords = (name: string, text: string): readonly string[] => {
  if (name === 'no-server' || name === 'all') return [`--${name}`]
  return [`--${name}`, name === 'token' ? '"$TOKEN"' : shellWord(text)]
}
