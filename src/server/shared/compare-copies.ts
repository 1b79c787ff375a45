import type { Follower } from './log.ts'

/** How many positions a copy remembers its fingerprints for. */
const maxFingerprints = 256

/** After a copy was made again, in milliseconds: a difference that lasts must not cost more and more. */
const minComparisonInterval = 60_000

/** Compares this copy with those of other replicas: each element tells what its replica's copy was like before it. */
export const compareCopies = ({ fingerprint }: Follower) => {
  let known = new Map<number, string>()
  let hasDifference = false
  let comparesFrom = 0
  return {
    restart(position: number): void {
      known = new Map([[position, fingerprint()]])
      hasDifference = false
    },
    /** Remembers what the copy is like after the element at this position. */
    note(position: number): void {
      known.set(position, fingerprint())
      known.delete(position - maxFingerprints)
    },
    /** @param element The id of an element: `replica-number@position=fingerprint`. */
    check(element: string): void {
      const [, position, claimed] = /@(\d+)=(.*)$/.exec(element) ?? []
      const own = known.get(Number(position))
      hasDifference ||= own !== undefined && own !== claimed && performance.now() >= comparesFrom
    },
    /** Whether a difference was found since the last call. */
    hasDifference(): boolean {
      const found = hasDifference
      if (found) comparesFrom = performance.now() + minComparisonInterval
      hasDifference = false
      return found
    },
  }
}
