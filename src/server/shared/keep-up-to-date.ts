import { StorageError } from '../../util/errors.ts'
import type { ReplicaLink } from './shared-instance.ts'
import type { SharedInstances } from './shared-instances.ts'

/** How often a replica reads the log, in milliseconds: while somebody listens to its events, and otherwise. */
const listeningInterval = 100
const idleInterval = 1_000
/** How often a session is held while somebody listens to it, in milliseconds. */
const holdInterval = 5_000

/** Captured at import: fake timers of a test must not stop the store. */
const { setTimeout, clearTimeout } = globalThis

/** Follows the log while no request does, and reports when the store is lost and found again. The result stops that. */
export const keepUpToDate = (
  instances: SharedInstances,
  link: ReplicaLink,
  onNotice: (text: string) => void,
): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStopped = false
  let isReachable = true
  let idleRounds = 0
  let lastHold = performance.now()

  const follow = async (): Promise<void> => {
    const isDue = instances.hasListeners || ++idleRounds >= idleInterval / listeningInterval
    if (!isDue) return
    idleRounds = 0
    try {
      await link.refresh()
      if (performance.now() - lastHold > holdInterval) {
        lastHold = performance.now()
        for (const id of instances.listeningSessions()) await link.submit({ type: 'hold', session: id })
      }
      if (!isReachable) onNotice('The store can be used again.')
      isReachable = true
    } catch (error) {
      if (isReachable && !isStopped)
        onNotice(`Requests are refused: ${error instanceof StorageError ? error.message : String(error)}`)
      isReachable = false
    }
  }

  const next = (): void => {
    if (isStopped) return
    timer = setTimeout(() => follow().then(next), listeningInterval)
    timer.unref?.()
  }
  next()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
