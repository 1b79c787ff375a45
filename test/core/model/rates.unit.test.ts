import { describe, expect, it } from 'vitest'
import { rateLimit } from '../../../src/core/service/rate-limit.ts'

describe('the rate limit', () => {
  it('is exceeded by every tenth request of a caller, whatever others send', () => {
    const { isExceeded } = rateLimit()
    const requests = Array.from({ length: 20 }, () => {
      isExceeded('bob', 'every-tenth')
      return isExceeded('alice', 'every-tenth')
    })
    expect(requests.flatMap((exceeded, index) => (exceeded ? [index + 1] : []))).toEqual([10, 20])
  })

  it('counts nothing while there is none', () => {
    const { isExceeded } = rateLimit()
    const count = (limit: 'none' | 'every-tenth') => Array.from({ length: 10 }, () => isExceeded('alice', limit))
    expect(count('none')).not.toContain(true)
    expect(count('every-tenth')).toEqual([...Array(9).fill(false), true])
  })

  it('counts from zero after a clear, and when a thousand callers have sent requests', () => {
    const { isExceeded, clear } = rateLimit()
    const nine = () => {
      for (let count = 0; count < 9; count++) isExceeded('alice', 'every-tenth')
    }
    nine()
    clear()
    expect(isExceeded('alice', 'every-tenth')).toBe(false)
    clear()
    nine()
    for (let caller = 1; caller < 1_000; caller++) isExceeded(`caller ${caller}`, 'every-tenth')
    isExceeded('one more', 'every-tenth')
    expect(isExceeded('alice', 'every-tenth')).toBe(false)
  })

  it('still counts while there are fewer callers', () => {
    const { isExceeded } = rateLimit()
    for (let count = 0; count < 9; count++) isExceeded('alice', 'every-tenth')
    for (let caller = 1; caller < 999; caller++) isExceeded(`caller ${caller}`, 'every-tenth')
    expect(isExceeded('alice', 'every-tenth')).toBe(true)
  })
})
