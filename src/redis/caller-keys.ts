import type { Caller } from '../contract/schemas.ts'
import { createCallerKey } from '../persist/caller-key.ts'

/** How the store names callers. */
export type CallerKeys = {
  /** The name of a configured caller, a short token, or the digest of a long one. */
  readonly keyOf: (caller: Caller) => Caller
  /** The same for the token of a request: that of a configured caller is its name. */
  readonly keyOfToken: (token: Caller) => Caller
}

/** @param callers Names of callers, with their tokens. */
export const callerKeys = (callers: Readonly<Record<string, Caller>> = {}): CallerKeys => {
  const digestOf = createCallerKey()
  const names = new Map(Object.entries(callers).map(([name, token]) => [token, name]))
  const known = new Set(names.values())
  const keyOf = (caller: Caller): Caller => (known.has(caller) ? caller : digestOf(caller))
  return { keyOf, keyOfToken: (token) => names.get(token) ?? keyOf(token) }
}
