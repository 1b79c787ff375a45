const maxBlockingMilliseconds = 50

// Captured at import, because fake timers of a test would stop the work.
const { setTimeout } = globalThis
// jsdom and browsers lack `setImmediate`.
const setImmediate = globalThis.setImmediate ?? setTimeout

export const pauses = (): (() => Promise<void> | undefined) => {
  let last = performance.now()
  return () => {
    if (performance.now() - last < maxBlockingMilliseconds) return undefined
    return new Promise((resolve) => {
      setImmediate(() => {
        last = performance.now()
        resolve()
      })
    })
  }
}

/** The maximum of `setTimeout`, in milliseconds. A longer timeout would fire at once. */
export const maxTimeout = 2 ** 31 - 1
