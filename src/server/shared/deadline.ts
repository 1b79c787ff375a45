import { StoreFailure } from './failure.ts'

/** Captured at import: fake timers of a test must not stop the store. */
export const { setTimeout, clearTimeout } = globalThis

/** A timer that is later than this has not run because the process was suspended or busy, in milliseconds. */
const maxLateness = 300

/** The time for replies that arrived meanwhile, in milliseconds. */
const graceAfterSuspension = 500

/**
 * Calls back after a time. If the process could not run until then, because it was suspended or busy, replies may have
 * arrived that nothing has read: then they get some time.
 * @param timeout In milliseconds.
 * @returns A function that cancels it.
 */
export const afterDeadline = (timeout: number, callback: () => void): (() => void) => {
  const due = performance.now() + timeout
  let timer = setTimeout(() => {
    if (performance.now() - due < maxLateness) callback()
    else timer = setTimeout(callback, graceAfterSuspension)
  }, timeout)
  return () => clearTimeout(timer)
}

export const lateFailure = (timeout: number, isUncertain: boolean): StoreFailure =>
  new StoreFailure(`it did not respond within ${timeout / 1_000} s`, { code: 'LATE', isUncertain })

/** @throws StoreFailure after `timeout` milliseconds. */
export const withDeadline = <T>(pending: Promise<T>, timeout: number): Promise<T> =>
  new Promise((resolve, reject) => {
    const cancel = afterDeadline(timeout, () => reject(lateFailure(timeout, true)))
    pending.then(resolve, reject).finally(cancel)
  })

export const pauseFor = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
