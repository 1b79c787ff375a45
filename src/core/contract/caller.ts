declare const kind: unique symbol

/** The bearer token of a request: a secret. Functions that write, log, record or show something never take one. */
export type Token = string & { readonly [kind]: 'token' }

/** Names a caller in a file or in the log of a store: a configured name, a short token such as `alice`, or a digest. */
export type CallerKey = string & { readonly [kind]: 'key' }

/** Names a caller for people: a configured name, or a generated name such as `caller-1`. */
export type Pseudonym = string & { readonly [kind]: 'pseudonym' }

/**
 * The headers that identify a caller: `{ authorization: 'Bearer alice' }`.
 * @example
 * await mock.fetch('/plants', { headers: bearer('alice') })
 */
export const bearer = (caller: string): { authorization: string } => ({ authorization: `Bearer ${caller}` })

/** Whether a text can be a pseudonym of a caller. Recorded fixtures contain pseudonyms as tokens. */
export const isPseudonym = (text: string): boolean => /^caller-[1-9]\d*$/.test(text)

/** A shorter token is a word such as `alice`: it is not a secret, and may occur in a plant's name. */
export const minSecretLength = 16
