import { optionRows } from './options.ts'

/** An option with its value, which may be missing, or another word. */
export type Token =
  | { readonly kind: 'option'; readonly name: string; readonly rawName: string; readonly value: string | undefined }
  | { readonly kind: 'word'; readonly value: string; readonly index: number }

/**
 * Splits arguments by the conventions of POSIX and GNU: `-p 1`, `-p1`, `-hp 1`, `--port 1`, `--port=1`. An option that
 * needs a value takes the next argument, whatever that is.
 * perf: `parseArgs` gives the same result, but loading node:util and calling it costs 1% of a cold start (`npm run bench`).
 */
export const tokenize = (args: readonly string[]): readonly Token[] => {
  const tokens: Token[] = []
  const rest = args.entries()
  let isEnded = false
  for (const [index, arg] of rest)
    for (const part of isEnded ? [arg] : ungrouped(arg)) {
      if (isEnded || part === '-' || !part.startsWith('-')) tokens.push({ kind: 'word', value: part, index })
      else if (part === '--') isEnded = true
      else {
        const option = optionIn(part)
        const takesNext = option.value === undefined && needsValue(option.name)
        tokens.push(takesNext ? { ...option, value: rest.next().value?.[1] } : option)
      }
    }
  return tokens
}

const needsValue = (name: string): boolean => optionRows.get(name)?.needsValue === true

const longName = (letter: string): string => [...optionRows].find(([, { short }]) => short === letter)?.[0] ?? letter

/** `-hv` as `-h` and `-v`. The first option that needs a value takes the letters after it: `-hp1` as `-h` and `-p1`. */
const ungrouped = (arg: string): readonly string[] => {
  if (!/^-[^-]./s.test(arg)) return [arg]
  const letters = arg.slice(1).split('')
  const withValue = letters.findIndex((letter) => needsValue(longName(letter)))
  if (withValue === -1) return letters.map((letter) => `-${letter}`)
  const last = letters.slice(withValue).join('')
  return [...letters.slice(0, withValue), last].map((text) => `-${text}`)
}

const optionIn = (part: string): Extract<Token, { readonly kind: 'option' }> => {
  if (!part.startsWith('--'))
    return {
      kind: 'option',
      name: longName(part.charAt(1)),
      rawName: part.slice(0, 2),
      value: part.slice(2) || undefined,
    }
  const end = part.indexOf('=', 3)
  const rawName = end === -1 ? part : part.slice(0, end)
  return { kind: 'option', name: rawName.slice(2), rawName, value: end === -1 ? undefined : part.slice(end + 1) }
}
