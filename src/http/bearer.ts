import type { Caller } from '../contract/schemas.ts'

/**
 * The headers that identify a caller: `{ authorization: 'Bearer alice' }`.
 * @example
 * await mock.fetch('/plants', { headers: bearer('alice') })
 */
export const bearer = (caller: Caller): { authorization: string } => ({ authorization: `Bearer ${caller}` })

/** A shorter token is a word such as `alice`, which is no secret and may occur in a plant's name. */
export const minSecretLength = 16
