import { describe, expect, it } from 'vitest'
import type { Assumptions } from '../../../src/core/assumptions/registry.ts'
import { countRequest, noRates, type Rates } from '../../../src/core/model/rates.ts'

const count = (callers: readonly string[], limit: Assumptions['rate.limit'] = 'every-tenth', before = noRates) => {
  let rates: Rates = before
  const isOver = callers.map((caller) => {
    const counted = countRequest(rates, caller, limit)
    rates = counted.rates
    return counted.isOver
  })
  return { rates, over: isOver.flatMap((over, i) => (over ? [i + 1] : [])) }
}
const times = (length: number) => Array<string>(length).fill('alice')
const others = (length: number) => Array.from({ length }, (_, i) => `caller-${i}`)

describe('the rate limit', () => {
  it('is exceeded by every tenth request of a caller, whatever others send', () => {
    expect(count(Array.from({ length: 20 }, () => ['bob', 'alice']).flat()).over).toEqual([19, 20, 39, 40])
  })

  it('counts nothing while there is none', () => {
    expect(count(times(10), 'none')).toEqual({ rates: noRates, over: [] })
  })

  it('counts from zero when a thousand callers have sent requests, and not before', () => {
    const nine = count(times(9)).rates
    expect(count([...others(998), 'alice'], undefined, nine).over).toEqual([999])
    expect(count([...others(999), 'one more', ...times(9)], undefined, nine).over).toEqual([])
  })
})
