/** The order by UTF-16 code unit, for `sort`. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
