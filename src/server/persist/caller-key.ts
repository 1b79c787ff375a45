import { createHash } from 'node:crypto'
import { type CallerKey, minSecretLength } from '../../core/contract/caller.ts'

/** Clients can make up any number of tokens, so the cache needs a bound. */
const maxCachedDigests = 10_000

const digestPattern = /^sha256\.[\w-]{43}$/

/** A token long enough to be a secret becomes a SHA-256 digest; a digest maps to itself. */
export const createCallerKey = (): ((caller: string) => CallerKey) => {
  const digests = new Map<string, CallerKey>()
  return (caller) => {
    if (caller.length < minSecretLength || digestPattern.test(caller)) return caller as CallerKey
    const cached = digests.get(caller)
    if (cached !== undefined) return cached
    if (digests.size >= maxCachedDigests) digests.clear()
    const digest = `sha256.${createHash('sha256').update(caller).digest('base64url')}` as CallerKey
    digests.set(caller, digest)
    return digest
  }
}
