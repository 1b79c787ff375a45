/** Quotes a word for a POSIX shell; a word without special characters stays unchanged. */
export const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellQuote(word))

const controls = /(?![\u0080-\u009F])\p{Cc}/gu

/**
 * Single quotes suspend all expansion in a POSIX shell, so a single quote itself has to be placed outside of them.
 * Control characters are escaped as bash and zsh read them: pasted, a terminal would act on Ctrl-C or a line break.
 */
export const shellQuote = (text: string): string => {
  const quoted = text.replaceAll("'", `'\\''`)
  if (text.search(controls) === -1) return `'${quoted}'`
  const codeOf = (control: string): string => control.charCodeAt(0).toString(16).padStart(2, '0')
  return `$'${text.replaceAll(/['\\]/g, '\\$&').replaceAll(controls, (control) => `\\x${codeOf(control)}`)}'`
}

/** Quotes a word for `cmd.exe`, and for the usual parsing of arguments on Windows. `cmd.exe` still expands `%NAME%`. */
export const windowsWord = (word: string): string =>
  /^[\w@+=:,./\\-]+$/.test(word) ? word : `"${word.replaceAll(/(\\*)("|$)/g, '$1$1$2').replaceAll('"', '""')}"`
