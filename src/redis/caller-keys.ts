import type { CallerKey } from '../contract/caller.ts'
import type { Caller } from '../contract/schemas.ts'
import type { CallerKeys } from '../mock/commands.ts'
import { createCallerKey } from '../persist/caller-key.ts'

/**
 * The key of a caller is the name of a configured caller, a short token, or the digest of a long one.
 * @param callers Names of callers, with their tokens.
 */
export const callerKeys = (callers: Readonly<Record<string, Caller>> = {}): CallerKeys => {
  const digestOf = createCallerKey()
  const names = new Map(Object.entries(callers).map(([name, token]) => [token, name]))
  const known = new Set(names.values())
  const keyOf = (caller: Caller): CallerKey => (known.has(caller) ? (caller as CallerKey) : digestOf(caller))
  return { keyOf, keyOfToken: (token) => (names.get(token) as CallerKey | undefined) ?? keyOf(token) }
}
