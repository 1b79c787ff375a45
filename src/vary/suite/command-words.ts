/** How the words after a runner are read. Options in the form `--name=value` need no entry. */
export type OptionTable = {
  /** Options without a value. */
  readonly flags: readonly string[]
  /** Options whose value is the next word. */
  readonly withValue: readonly string[]
  /** Options whose values are all words up to the next option. */
  readonly variadic?: readonly string[]
  /** Options that select files in another way. */
  readonly selecting?: readonly string[]
}

export type ParsedWords = { readonly options: readonly string[]; readonly files: readonly string[] }

/**
 * Separates options from file arguments.
 * @returns `undefined` when a word may be either the value of an unknown option or a file, or when an option selects
 * files itself.
 */
export const parseWords = (words: readonly string[], table: OptionTable): ParsedWords | undefined => {
  const options: string[] = []
  const files: string[] = []
  const queue = [...words]
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    const [name = ''] = word.split('=', 1)
    if (word === '--' || table.selecting?.includes(name)) return undefined
    if (!word.startsWith('-')) files.push(word)
    else {
      options.push(word)
      const kind = kindOf(word, table)
      const next = queue[0]
      if (table.variadic?.includes(word)) {
        const end = queue.findIndex((value) => value.startsWith('-'))
        options.push(...queue.splice(0, end === -1 ? queue.length : end))
      } else if (kind === 'unknown' && next !== undefined && !next.startsWith('-')) return undefined
      else if (kind === 'with value' && next !== undefined) {
        options.push(next)
        queue.shift()
      }
    }
  }
  return { options, files }
}

const kindOf = (word: string, { flags, withValue }: OptionTable): 'flag' | 'with value' | 'unknown' => {
  if (word.includes('=') || flags.includes(word)) return 'flag'
  return withValue.includes(word) ? 'with value' : 'unknown'
}
