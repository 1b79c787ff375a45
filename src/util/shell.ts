import { unprintable } from './terminal.ts'

/** Quotes a word for a POSIX shell; a word without special characters stays unchanged. */
export const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellQuote(word))

/**
 * Single quotes suspend all expansion in a POSIX shell, so a single quote itself has to be placed outside of them.
 * Unprintable characters are escaped as bash and zsh read them, as bytes of UTF-8: pasted, a terminal would act on
 * Ctrl-C or a line break.
 */
export const shellQuote = (text: string): string => {
  const quoted = text.replaceAll("'", `'\\''`)
  if (text.search(unprintable) === -1) return `'${quoted}'`
  const bytesOf = (character: string): string =>
    Array.from(new TextEncoder().encode(character), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
  return `$'${text.replaceAll(/['\\]/g, '\\$&').replaceAll(unprintable, bytesOf)}'`
}

/** Quotes a word for `cmd.exe`, and for the usual parsing of arguments on Windows. `cmd.exe` still expands `%NAME%`. */
export const windowsWord = (word: string): string =>
  /^[\w@+=:,./\\-]+$/.test(word) ? word : `"${word.replaceAll(/(\\*)("|$)/g, '$1$1$2').replaceAll('"', '""')}"`
