import type { Caller } from '../contract/schemas.ts'

/** Callers beyond this many, or whose tokens have more characters together, share one name: they cannot fill the memory. */
const mostNames = 10_000
const mostCharacters = 4 * 1024 * 1024

/** True for what is shaped like a pseudonym: fixtures that were recorded have these as tokens. */
const isPseudonym = (text: string): boolean => /^caller-[1-9]\d*$/.test(text)

/** What logs, journal and pages show in the place of tokens. */
export interface Pseudonyms {
  /** The name of a caller, given now when it has none yet. */
  of(caller: Caller): string
  /** The name that a caller has already. */
  find(caller: Caller): string | undefined
}

/**
 * Gives callers names in the order in which they turn up: `caller-1`, `caller-2`, and so on. A token that is itself
 * such a name keeps it, unless it is given already. Callers with a name of their own (`known`, by token) have that.
 * A token and what the store calls it (`stored`) are one caller.
 */
export const pseudonyms = (
  known: ReadonlyMap<Caller, string>,
  stored: (caller: Caller) => Caller = (caller) => caller,
): Pseudonyms => {
  const names = new Map<Caller, string>()
  for (const [token, name] of known) names.set(stored(token), name).set(stored(name), name)
  const given = new Set(names.values())
  let count = 0
  let left = mostCharacters

  const nextName = (): string => {
    do count++
    while (given.has(`caller-${count}`))
    return `caller-${count}`
  }

  return {
    of(token) {
      const caller = stored(token)
      const name = names.get(caller)
      if (name !== undefined) return name
      if (names.size >= mostNames || caller.length > left) return 'caller-other'
      left -= caller.length
      const fresh = isPseudonym(caller) && !given.has(caller) ? caller : nextName()
      names.set(caller, fresh)
      given.add(fresh)
      return fresh
    },
    find: (caller) => names.get(stored(caller)),
  }
}
