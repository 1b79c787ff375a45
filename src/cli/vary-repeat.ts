import type { Variation } from '../assumptions/variations.ts'
import type { CommandLine } from './parse.ts'

/** Flags that choose which runs there are, or how they are reported: a single run has no use for them. */
const leftOut = ['pairs', 'thorough', 'only', 'jobs', 'reporter', 'output']

/**
 * The command that repeats just one run. A single point is repeated with `--only`; of several at once, each
 * becomes part of what is assumed, so that the command fails as it is.
 */
export const repeatCommand = (
  { flags, rest }: CommandLine,
  { assume }: Variation,
  pairs: boolean,
): string => {
  const kept = [...flags].flatMap(([name, values]) =>
    leftOut.includes(name) ? [] : values.flatMap((value) => flag(name, value)),
  )
  const points = Object.entries(assume).flatMap(([id, value]) => [
    pairs ? '--assume' : '--only',
    `${id}=${value}`,
  ])
  return ['npx', 'plant-mock', 'vary', ...kept, ...points.map(quote), '--', ...rest.map(quote)].join(' ')
}

/** Tokens may be real ones, and are not for a screen. */
const flag = (name: string, value: string): readonly string[] => {
  if (name === 'no-server') return ['--no-server']
  return [`--${name}`, name === 'token' ? '"$TOKEN"' : quote(value)]
}

const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
