import type { Caller } from '../contract/schemas.ts'

/**
 * The headers that identify a caller: `{ authorization: 'Bearer alice' }`.
 * @example
 * await mock.fetch('/plants', { headers: bearer('alice') })
 */
export const bearer = (caller: Caller): { authorization: string } => ({ authorization: `Bearer ${caller}` })

/** Whether a text may be a pseudonym of a caller. Recorded fixtures have pseudonyms as tokens. */
export const isPseudonym = (text: string): boolean => /^caller-[1-9]\d*$/.test(text)

/** A shorter token is a word such as `alice`, which is no secret and may occur in a plant's name. */
export const minSecretLength = 16
