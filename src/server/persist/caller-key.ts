import { createHash } from 'node:crypto'
import { type CallerKey, minSecretLength } from '../../core/contract/caller.ts'

/** Bounds the cache, because clients can make up any number of tokens. */
const maxCachedDigests = 10_000

const digestPattern = /^sha256\.[\w-]{43}$/

/** Replaces each token that is long enough to be a secret by its SHA-256 digest. A digest stays as it is. */
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
