import { createHash } from 'node:crypto'
import type { Caller } from '../contract/schemas.ts'
import { shortestSecret } from '../journal/redact.ts'

/** So many names of long tokens are remembered; made-up tokens cannot fill the memory. */
const mostNames = 10_000

const digest = /^sha256\.[\w-]{43}$/

/**
 * What a file says in the place of a token: the token itself when it is a word such as `alice`; of longer ones, which
 * may be real, a digest. It is a bearer token in its form, and stays as it is when it is given again.
 */
export const storedNames = (): ((caller: Caller) => Caller) => {
  const names = new Map<Caller, Caller>()
  return (caller) => {
    if (caller.length < shortestSecret || digest.test(caller)) return caller
    const known = names.get(caller)
    if (known !== undefined) return known
    if (names.size >= mostNames) names.clear()
    const name = `sha256.${createHash('sha256').update(caller).digest('base64url')}`
    names.set(caller, name)
    return name
  }
}
