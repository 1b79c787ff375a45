import type { Caller } from '../contract/schemas.ts'

/** Callers beyond this many share one name, so that made-up tokens cannot fill the memory. */
const mostNames = 10_000

/** True for what is shaped like a pseudonym: fixtures that were recorded have these as tokens. */
const isPseudonym = (text: string): boolean => /^caller-[1-9]\d*$/.test(text)

/**
 * Gives callers names in the order in which they turn up: `caller-1`, `caller-2`, and so on. A token that is itself
 * such a name keeps it, unless it is given already.
 */
export const pseudonyms = (): ((caller: Caller) => string) => {
  const names = new Map<Caller, string>()
  const given = new Set<string>()
  let count = 0

  const nextName = (): string => {
    do count++
    while (given.has(`caller-${count}`))
    return `caller-${count}`
  }

  return (caller) => {
    const known = names.get(caller)
    if (known !== undefined) return known
    if (names.size >= mostNames) return 'caller-other'
    const name = isPseudonym(caller) && !given.has(caller) ? caller : nextName()
    names.set(caller, name)
    given.add(name)
    return name
  }
}
