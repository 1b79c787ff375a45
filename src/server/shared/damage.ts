/** Captured at import: fake timers of a test must not stop the store. */
const { setTimeout } = globalThis

/** How long to wait for a replica that mends a damaged mock before it begins afresh, and how often to look, in milliseconds. */
const maxDamaged = 5_000
const damagedInterval = 200

/** Resolves when it is time to look again at a damaged mock. */
export const untilNextLook = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, damagedInterval))

/**
 * Waits for a replica that has executed everything and mends the mock.
 * @returns A function that is called with the epoch each time the mock is found damaged. It resolves with the epoch to discard
 *   after 5 s, and with an empty text before.
 */
export const mendingPatience = (): ((epoch: string) => Promise<string>) => {
  let damage = { epoch: '', since: 0, last: 0 }
  return async (epoch) => {
    const now = performance.now()
    const isNew = damage.epoch !== epoch || now - damage.last > 2 * maxDamaged
    damage = { epoch, since: isNew ? now : damage.since, last: now }
    if (now - damage.since > maxDamaged) return epoch
    await untilNextLook()
    return ''
  }
}
