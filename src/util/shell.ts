/** Quotes a word for a POSIX shell; a word without special characters stays unchanged. */
export const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellQuote(word))

/** Single quotes suspend all expansion in a POSIX shell, so a single quote itself has to be placed outside of them. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Quotes a word for `cmd.exe`, and for the usual parsing of arguments on Windows. `cmd.exe` still expands `%NAME%`. */
export const windowsWord = (word: string): string =>
  /^[\w@+=:,./\\-]+$/.test(word) ? word : `"${word.replaceAll(/(\\*)("|$)/g, '$1$1$2').replaceAll('"', '""')}"`
