import { countIn } from '../assumptions/form.ts'
import type { Assumptions } from '../assumptions/registry.ts'

export type Rates = ReadonlyMap<string, number>

/** Limits memory, because clients can send any number of tokens. All counters restart if the map is full. */
const maxCallers = 1_000

export const noRates: Rates = new Map()

export const countRequest = (
  rates: Rates,
  caller: string,
  limit: Assumptions['rate.limit'],
): { readonly rates: Rates; readonly isOver: boolean } => {
  if (limit === 'none') return { rates, isOver: false }
  const count = (rates.get(caller) ?? 0) + 1
  return {
    rates: new Map(rates.size >= maxCallers ? [] : rates).set(caller, count),
    isOver: count % (limit === 'every-tenth' ? 10 : countIn(limit)) === 0,
  }
}
