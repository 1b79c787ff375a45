/** How long work may block the event loop, in milliseconds. Signals, timers and requests wait that long. */
const maxBlocked = 50

// Captured at import: fake timers of a test must not stop the work. jsdom and browsers have no setImmediate.
const { setTimeout } = globalThis
const setImmediate = globalThis.setImmediate ?? setTimeout

/** Call the result often in long work: it returns a promise to await if the event loop was blocked for too long. */
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

/** The longest possible timeout, in milliseconds: a longer timer would fire at once. */
export const maxTimeout = 2 ** 31 - 1
