import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

let withDeadline: <T>(pending: Promise<T>, timeout: number) => Promise<T>
beforeEach(async () => {
  vi.useFakeTimers()
  vi.resetModules()
  ;({ withDeadline } = await import('../../../src/server/replication/failure.ts'))
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('a deadline', () => {
  const never = new Promise<string>(() => undefined)

  it('leaves half a second for replies that arrived while the process could not run', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
    const onLate = vi.fn()
    withDeadline(never, 10).catch(onLate)
    clock.mockReturnValue(500)
    await vi.advanceTimersByTimeAsync(10)
    await vi.advanceTimersByTimeAsync(499)
    expect(onLate).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(onLate).toHaveBeenCalledTimes(1)
  })

  it('is reached in time otherwise, and not after the reply', async () => {
    const onLate = vi.fn()
    expect(await withDeadline(Promise.resolve('reply'), 10)).toBe('reply')
    withDeadline(never, 10).catch(onLate)
    await vi.advanceTimersByTimeAsync(9)
    expect(onLate).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect([onLate.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0])
  })
})
