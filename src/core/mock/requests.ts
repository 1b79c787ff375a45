import { checkOptions } from '../../util/check-options.ts'
import { PlantMockError } from '../../util/errors.ts'
import { maxTimeout } from '../../util/pauses.ts'
import { printable } from '../../util/terminal.ts'
import { shorten } from '../../util/text.ts'
import { minSecretLength } from '../contract/caller.ts'
import { shownStatus } from '../http/status.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { RecordedViolation, RequestMatch, Requests } from './plant-mock.ts'

type RequestSource = Pick<Requests, 'all' | 'count' | 'clear'> & {
  readonly listen: (onEntry: () => void) => Promise<() => void>
}

/** Captured at import, because fake timers of a test would stop `waitFor`. */
const { setTimeout, clearTimeout } = globalThis

const maxShown = 6
const maxUrlLength = 200
const maxFilterLength = 200
const maxMethodLength = 20
const defaultWaitTimeout = 1_000

export const requestsOf = ({ all, count, clear, listen }: RequestSource): Requests => ({
  all,
  count,
  clear,
  find: async (match) => (await all(match))[0],
  last: async (match) => (await all(match)).at(-1),
  async waitFor(match, options = {}) {
    checkOptions(options, { timeout: 'amount' }, 'waitFor')
    const { timeout = defaultWaitTimeout } = options
    let check: () => unknown = () => undefined
    const stop = await listen(() => check())
    let timer: ReturnType<typeof setTimeout> | undefined
    try {
      return await new Promise<JournalEntry>((resolve, reject) => {
        const isFound = async (): Promise<boolean> => {
          const [entry] = await all(match)
          if (entry !== undefined) resolve(entry)
          return entry !== undefined
        }
        const giveUp = async (): Promise<void> => {
          // Looks once more, because the listener may have missed an exchange while its connection was interrupted.
          if (!(await isFound())) reject(new PlantMockError(timeoutMessage(match, timeout, await all())))
        }
        check = () => isFound().catch(reject)
        timer = setTimeout(() => giveUp().catch(reject), Math.min(timeout, maxTimeout))
        check()
      })
    } finally {
      clearTimeout(timer)
      stop()
    }
  },
})

const timeoutMessage = (match: RequestMatch, timeout: number, entries: readonly JournalEntry[]): string => {
  const wanted =
    typeof match === 'function' ? 'the given function' : shorten(JSON.stringify(match, withoutToken), maxFilterLength)
  const latest = entries
    .slice(-maxShown)
    .map(({ method, url, status }) =>
      printable(`${shorten(method, maxMethodLength)} ${shorten(url, maxUrlLength)} ${shownStatus(status)}`),
    )
  const received =
    entries.length === 0
      ? 'No request was received.'
      : `Requests received: ${entries.length}; the latest: ${latest.join(', ')}.`
  return `No request matched ${wanted} within ${timeout} ms. ${received}`
}

/** Hides a token in `caller`, because test runners log the error message. */
const withoutToken = (name: string, value: unknown): unknown =>
  name === 'caller' && typeof value === 'string' && value.length >= minSecretLength ? '…' : value

export const recordedViolations = (entry: JournalEntry): readonly RecordedViolation[] => {
  const { id, operation, method, url, violations, violationsOmitted } = entry
  return violations.map((violation, index) => ({
    ...violation,
    request: id,
    ...(operation !== undefined && { operation }),
    exchange: `${method} ${shorten(url, maxUrlLength)}`,
    ...(violationsOmitted !== undefined && index === violations.length - 1 && { omitted: violationsOmitted }),
  }))
}
