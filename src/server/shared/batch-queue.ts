import { setImmediate } from 'node:timers'
import { commandTimeout, lateFailure } from './connection.ts'
import { afterDeadline } from './deadline.ts'
import { failureOf, StoreFailure } from './failure.ts'

/** A request that waits for its result. */
export type Pending = {
  /** `undefined` to read alone. */
  readonly command: string | undefined
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  /** By `performance.now()`. */
  readonly deadline: number
}

/** Collects commands for one script call at a time. */
export interface BatchQueue {
  /**
   * @param command JSON; `undefined` to read alone.
   * @returns The result of the command.
   * @throws StoreFailure when it was not sent within 2 s, or got no result by then.
   */
  add(command: string | undefined): Promise<unknown>
  /** Refuses further commands. */
  close(): void
}

/** Bounds one batch, in commands and in characters. */
const maxBatch = 256
const maxBatchLength = 1024 * 1024

/** How often waiting requests are checked, in milliseconds. */
const expireInterval = 100

/**
 * One batch is under way at a time. Commands that arrive meanwhile go into the next batch: a busy replica needs fewer round
 * trips than it handles requests.
 * @param send Sends a batch, and resolves or rejects each request in it; if it throws, all of them are rejected.
 */
export const batchQueue = (send: (batch: readonly Pending[]) => Promise<void>): BatchQueue => {
  let queue: Pending[] = []
  /** Sent, and without a reply yet. */
  let current: readonly Pending[] = []
  let isRunning = false
  let isClosed = false
  let cancelExpiry: (() => void) | undefined

  const run = async (): Promise<void> => {
    while (queue.length > 0) {
      current = takeBatch(queue)
      queue = queue.slice(current.length)
      try {
        await send(current)
      } catch (error) {
        const failure = failureOf(error, false)
        for (const pending of current) fail(pending, failure)
      }
      current = []
    }
    isRunning = false
  }

  /** Rejects what has waited too long. What waits behind others was not sent. */
  const expire = (): void => {
    cancelExpiry = undefined
    const now = performance.now()
    const isLate = ({ deadline }: Pending): boolean => deadline <= now
    for (const pending of queue.filter(isLate)) fail(pending, lateFailure({}))
    queue = queue.filter((pending) => !isLate(pending))
    for (const pending of current.filter(isLate)) fail(pending, lateFailure({ isUncertain: true }))
    if (isRunning) arm()
  }

  /** perf: one timer for all, because a timer for each costs as much as the rest (`npm run bench`, store). */
  const arm = (): void => {
    cancelExpiry ??= afterDeadline(expireInterval, expire)
  }

  return {
    add: (command) =>
      new Promise((resolve, reject) => {
        if (isClosed) {
          reject(new StoreFailure('this server is closed'))
          return
        }
        queue.push({ command, resolve, reject, deadline: performance.now() + commandTimeout })
        arm()
        if (isRunning) return
        isRunning = true
        // perf: requests that arrive in one turn of the event loop go into one call (`npm run bench`, store).
        setImmediate(run)
      }),
    close() {
      isClosed = true
      cancelExpiry?.()
    },
  }
}

/** A read changes nothing, so its failure is always certain. */
const fail = ({ command, reject }: Pending, failure: StoreFailure): void =>
  reject(command === undefined || !failure.isUncertain ? certain(failure) : failure)

const certain = ({ message, code, cause }: StoreFailure): StoreFailure => new StoreFailure(message, { code, cause })

const takeBatch = (queue: readonly Pending[]): readonly Pending[] => {
  let length = 0
  let count = 0
  for (const { command = '' } of queue) {
    length += command.length
    if (count > 0 && (count >= maxBatch || length > maxBatchLength)) break
    count++
  }
  return queue.slice(0, count)
}
