import { pauses } from '../../util/pauses.ts'
import { batchQueue, type Pending } from './batch-queue.ts'
import { compareCopies } from './compare-copies.ts'
import { commandTimeout, type StoreConnection } from './connection.ts'
import { mendingPatience, untilNextLook } from './damage.ts'
import { failureOf, StoreFailure } from './failure.ts'
import { begin, compact, exchange, lock, start } from './scripts.ts'

/** The copy that follows a log. */
export type Follower = {
  /** Begins again with the state of the start, or with that of a dump. */
  readonly restart: (dump: string | undefined, epoch: string) => Promise<void>
  /**
   * Executes the commands of one element of the log.
   * @param commands JSON.
   * @param isOwn Whether this replica has appended it; then it gets the results.
   * @returns The result of each command, or the error that it threw.
   */
  readonly execute: (commands: string, time: number, isOwn: boolean) => Promise<readonly LogResult[]>
  readonly dump: () => string
  /** Counts and states that all copies have in common at a position of the log. */
  readonly fingerprint: () => string
}

export type LogResult = { readonly value: unknown } | { readonly error: unknown }

/** The commands of all replicas in one order, which the store keeps. */
export interface SharedLog {
  /**
   * Appends a command and executes it here, after everything that other replicas have appended before.
   * @param command JSON.
   * @returns Its result.
   * @throws StoreFailure when it was not appended, or when that is uncertain; whatever the command throws.
   */
  submit(command: string): Promise<unknown>
  /** Executes everything that other replicas had appended when this was called. @throws StoreFailure. */
  refresh(): Promise<void>
  readonly epoch: string
  close(): void
}

/**
 * Why a copy begins again: the store had lost the mock; another replica began it afresh on purpose; or the store went back to
 * an earlier state.
 */
export type StateReplacement = 'lost' | 'reset' | 'earlier'

export type LogOptions = {
  readonly connection: StoreConnection
  readonly follower: Follower
  /** Identifies this replica. */
  readonly id: string
  /** The settings with which the mock begins, as text. */
  readonly settings: string
  /** Called with the settings of a mock that another replica has begun. @throws an error when they differ. */
  readonly checkSettings: (settings: string) => void
  /** Called when the state of the mock here was replaced, instead of following from the executed log. */
  readonly onReplaced: (reason: StateReplacement) => void
  /** Called when this copy differs from another one, and is made again. */
  readonly onDifference: () => void
  /** The size in bytes from which a log is replaced by a snapshot. */
  readonly maxLogSize: number
}

/** How a replica joined: the epoch that the present one replaced, and whether this replica replaced it because it was damaged. */
type Joined = { readonly replaced: string; readonly isLost: boolean }

/** How long a replica that ended while it wrote a snapshot keeps others from it, in milliseconds: less than `maxDamaged`. */
const lockTimeout = 4_000

/** After a snapshot that could not be written, in milliseconds. */
const minSnapshotInterval = 1_000

/** How long a new replica may take to execute the log, in milliseconds; a longer one is replaced by a snapshot, too. */
const maxSpent = 2_000

/** How long a replica may take to read or write a snapshot, or what it lacks, in milliseconds. */
const maxTimeout = 30_000

/** Joins the mock, and follows its log. */
export const followLog = async (options: LogOptions, isReset: boolean): Promise<SharedLog> => {
  const { connection, follower, id, settings, checkSettings, onReplaced, onDifference, maxLogSize } = options
  let epoch = ''
  /** The position and the id of the last element that was executed. */
  let position = 0
  let last = '-'
  let count = 0
  let timeout = commandTimeout
  /** The position of the snapshot; the milliseconds for executing the log after it, and for the last dump. */
  let base = 0
  let spent = 0
  let dumpTime = 0
  /** When the next snapshot may be written, by `performance.now()`. */
  let nextSnapshot = 0
  const discardedAfterPatience = mendingPatience()
  const comparison = compareCopies(follower)

  /**
   * Begins the mock, or joins it, and brings the copy to where the log begins.
   * @param discarded The epoch to begin afresh, or `*` for any. Default: none.
   */
  const join = async (discarded = ''): Promise<Joined> => {
    const [joined = '', theirs = '', replaced = ''] = (await connection.run(begin, [
      newEpoch(id),
      settings,
      discarded,
    ])) as string[]
    checkSettings(theirs)
    const [state, first = '0', baseLast = '-', parts = []] = (await connection.run(start, [joined], maxTimeout)) as [
      string,
      string?,
      string?,
      string[]?,
    ]
    if (state === 'damaged') return join(await discardedAfterPatience(joined))
    if (state !== 'ok') return join()
    await follower.restart(parts.length === 0 ? undefined : parts.join(''), joined)
    epoch = joined
    position = Number(first)
    last = baseLast
    base = position
    spent = 0
    comparison.restart(position)
    return { replaced, isLost: discarded !== '' && discarded !== '*' }
  }

  const rejoin = async (state: string): Promise<void> => {
    const before = epoch
    const { replaced, isLost } = await join(state === 'damaged' ? await discardedAfterPatience(epoch) : '')
    if (epoch !== before) onReplaced(replaced === before && !isLost ? 'reset' : 'lost')
    else if (state === 'earlier') onReplaced('earlier')
  }

  /** Executes elements in order. False when one does not continue the log that was executed. */
  const executeMissing = async (elements: readonly string[]): Promise<boolean> => {
    const pause = pauses()
    for (const element of elements) {
      const header = element.slice(0, element.indexOf('\n'))
      const [previous, own = '', time] = header.split(' ')
      if (previous !== last) return false
      comparison.check(own)
      await execute(own, element.slice(header.length + 1), Number(time), false)
      await pause()
    }
    return true
  }

  const execute = async (
    own: string,
    commands: string,
    time: number,
    isOwn: boolean,
  ): Promise<readonly LogResult[]> => {
    position++
    last = own
    const began = performance.now()
    const results = await follower.execute(commands, time, isOwn)
    spent += performance.now() - began
    comparison.note(position)
    return results
  }

  const step = async (batch: readonly Pending[]): Promise<void> => {
    const sent = batch.filter(({ command }) => command !== undefined)
    const commands = sent.length === 0 ? '' : `[${sent.map(({ command }) => command).join(',')}]`
    for (;;) {
      const own = sent.length === 0 ? '' : `${id}-${++count}@${position}=${follower.fingerprint()}`
      const [state, time = '', bytes = '', size = '', snapshot = '', missing = []] = (await connection.run(
        exchange,
        [epoch, String(position), last, own, commands],
        timeout,
      )) as [string, string?, string?, string?, string?, string[]?]
      if (state === 'damaged' && time === '1') {
        // This copy has everything. Another replica may be about to do the same.
        if (!(await tryToWriteSnapshot())) await untilNextLook()
        continue
      }
      if (state !== 'ok') {
        await rejoin(state)
        continue
      }
      if (Number(snapshot) !== base) {
        base = Number(snapshot)
        spent = 0
      }
      if (!(await executeMissing(missing))) {
        // The store went back to an earlier state, and others have appended since. What was sent is in the log now.
        await rejoin('earlier')
        throw new StoreFailure('it went back to an earlier state', { isUncertain: sent.length > 0 })
      }
      const results = sent.length === 0 ? [] : await execute(own, commands, Number(time), true)
      for (const [index, pending] of sent.entries()) settle(pending, results[index])
      for (const pending of batch) if (pending.command === undefined) pending.resolve(undefined)
      if (comparison.hasDifference()) {
        await join()
        onDifference()
      } else if (Number(bytes) > Math.max(maxLogSize, Number(size)) || spent > Math.max(maxSpent, 10 * dumpTime))
        await writeSnapshot()
      return
    }
  }

  const settle = ({ resolve, reject }: Pending, result: LogResult | undefined): void => {
    if (result === undefined) reject(new StoreFailure('it has another log than was sent', { isUncertain: true }))
    else if ('error' in result) reject(result.error)
    else resolve(result.value)
  }

  const writeSnapshot = async (): Promise<void> => {
    if (performance.now() < nextSnapshot) return
    if (await tryToWriteSnapshot().catch(() => false)) return
    // Another replica is writing one, or the memory of the store is full.
    nextSnapshot = performance.now() + minSnapshotInterval
  }

  /** False when another replica is writing one. */
  const tryToWriteSnapshot = async (): Promise<boolean> => {
    if ((await connection.run(lock, [id, String(lockTimeout)])) !== 1) return false
    const began = performance.now()
    const dump = follower.dump()
    dumpTime = performance.now() - began
    spent = 0
    await connection.run(compact, [epoch, String(position), last, String(dump.length), ...partsOf(dump)], maxTimeout)
    return true
  }

  const queue = batchQueue(async (batch) => {
    try {
      await step(batch)
      timeout = commandTimeout
    } catch (error) {
      const failure = failureOf(error, false)
      // The elements of others may take longer to arrive than clients wait.
      if (failure.code === 'LATE' && failure.isUncertain) timeout = Math.min(2 * timeout, maxTimeout)
      throw failure
    }
  })

  const { isLost } = await join(isReset ? '*' : '')
  if (isLost) onReplaced('lost')
  return {
    submit: queue.add,
    async refresh() {
      await queue.add(undefined)
    },
    get epoch() {
      return epoch
    },
    close: queue.close,
  }
}

const newEpoch = (id: string): string => `${id}-${Date.now().toString(36)}`

/** A string of the store has at most 512 MB, and a part is sent at once. */
const partLength = 1024 * 1024

/** Parts of a text that do not split a character of two code units. */
const partsOf = (text: string): readonly string[] => {
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + partLength, text.length)
    if (isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length) end++
    parts.push(text.slice(at, end))
    at = end
  }
  return parts
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
