/** Escapes text for use in a regular expression. */
export const escapeRegExp = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
