import { relative } from 'node:path'
import { shellWord } from '../util/shell.ts'
import { type Paint, printable } from '../util/terminal.ts'
import type { Difference } from '../vary/evidence/difference.ts'
import type { CommandLine } from './command.ts'
import type { CliCommand } from './commands.ts'
import { optionRows } from './options.ts'

/** Flags that select or report several runs; a repeated run does not need them. */
const flagsOfSeveralRuns = ['each', 'thorough', 'only', 'jobs', 'reporter', 'threshold']

/**
 * The shell command that runs the same suite again.
 * @param only The alternatives or mutants to try. Default: all.
 */
export const suiteCommand = (
  { flags, rest }: CommandLine,
  command: CliCommand,
  only: readonly string[] = [],
): string => {
  const kept = [...flags]
    .filter(([name]) => !flagsOfSeveralRuns.includes(name) && optionRows.get(name)?.commands.includes(command))
    .flatMap(([name, texts]) => texts.flatMap((text) => flagWords(name, text)))
  const selected = only.flatMap((key) => ['--only', shellWord(key)])
  return ['npx', 'plant-mock', command, ...kept, ...selected, '--', ...rest.map(shellWord)].join(' ')
}

/** A token may be a real one, which must not appear on a screen. */
const flagWords = (name: string, text: string): readonly string[] => {
  if (optionRows.get(name)?.value === undefined) return [`--${name}`]
  return [`--${name}`, name === 'token' ? '"$TOKEN"' : shellWord(text)]
}

/** The path of a file from the working folder, unless it is outside. */
const shortPath = (file: string): string => {
  const path = relative(process.cwd(), file)
  return path === '' || path.startsWith('..') ? file : path
}

/** A test with a short path; one whose name is its file stays so. */
export const withShortPath = <T extends { readonly file: string; readonly name: string }>(test: T): T => {
  const file = shortPath(test.file)
  return { ...test, file, name: test.name === test.file ? file : test.name }
}

/** The lines of an exchange in a report: the request, and the response as it was and as it is. */
export const exchangeText = ({ request, diff }: Difference, paint: Paint): readonly string[] => [
  `    ${printable(request)}`,
  ...diff.map((line) => {
    const text = `      ${printable(line)}`
    return line.startsWith('-') ? paint('red', text) : line.startsWith('+') ? paint('green', text) : text
  }),
]
