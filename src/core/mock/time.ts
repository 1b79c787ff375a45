import { maxTimeout } from '../../util/pauses.ts'

/** Milliseconds since 1970: Date.now() has no fractions, and jumps when the system clock is set. */
export const clock = (): number => timeOrigin + performance.now()

/** perf: read once, because reading costs as much as `now()`. */
const { timeOrigin } = performance

/** Ends early if the client aborts its request. The sum of several delays may exceed the longest timer. */
export const waitFor = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, Math.min(milliseconds, maxTimeout))
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
