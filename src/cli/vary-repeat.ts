import type { Variation } from '../assumptions/variations.ts'
import { shellWord } from '../util/shell.ts'
import type { CommandLine } from './parse.ts'

/** Flags that select or report several runs; a repeated run does not need them. */
const omitted = ['pairs', 'thorough', 'only', 'jobs', 'reporter', 'output']

/**
 * The shell command that repeats one variation. A variation of one assumption is selected with `--only`; with
 * `--pairs`, its values are set with `--assume`, so that the baseline run fails.
 */
export const repeatCommand = ({ flags, rest }: CommandLine, { assume }: Variation, pairs: boolean): string => {
  const kept = [...flags].flatMap(([name, values]) =>
    omitted.includes(name) ? [] : values.flatMap((value) => flagWords(name, value)),
  )
  const selected = Object.entries(assume).flatMap(([id, value]) => [
    pairs ? '--assume' : '--only',
    shellWord(`${id}=${value}`),
  ])
  return ['npx', 'plant-mock', 'vary', ...kept, ...selected, '--', ...rest.map(shellWord)].join(' ')
}

/** A token may be a real one, which must not appear on a screen. */
const flagWords = (name: string, value: string): readonly string[] => {
  if (name === 'no-server') return ['--no-server']
  return [`--${name}`, name === 'token' ? '"$TOKEN"' : shellWord(value)]
}
