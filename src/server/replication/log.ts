import { setImmediate } from 'node:timers'
import { pauses } from '../../util/pauses.ts'
import { commandTimeout, type StoreConnection } from './connection.ts'
import { failureOf, StoreFailure, withDeadline } from './failure.ts'
import { begin, compact, exchange } from './scripts.ts'

export type StateReplacement = 'lost' | 'reset' | 'earlier'

type LogOptions = {
  readonly connection: StoreConnection
  readonly id: string
  readonly settings: string
  readonly checkSettings: (settings: string) => void
  readonly restart: (snapshot: string | undefined, epoch: string) => void
  readonly execute: (commands: string, time: number) => readonly Promise<unknown>[]
  readonly snapshot: () => string
  readonly onReplaced: (reason: StateReplacement) => void
  readonly maxLogSize: number
}

type Pending = {
  readonly command: string | undefined
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

const maxBatch = 256
const maxBatchLength = 1024 * 1024

const minSnapshotInterval = 1_000

const maxTimeout = 30_000

export const followLog = async (options: LogOptions, isReset: boolean) => {
  const { connection, id, settings, onReplaced, maxLogSize } = options
  let epoch = ''
  let position = 0
  let last = '-'
  let count = 0
  let timeout = commandTimeout
  let nextSnapshot = 0

  const join = async (isReset = false): Promise<string> => {
    const newEpoch = `${id}-${Date.now().toString(36)}`
    const begun = await connection.run(begin, [newEpoch, settings, isReset ? 'reset' : ''], maxTimeout)
    const [joined, theirs, replacedEpoch, base, baseLast, snapshot] = begun as [
      string,
      string,
      string,
      string,
      string,
      (string | null)?,
    ]
    options.checkSettings(theirs)
    options.restart(snapshot ?? undefined, joined)
    epoch = joined
    position = Number(base)
    last = baseLast
    return replacedEpoch
  }

  const rejoin = async (state: string): Promise<void> => {
    const before = epoch
    const replacedEpoch = await join()
    if (epoch !== before) onReplaced(replacedEpoch === before ? 'reset' : 'lost')
    else if (state === 'earlier') onReplaced('earlier')
  }

  const executeMissing = async (elements: readonly string[]): Promise<boolean> => {
    const pause = pauses()
    for (const element of elements) {
      const header = element.slice(0, element.indexOf('\n'))
      const [previous, own = '', time] = header.split(' ')
      if (previous !== last) return false
      // Ignores errors of other replicas' commands, because each replica reports the errors of its own commands.
      for (const result of execute(own, element.slice(header.length + 1), Number(time))) result.catch(() => undefined)
      await pause()
    }
    return true
  }

  const execute = (own: string, commands: string, time: number): readonly Promise<unknown>[] => {
    position++
    last = own
    return options.execute(commands, time)
  }

  const step = async (batch: readonly Pending[]): Promise<void> => {
    const sent = batch.filter(({ command }) => command !== undefined)
    const commands = sent.length === 0 ? '' : `[${sent.map(({ command }) => command).join(',')}]`
    for (;;) {
      const own = sent.length === 0 ? '' : `${id}-${++count}`
      const args = [epoch, String(position), last, own, commands]
      const replied = await connection.run(exchange, args, timeout)
      const [state, time = '', bytes, size, missing = []] = replied as [string, string?, string?, string?, string[]?]
      if (state !== 'ok' && state !== 'more') {
        await rejoin(state)
        continue
      }
      if (!(await executeMissing(missing))) {
        // The store was restored to an earlier log, to which other replicas have appended.
        await rejoin('earlier')
        throw new StoreFailure('it went back to an earlier state', '', state === 'ok' && sent.length > 0)
      }
      if (state === 'more') continue
      const results = sent.length === 0 ? [] : execute(own, commands, Number(time))
      for (const pending of batch) pending.resolve(results[sent.indexOf(pending)])
      const isLong = Number(bytes) > Math.max(maxLogSize, Number(size))
      if (isLong && performance.now() > nextSnapshot) {
        // Ignores a failure to store the snapshot, because the log remains complete.
        const snapshot = [epoch, String(position), last, options.snapshot()]
        await connection.run(compact, snapshot, maxTimeout).catch(() => undefined)
        nextSnapshot = performance.now() + minSnapshotInterval
      }
      return
    }
  }

  let queue: Pending[] = []
  let isRunning = false

  const run = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = firstBatch(queue)
      queue = queue.slice(batch.length)
      try {
        await step(batch)
        timeout = commandTimeout
      } catch (error) {
        const failure = failureOf(error, false)
        if (failure.code === 'LATE' && failure.isUncertain) timeout = Math.min(2 * timeout, maxTimeout)
        for (const { reject } of batch) reject(failure)
      }
    }
    isRunning = false
  }

  const enqueue = (command?: string) => {
    const result = new Promise<unknown>((resolve, reject) => queue.push({ command, resolve, reject }))
    // perf: sends the requests of one turn of the event loop in a single round trip (`npm run bench`, store).
    if (!isRunning) setImmediate(run)
    isRunning = true
    return { result, pending: queue.at(-1) }
  }

  await join(isReset)
  return {
    catchUp: () => enqueue().result,
    submit(command: string | undefined): Promise<unknown> {
      const { result, pending } = enqueue(command)
      return withDeadline(result, commandTimeout).catch((error: unknown) => {
        const isUnsent = queue.some((other) => other === pending)
        queue = queue.filter((other) => other !== pending)
        throw error instanceof StoreFailure && (isUnsent || command === undefined) ? error.certain() : error
      })
    },
    get epoch(): string {
      return epoch
    },
  }
}

const firstBatch = (queue: readonly Pending[]): readonly Pending[] => {
  let length = 0
  const end = queue.findIndex(({ command = '' }, index) => {
    length += command.length
    return index > 0 && (index >= maxBatch || length > maxBatchLength)
  })
  return end === -1 ? queue : queue.slice(0, end)
}
