import type { ConformanceOptions } from 'plant-mock/conformance'
import { describe, expect, it, vi } from 'vitest'
import { check, idsOf } from '../support/conformance.ts'
import { hanging } from '../support/quirks.ts'
import { type Quirks, quirkyService } from '../support/quirky-service.ts'

const checkService = (behaviour: Quirks, options: Partial<ConformanceOptions> = {}) => {
  const service = quirkyService(behaviour)
  return check(service, { now: service.now, wait: service.wait, ...options })
}

it.each([1, 2, 12, 45])('breaks no rule of a service that never responds from request %i on', async (first) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const onHang = () => queueMicrotask(() => vi.runAllTimers())
    const checked = checkService({ gateway: hanging(first, onHang) })
    if (first === 1) return await expect(checked).rejects.toThrow(/no complete response within 10 s/)
    const report = await checked
    expect(idsOf(report, 'failed')).toEqual([])
    expect(report.incomplete).toBe('the service stopped responding: no complete response within 10 s')
  } finally {
    vi.useRealTimers()
  }
})

describe('after a check', () => {
  it('no timer is left, and nothing listens to the signal', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { signal } = new AbortController()
      const added = vi.spyOn(signal, 'addEventListener')
      const removed = vi.spyOn(signal, 'removeEventListener')
      const report = await checkService({}, { signal })
      expect(vi.getTimerCount()).toBe(0)
      expect(added.mock.calls.length).toBeGreaterThanOrEqual(report.requests)
      expect(removed.mock.calls.length).toBe(added.mock.calls.length)
    } finally {
      vi.useRealTimers()
    }
  })
})
