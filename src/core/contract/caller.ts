declare const kind: unique symbol

/** A bearer token is a secret: functions that write, log or show text never accept a `Token`. */
export type Token = string & { readonly [kind]: 'token' }

/** Names a caller in files and logs: a configured name, a short token, or the digest of a long token. */
export type CallerKey = string & { readonly [kind]: 'key' }

/** Names a caller for people: a configured name, or a generated name such as `caller-1`. */
export type Pseudonym = string & { readonly [kind]: 'pseudonym' }

/**
 * Returns the headers that identify a caller: `{ authorization: 'Bearer alice' }`.
 * @example
 * await mock.fetch('/plants', { headers: bearer('alice') })
 */
export const bearer = (caller: string): { authorization: string } => ({ authorization: `Bearer ${caller}` })

export const isPseudonym = (text: string): boolean => /^caller-[1-9]\d*$/.test(text)

/** Shorter tokens are not redacted, because a word such as `alice` may also occur in the name of a plant. */
export const minSecretLength = 16
