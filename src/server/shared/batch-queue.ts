import { setImmediate } from 'node:timers'
import { commandTimeout } from './connection.ts'
import { afterDeadline, lateFailure, StoreFailure } from './failure.ts'

/** A request that waits for its result. */
export type Pending = {
  /** `undefined` to read alone. */
  readonly command: string | undefined
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
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

/**
 * One batch is under way at a time. Commands that arrive meanwhile go into the next batch: a busy replica needs fewer round
 * trips than it handles requests.
 * @param send Sends a batch, and resolves or rejects each request in it; if it throws, all of them are rejected.
 */
export const batchQueue = (send: (batch: readonly Pending[]) => Promise<void>): BatchQueue => {
  let queue: Pending[] = []
  let isRunning = false
  let isClosed = false

  const run = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = takeBatch(queue)
      queue = queue.slice(batch.length)
      await send(batch).catch((error) => {
        for (const { reject } of batch) reject(error)
      })
    }
    isRunning = false
  }

  return {
    add: (command) =>
      new Promise((resolve, reject) => {
        if (isClosed) throw new StoreFailure('this server is closed')
        const pending: Pending = {
          command,
          resolve(value) {
            cancel()
            resolve(value)
          },
          reject(error) {
            cancel()
            const failure = error instanceof StoreFailure && command === undefined ? error.certain() : error
            reject(failure)
          },
        }
        const cancel = afterDeadline(commandTimeout, () => {
          // A command that waits behind others was not sent.
          const isSent = !queue.includes(pending)
          queue = queue.filter((other) => other !== pending)
          pending.reject(lateFailure(commandTimeout, isSent))
        })
        queue.push(pending)
        if (isRunning) return
        isRunning = true
        // perf: requests that arrive in one turn of the event loop go into one call (`npm run bench`, store).
        setImmediate(run)
      }),
    close() {
      isClosed = true
    },
  }
}

const takeBatch = (queue: readonly Pending[]): readonly Pending[] => {
  let length = 0
  const end = queue.findIndex(({ command = '' }, index) => {
    length += command.length
    return index > 0 && (index >= maxBatch || length > maxBatchLength)
  })
  return end === -1 ? queue : queue.slice(0, end)
}
