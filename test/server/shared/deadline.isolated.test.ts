import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

let afterDeadline: (timeout: number, callback: () => void) => () => void
beforeEach(async () => {
  vi.useFakeTimers()
  // The module captures the timers that it finds.
  vi.resetModules()
  ;({ afterDeadline } = await import('../../../src/server/shared/failure.ts'))
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('a deadline', () => {
  it('leaves half a second for replies that arrived while the process could not run', () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
    const onLate = vi.fn()
    afterDeadline(10, onLate)
    clock.mockReturnValue(500)
    vi.advanceTimersByTime(10)
    vi.advanceTimersByTime(499)
    expect(onLate).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(onLate).toHaveBeenCalledTimes(1)
  })

  it('is reached in time otherwise, and not after it was cancelled', () => {
    const [onLate, onCancelled] = [vi.fn(), vi.fn()]
    const cancel = afterDeadline(10, onCancelled)
    afterDeadline(10, onLate)
    cancel()
    vi.advanceTimersByTime(9)
    expect(onLate).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect([onLate.mock.calls.length, onCancelled.mock.calls.length]).toEqual([1, 0])
  })
})
