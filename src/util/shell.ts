/** Quotes a word for a POSIX shell; a word without special characters stays as it is. */
export const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellQuote(word))

/** Single quotes suspend all expansion in a POSIX shell, so a single quote itself has to leave them. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
