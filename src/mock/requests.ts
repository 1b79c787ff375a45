import type { JournalEntry } from '../journal/entry.ts'
import { PlantMockError } from '../util/errors.ts'
import type { RequestMatch, Requests } from './plant-mock.ts'

/** What the journal's reader stands on: entries here, or those of a server. */
export type RequestSource = {
  readonly all: (match?: RequestMatch) => Promise<readonly JournalEntry[]>
  readonly count: (match?: RequestMatch) => Promise<number>
  readonly clear: () => Promise<void>
  /** Calls back for each exchange from now on, once it is there; fulfilled when it listens. */
  readonly listen: (onEntry: () => void) => Promise<() => void>
}

/** Taken at the start: a test that plays with the clock must not stop what waits for its requests. */
const { setTimeout, clearTimeout } = globalThis

/** Half a dozen requests are enough to see what went on. */
const mostShown = 6

export const requestsOf = ({ all, count, clear, listen }: RequestSource): Requests => ({
  all,
  count,
  clear,
  find: async (match) => (await all(match))[0],
  last: async (match) => (await all(match)).at(-1),
  async waitFor(match, { timeout = 5_000 } = {}) {
    let look: () => void = () => undefined
    const stop = await listen(() => look())
    let timer: ReturnType<typeof setTimeout> | undefined
    try {
      return await new Promise<JournalEntry>((resolve, reject) => {
        look = () => {
          all(match).then(([entry]) => {
            if (entry !== undefined) resolve(entry)
          }, reject)
        }
        timer = setTimeout(() => {
          all().then((entries) => reject(new PlantMockError(tooLate(match, timeout, entries))), reject)
        }, timeout)
        look()
      })
    } finally {
      clearTimeout(timer)
      stop()
    }
  },
})

const tooLate = (match: RequestMatch, timeout: number, entries: readonly JournalEntry[]): string => {
  const wanted = typeof match === 'function' ? 'what was asked for' : JSON.stringify(match)
  const shown = entries.slice(-mostShown).map(({ method, url, status }) => `${method} ${url} ${status}`)
  const came =
    entries.length === 0 ? 'No request came.' : `${entries.length} came; the last: ${shown.join(', ')}.`
  return `No request matched ${wanted} within ${timeout} ms. ${came}`
}
