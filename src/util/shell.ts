import { unprintable } from './terminal.ts'

export const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellQuote(word))

/** Escapes unprintable characters for bash and zsh, because a terminal would act on a pasted Ctrl-C or line break. */
export const shellQuote = (text: string): string => {
  const quoted = text.replaceAll("'", `'\\''`)
  if (text.search(unprintable) === -1) return `'${quoted}'`
  const bytesOf = (character: string): string =>
    Array.from(new TextEncoder().encode(character), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
  return `$'${text.replaceAll(/['\\]/g, '\\$&').replaceAll(unprintable, bytesOf)}'`
}

/** Quotes a word for `cmd.exe` and for the usual argument parsing of Windows. `cmd.exe` still expands `%NAME%`. */
export const windowsWord = (word: string): string =>
  /^[\w@+=:,./\\-]+$/.test(word) ? word : `"${word.replaceAll(/(\\*)("|$)/g, '$1$1$2').replaceAll('"', '""')}"`
