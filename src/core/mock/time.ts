import { maxTimeout } from '../../util/pauses.ts'

/** In milliseconds since 1970. Unlike `Date.now()`, has fractions, and does not jump when the system clock is set. */
export const clock = (): number => timeOrigin + performance.now()

/** perf: read once, because reading costs as much as `now()`. */
const { timeOrigin } = performance

/** Resolves early if the client aborts, and always after at most `maxTimeout`. */
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
