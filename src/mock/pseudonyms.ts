import type { Caller } from '../contract/schemas.ts'

/** Callers beyond this many share one name, so that made-up tokens cannot fill the memory. */
const mostNames = 10_000

/** Gives callers names in the order in which they turn up: `caller-1`, `caller-2`, and so on. */
export const pseudonyms = (): ((caller: Caller) => string) => {
  const names = new Map<Caller, string>()
  return (caller) => {
    const known = names.get(caller)
    if (known !== undefined) return known
    if (names.size >= mostNames) return 'caller-other'
    const name = `caller-${names.size + 1}`
    names.set(caller, name)
    return name
  }
}
