/** In milliseconds. Signals, timers and requests wait while work blocks the event loop. */
const maxBlocked = 50

// Captured at import, so that fake timers of a test do not stop the work. jsdom and browsers lack setImmediate.
const { setTimeout } = globalThis
const setImmediate = globalThis.setImmediate ?? setTimeout

/** @returns A function to call often in long work, and to await whenever it returns a promise. */
export const pauses = (): (() => Promise<void> | undefined) => {
  let last = performance.now()
  return () => {
    if (performance.now() - last < maxBlocked) return undefined
    return new Promise((resolve) => {
      setImmediate(() => {
        last = performance.now()
        resolve()
      })
    })
  }
}

/** In milliseconds. A timer with a longer timeout would fire at once. */
export const maxTimeout = 2 ** 31 - 1
