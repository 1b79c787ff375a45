import { maxTimeout } from '../../util/pauses.ts'

/** Milliseconds since 1970, with fractions. Unlike `Date.now()`, does not jump when the system clock is set. */
export const clock = (): number => timeOrigin + performance.now()

/** perf: reads `timeOrigin` once, because each read costs as much as `performance.now()`. */
const { timeOrigin } = performance

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
