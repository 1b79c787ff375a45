import { countIn } from '../assumptions/form.ts'
import type { Assumptions } from '../assumptions/registry.ts'
import type { Caller } from '../contract/schemas.ts'

/** Bounds the memory for invented tokens; above it, all counters restart. */
const maxCallers = 1_000

/** Counts the requests of each caller. */
export interface RateLimit {
  /** Counts a request, and returns whether it is over the limit. */
  isExceeded(caller: Caller, limit: Assumptions['rate.limit']): boolean
  /** Whether the next request would be over the limit. */
  peek(caller: Caller, limit: Assumptions['rate.limit']): boolean
  clear(): void
  /** The count of each caller, to restore it elsewhere. */
  dump(): RateDump
  restore(dump: RateDump): void
}

export type RateDump = readonly (readonly [caller: Caller, count: number])[]

export const rateLimit = (): RateLimit => {
  const requests = new Map<Caller, number>()
  const next = (caller: Caller): number => (requests.get(caller) ?? 0) + 1
  const isOver = (count: number, limit: Exclude<Assumptions['rate.limit'], 'none'>): boolean =>
    count % (limit === 'every-tenth' ? 10 : countIn(limit)) === 0
  return {
    isExceeded(caller, limit) {
      if (limit === 'none') return false
      const count = next(caller)
      if (requests.size >= maxCallers) requests.clear()
      requests.set(caller, count)
      return isOver(count, limit)
    },
    peek: (caller, limit) => limit !== 'none' && isOver(next(caller), limit),
    clear: () => requests.clear(),
    dump: () => [...requests],
    restore(dump) {
      for (const [caller, count] of dump) requests.set(caller, count)
    },
  }
}
