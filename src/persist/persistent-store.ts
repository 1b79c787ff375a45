import { createHash } from 'node:crypto'
import type { Caller, FixturePlant } from '../contract/schemas.ts'
import { minSecretLength } from '../http/bearer.ts'
import { type MemoryStore, memoryStore } from '../store/memory-store.ts'
import type { PlantFile } from './plant-file.ts'

export type PersistentStore = Omit<MemoryStore, 'find'> & {
  callerKey(caller: Caller): Caller
  /** Replaces all plants in memory with the plants that the log holds; writes nothing. */
  loadFromLog(plants: Iterable<FixturePlant>): void
}

/**
 * Makes a store in memory with a write-ahead log: each change is written first, then made in memory. Both happen
 * synchronously, so no other request runs between them. When the log throws, so does the method, and nothing changes.
 */
export const persistentStore = (log: Pick<PlantFile, 'append' | 'replaceAll'>): PersistentStore => {
  const store = memoryStore()
  const callerKey = createCallerKey()
  // perf: returns the same object when its keys do not change; a file may hold a million plants (`npm run bench`).
  const withCallerKeys = (plant: FixturePlant): FixturePlant => {
    const { access } = plant
    const isUnchanged =
      access === undefined || (access.length < 2 && access.every((caller) => callerKey(caller) === caller))
    return isUnchanged ? plant : { ...plant, access: [...new Set(access.map(callerKey))] }
  }

  return {
    create(caller, plant, onDuplicate) {
      const key = callerKey(caller)
      const { id } = plant
      const existing = id === undefined || onDuplicate === 'accept' ? undefined : store.find(key, id)
      if (existing === undefined) log.append({ ...plant, access: [key] })
      else if (onDuplicate === 'replace')
        log.replaceAll(store.all().map((one) => (one === existing ? { ...plant, access: existing.access } : one)))
      return store.create(key, plant, onDuplicate)
    },

    list: (caller, options) => store.list(callerKey(caller), options),

    knows: (caller) => store.knows(callerKey(caller)),

    seed(plants) {
      const added = Array.from(plants, withCallerKeys)
      const [first] = added
      const existing = store.all()
      // An append of several lines is not atomic: a kill can leave some of them. Nor is the creation of the file.
      if (first !== undefined && added.length === 1 && existing.length > 0) log.append(first)
      else log.replaceAll([...existing, ...added])
      store.seed(added)
    },

    all: store.all,

    replaceAll(plants) {
      const replacements = Array.from(plants, withCallerKeys)
      log.replaceAll(replacements)
      store.replaceAll(replacements)
    },

    snapshot() {
      const saved = store.all()
      const restore = store.snapshot()
      return () => {
        log.replaceAll(saved)
        return restore()
      }
    },

    callerKey,

    loadFromLog: (plants) => store.replaceAll(Array.from(plants, withCallerKeys)),
  }
}

/** Bounds the cache, which any token that a client makes up enters. */
const maxCachedDigests = 10_000

const digestPattern = /^sha256\.[\w-]{43}$/

/**
 * Makes the function from a token to the key that a plant file holds instead of it: the token itself when it is short,
 * such as `alice`; a SHA-256 digest when it is long enough to be a secret. A digest has the form of a bearer token and
 * maps to itself.
 */
const createCallerKey = (): ((caller: Caller) => Caller) => {
  const digests = new Map<Caller, Caller>()
  return (caller) => {
    if (caller.length < minSecretLength || digestPattern.test(caller)) return caller
    const cached = digests.get(caller)
    if (cached !== undefined) return cached
    if (digests.size >= maxCachedDigests) digests.clear()
    const digest = `sha256.${createHash('sha256').update(caller).digest('base64url')}`
    digests.set(caller, digest)
    return digest
  }
}
