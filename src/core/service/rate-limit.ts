import { countIn } from '../assumptions/form.ts'
import type { Assumptions } from '../assumptions/registry.ts'

/** Bounds the memory for invented tokens; above it, all counters restart. */
const maxCallers = 1_000

export type RateLimit = ReturnType<typeof rateLimit>

export const rateLimit = () => {
  const requests = new Map<string, number>()
  const next = (caller: string): number => (requests.get(caller) ?? 0) + 1
  const isOver = (count: number, limit: Exclude<Assumptions['rate.limit'], 'none'>): boolean =>
    count % (limit === 'every-tenth' ? 10 : countIn(limit)) === 0
  return {
    /** Counts a request, and returns whether it is over the limit. */
    isExceeded(caller: string, limit: Assumptions['rate.limit']): boolean {
      if (limit === 'none') return false
      const count = next(caller)
      if (requests.size >= maxCallers) requests.clear()
      requests.set(caller, count)
      return isOver(count, limit)
    },
    /** Whether the next request would be over the limit. */
    peek: (caller: string, limit: Assumptions['rate.limit']): boolean =>
      limit !== 'none' && isOver(next(caller), limit),
    clear: (): void => requests.clear(),
    dump: () => [...requests],
    restore(counts: readonly (readonly [caller: string, count: number])[]): void {
      for (const [caller, count] of counts) requests.set(caller, count)
    },
  }
}
