/** Shortens text to `maxLength` characters, with an ellipsis as the last of them. */
export const shorten = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
