export type Tokens = { readonly caller: string; readonly other?: string | undefined }

/** Tokens of one or two characters occur in any text; replacing them would make it unreadable. */
const minTokenLength = 3

/**
 * Replaces tokens by `$TOKEN` and `$OTHER_TOKEN`, because services repeat what they receive.
 * @returns A function that replaces each token in its plain, percent-encoded and JSON-escaped form.
 */
export const tokenRedactor = ({ caller, other = '' }: Tokens): ((text: string) => string) => {
  const variables = [
    [caller, '$TOKEN'],
    [other, '$OTHER_TOKEN'],
  ] as const
  const replacements = variables
    .filter(([token]) => token.length >= minTokenLength)
    .flatMap(([token, variable]) =>
      [token, encodeURIComponent(token), token.replaceAll('/', '\\/')].map((form) => [form, variable] as const),
    )
    // Longest first, because one token may begin with the other.
    .sort(([a], [b]) => b.length - a.length)
  return (text) => replacements.reduce((redacted, [form, variable]) => redacted.replaceAll(form, () => variable), text)
}
