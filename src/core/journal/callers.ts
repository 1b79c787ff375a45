import { PlantMockError } from '../../util/errors.ts'
import { type CallerKey, isPseudonym, type Pseudonym, type Token } from '../contract/caller.ts'
import { isBearerToken } from '../contract/schemas.ts'
import { type Secrets, secretSet } from '../http/redact.ts'

const maxPseudonyms = 10_000
const maxTokenCharacters = 4 * 1024 * 1024
export const sharedPseudonym = 'caller-other' as Pseudonym

export type CallerRegistry = ReturnType<typeof callerRegistry>

type CallerOptions = {
  readonly callers?: Readonly<Record<string, string>>
  readonly keyOf?: (caller: string) => string
  /** Additional tokens to redact, for example if `keyOf` replaces tokens by digests. */
  readonly tokens?: Secrets | undefined
}

/** Assigns the pseudonyms that logs, journal and pages show instead of tokens: `caller-1`, `caller-2` and so on. */
export const callerRegistry = ({ callers = {}, keyOf = (caller) => caller, tokens }: CallerOptions = {}) => {
  const nameOf = namesByToken(callers)
  const pseudonyms = new Map<string, Pseudonym>()
  for (const [token, name] of nameOf) pseudonyms.set(keyOf(token), name).set(keyOf(name), name)
  const configuredPseudonyms = pseudonyms.size
  const assigned = new Map<string, string>([...pseudonyms].map(([key, pseudonym]) => [pseudonym, key]))
  const secrets = secretSet()
  for (const token of nameOf.keys()) secrets.add(token)
  let count = 0
  let availableCharacters = maxTokenCharacters

  const nextPseudonym = (): Pseudonym => {
    do count++
    while (assigned.has(`caller-${count}`))
    return `caller-${count}` as Pseudonym
  }

  const assign = (key: string, pseudonym: Pseudonym): void => {
    availableCharacters -= key.length
    pseudonyms.set(key, pseudonym)
    assigned.set(pseudonym, key)
    secrets.add(key)
  }

  const dump = () => ({ pseudonyms: [...pseudonyms].slice(configuredPseudonyms), count })

  return {
    callerOf: (token: Token): Token | CallerKey => (nameOf.get(token) as CallerKey | undefined) ?? token,
    keyOf,
    configured: [...nameOf.values()] as readonly string[],
    secrets: (tokens === undefined ? [secrets] : [secrets, tokens]) as readonly Secrets[],
    learn: secrets.add,
    pseudonymOf(caller: string): Pseudonym {
      const key = keyOf(caller)
      const known = pseudonyms.get(key)
      if (known !== undefined) return known
      if (pseudonyms.size >= maxPseudonyms || key.length > availableCharacters) return sharedPseudonym
      const pseudonym = isPseudonym(key) && !assigned.has(key) ? (key as Pseudonym) : nextPseudonym()
      assign(key, pseudonym)
      return pseudonym
    },
    findPseudonym: (caller: string): Pseudonym | undefined => pseudonyms.get(keyOf(caller)),
    /** `undefined` for an unknown pseudonym, and for the pseudonym that many callers share. */
    keyOfPseudonym: (pseudonym: string): string | undefined => assigned.get(pseudonym),
    tokenOfPseudonym: (pseudonym: string): string | undefined =>
      [...nameOf].find(([, name]) => name === pseudonym)?.[0] ?? assigned.get(pseudonym),
    get size(): number {
      return pseudonyms.size
    },
    dump,
    restore(saved: ReturnType<typeof dump>): void {
      for (const [key, pseudonym] of saved.pseudonyms) assign(key, pseudonym)
      count = saved.count
    },
  }
}

/** Errors quote the name of a caller, never its token. */
const namesByToken = (callers: Readonly<Record<string, string>>): ReadonlyMap<string, Pseudonym> => {
  const names = new Map<string, Pseudonym>()
  for (const [name, token] of Object.entries(callers)) {
    for (const [part, text] of Object.entries({ name, token }))
      if (typeof text !== 'string' || !isBearerToken(text))
        throw new PlantMockError(
          `The ${part} of the caller ${JSON.stringify(name)} is not a bearer token: letters, digits and -._~+/ only, then any number of =.`,
        )
    const other = names.get(token)
    if (other !== undefined)
      throw new PlantMockError(`The callers ${JSON.stringify(other)} and ${JSON.stringify(name)} have the same token.`)
    names.set(token, name as Pseudonym)
  }
  return names
}
