import { createHash } from 'node:crypto'
import { type CallerKey, minSecretLength } from '../../core/contract/caller.ts'

const maxCachedDigests = 10_000

const digestPattern = /^sha256\.[\w-]{43}$/

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
