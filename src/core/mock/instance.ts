import { PlantMockError, StorageError } from '../../util/errors.ts'
import { mapLazily } from '../../util/lazy.ts'
import { andThen, isPromise, type MaybePromise } from '../../util/maybe-promise.ts'
import { messageOf } from '../../util/words.ts'
import { maxBodySize } from '../assumptions/body-size.ts'
import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'
import type { OperationId } from '../contract/operation-ids.ts'
import type { FixturePlant } from '../contract/schemas.ts'
import {
  type DrawnFaults,
  drawFaults,
  type FaultTarget,
  faultReply,
  withFaults,
  withoutPreferred,
} from '../faults/faults.ts'
import { preferredIn } from '../faults/preferred.ts'
import { maxHeldBody } from '../http/exchange.ts'
import type { Reply } from '../http/reply.ts'
import type { JournalBudget } from '../journal/budget.ts'
import type { CallerRegistry } from '../journal/callers.ts'
import { createJournal, type Journal } from '../journal/journal.ts'
import { asFixture, Plants } from '../model/plants.ts'
import { problemReply } from '../model/replies.ts'
import { type KnownCallers, readRequest, type ServiceRequest } from '../model/request.ts'
import type { Problem } from '../model/result.ts'
import type { State } from '../model/state.ts'
import { step } from '../model/step.ts'
import type { Call } from '../operations/call.ts'
import type { CallerKeys, CommandContext } from './command-row.ts'
import { commandNamed, hasChanged, type RunMockCommand } from './commands.ts'
import { type InstanceApi, instanceApi, snapshotGone } from './instance-api.ts'
import { initialMemory, type Memory, restoreSaved, type Start, withState } from './memory.ts'
import { type MockEvent, type MockEvents, type MockObserver, mockEvents } from './observer.ts'
import { type Preview, recentSteps } from './recent-steps.ts'
import { clock, waitFor } from './time.ts'

/** One mock of the service: the mock itself, or one of its sessions. Adapters and the control interface use it. */
export interface MockInstance
  extends InstanceApi,
    Pick<MockEvents, 'listen' | 'hasListeners' | 'onUsed'>,
    Pick<Journal, 'entry' | 'entries' | 'countViolations' | 'lines'> {
  readonly api: InstanceApi
  /** Runs a command, and notifies listeners of its changes. */
  readonly run: RunMockCommand
  /** Handles and records a call. Never throws. Synchronous unless a writer, the upstream or a delay is asynchronous. */
  handle(call: Call): MaybePromise<RecordedReply>
  /** Records a response that did not come from the mock. @param milliseconds From `received` on. Default: until now. */
  record(call: Call, reply: Reply, received: number, milliseconds?: number): MaybePromise<number>
  /** A problem outside of any operation, in the form of `error.body`. */
  problem(problem: Problem): Reply
  readonly inForce: Assumptions
  /** How many of the latest responses would differ under other assumptions. Responses of an upstream do not count. */
  preview(values: Partial<Assumptions>): Preview
  readonly maxBodySize: number
  /** How many exchanges were recorded. */
  readonly exchanges: number
  countPlants(): Promise<number>
  /** Every plant, in insertion order; each object is built on read. */
  eachPlant(): Promise<Iterable<FixturePlant>>
  /** Clears the journal and stops recording. Listeners get the event `closed`. */
  close(): void
}

/** Writes plants to another place before the change is committed. An error fails the request or the command. */
export type WritePlants = (before: Plants, after: Plants) => MaybePromise<void>

/** A mock instance of this process. */
export interface LocalInstance extends MockInstance {
  readonly journal: Journal
  /** The present memory. Assigning it notifies no listener. */
  memory: Memory
  /**
   * Also keeps the plants in another place: `write` writes every later change. While a write is in progress, later
   * requests and commands wait.
   * @param begin Returns the initial state. Requests wait for this state, and fail with the error of `begin`.
   * @throws PlantMockError for a mock whose plants are already kept in another place.
   */
  keepElsewhere(write: WritePlants, begin: (state: State) => Promise<State>): void
  /** Adopts a change of the plants in the other place, after pending work; writes nothing. */
  adopt(change: (state: State) => State): MaybePromise<void>
  /** Draws the faults of a call, and counts hits. */
  draw(target: FaultTarget): DrawnFaults | undefined
  /** Replies to a request after faults were drawn and their delay has passed. */
  play(call: Call, request: ServiceRequest, target: FaultTarget, drawn: DrawnFaults | undefined): MaybePromise<Reply>
  record(call: Call, reply: Reply, received: number, milliseconds?: number): number
}

/** A reply, and the id of its exchange in the journal; 0 and `failure` if the exchange was not recorded. */
export type RecordedReply = { readonly id: number; readonly reply: Reply; readonly failure?: unknown }

/** Responds to the contract's operations instead of the model. */
export type UpstreamHandler = (call: Call, operation: OperationId) => MaybePromise<Reply>

export type InstanceSettings = {
  readonly start: Start
  readonly callers: CallerRegistry
  readonly keys: CallerKeys
  readonly known: KnownCallers
  /** How many exchanges the journal keeps. */
  readonly journal: number
  readonly budget: JournalBudget
  readonly upstream: UpstreamHandler | undefined
  /** Set only if `plant-mock vary` runs the suite. */
  readonly observer: MockObserver | undefined
  /** The assumptions that cannot be varied, because code sets them. */
  readonly fixed: readonly AssumptionId[]
  readonly prefer: boolean
  /** The time in milliseconds since 1970, for the model. Default: `Date.now`. */
  readonly now: (() => number) | undefined
}

type InstanceParts = {
  /** The plants that a reset restores. */
  readonly base: MaybePromise<Plants>
  /** The initial plants. Default: the plants of `base`. */
  readonly plants?: Plants | undefined
  readonly write?: WritePlants | undefined
  /** Called after a change of the plants that a reset restores. */
  readonly onBase: (base: Plants) => void
  readonly observe: ((event: MockEvent) => void) | undefined
}

/**
 * Creates a mock instance: a cell with the present memory. A call passes through faults, through the upstream or the
 * model, and through the writer. Then the cell gets the next memory, and the journal records the exchange.
 */
export const createMockInstance = (settings: InstanceSettings, parts: InstanceParts): LocalInstance => {
  const { callers, keys, upstream, observer, start, now = Date.now } = settings
  const { pseudonymOf } = callers
  const journal = createJournal(settings.journal, callers, settings.budget)
  const events = mockEvents(parts.observe)
  const recent = recentSteps()
  const context: CommandContext = { start, pseudonymOf, journal }
  let { write } = parts
  let memory: Memory
  let isClosed = false
  /** Whether a command is running, which may call a filter of the user. */
  let isRunning = false
  /** Settles when all pending work is committed; `undefined` without pending work. */
  let underWay: Promise<unknown> | undefined

  const begin = (base: Plants): void => {
    memory = initialMemory(start, base, parts.plants)
  }
  /** Rejected if the initial plants could not be loaded. */
  let loading: Promise<void> | undefined
  const loadWith = (load: () => Promise<void>): void => {
    const loaded: Promise<void> = (loading ?? Promise.resolve()).then(load).then(() => {
      if (loading === loaded) loading = undefined
    })
    loading = loaded
    loaded.catch(ignore)
  }
  if (isPromise(parts.base)) {
    const { base } = parts
    begin(parts.plants ?? Plants.none)
    loadWith(async () => begin(await base))
  } else begin(parts.base)

  // An upstream would reply instead of the model, so an observer has nothing to watch.
  const watched =
    upstream === undefined ? observer?.watch({ memory: () => memory, context, fixed: settings.fixed }) : undefined
  const stepWith = watched?.step ?? step

  /** Runs work after all pending work, so that no commit is lost. */
  const inOrder = <T>(work: () => MaybePromise<T>): MaybePromise<T> => {
    if (loading !== undefined) return loading.then(() => inOrder(work))
    const result = underWay === undefined ? work() : underWay.then(work)
    if (!isPromise(result)) return result
    const settled: Promise<unknown> = result.then(ignore, ignore).then(() => {
      if (underWay === settled) underWay = undefined
    })
    underWay = settled
    return result
  }

  const replace = (next: Memory): void => {
    const { base } = memory
    memory = next
    if (next.base !== base) parts.onBase(next.base)
  }

  /**
   * Writes the plants of `next`, then replaces the memory by `next`.
   * @param undo Called if the write fails. Default: nothing.
   * @param isWritten Default: whether the plants differ.
   */
  const commit = (
    next: Memory,
    undo: () => void = ignore,
    isWritten = next.state.plants !== memory.state.plants,
  ): MaybePromise<void> => {
    const fail = (error: unknown): never => {
      undo()
      throw error
    }
    let written: MaybePromise<void> | undefined
    try {
      // The running command would overwrite the filter's change.
      if (isRunning) throw new PlantMockError('A filter cannot change the mock. Change it before or afterwards.')
      if (isWritten) written = write?.(memory.state.plants, next.state.plants)
    } catch (error) {
      fail(error)
    }
    return isPromise(written) ? written.then(() => replace(next), fail) : replace(next)
  }

  /** Returns a function that restores the observer's state, in case the write fails. */
  const undoWatched = (): (() => void) | undefined => (write === undefined ? undefined : watched?.snapshot())

  const problem = (given: Problem): Reply => {
    if (watched !== undefined) memory = watched.begin(memory)
    const reply = problemReply(given, memory.assumptions)
    watched?.replied(given, reply)
    return reply
  }

  /** The reply if the model or the writer failed. */
  const failure = (error: unknown, { operation, caller }: FaultTarget): Reply =>
    problemReply(
      { problem: error instanceof StorageError ? error.problem : 'internal-error', detail: messageOf(error) },
      memory.assumptions,
      { operation, caller },
    )

  const stepNow = (call: Call, request: ServiceRequest): MaybePromise<Reply> => {
    if (watched !== undefined) memory = watched.begin(memory)
    const undo = undoWatched()
    const { state: before, assumptions } = memory
    const { state, reply } = stepWith(before, request, assumptions, call)
    return andThen(state === before ? undefined : commit(withState(memory, state), undo), () => {
      recent.keep({ before, request, assumptions, reply, after: state })
      return reply
    })
  }

  const serve = (call: Call, request: ServiceRequest): MaybePromise<Reply> =>
    // perf: most requests need no closure (`npm run bench`, POST).
    write === undefined && underWay === undefined && loading === undefined
      ? stepNow(call, request)
      : inOrder(() => stepNow(call, request))

  const respond = (call: Call, request: ServiceRequest, target: FaultTarget): MaybePromise<Reply> => {
    try {
      const { operation } = call
      const reply = upstream === undefined || operation === undefined ? serve(call, request) : upstream(call, operation)
      return isPromise(reply) ? reply.catch((error: unknown) => failure(error, target)) : reply
    } catch (error) {
      return failure(error, target)
    }
  }

  const play: LocalInstance['play'] = (call, request, target, drawn) => {
    if (drawn === undefined) return respond(call, request, target)
    const instead = faultReply(drawn, problem)
    const reply = instead ?? respond(withoutPreferred(call, drawn.preferred), request, target)
    return andThen(reply, (reply) => withFaults(reply, drawn, target))
  }

  const draw = (target: FaultTarget): DrawnFaults | undefined => {
    if (memory.faults.entries.length === 0 && target.preferred === undefined) return undefined
    const { list, drawn } = drawFaults(memory.faults, target, pseudonymOf)
    if (list !== memory.faults) memory = { ...memory, faults: list }
    return drawn
  }

  const record = (call: Call, reply: Reply, received: number, milliseconds = clock() - received): number => {
    const id = journal.record(call, reply, received, milliseconds, memory.assumptions)
    events.emit({ type: 'request', id })
    events.used()
    // An override replaces this mock, so the observer ignores the exchange.
    if (reply.meta.forwarded?.by !== 'handlers') observer?.exchangeRecorded(watched !== undefined)
    return id
  }

  const runNow = <T>(work: () => T): T => {
    const wasRunning = isRunning
    isRunning = true
    try {
      return work()
    } finally {
      isRunning = wasRunning
    }
  }

  const run = ((name, argument) => {
    const row = commandNamed(name)
    const keyed = row.keyed === undefined ? argument : row.keyed(argument, keys)
    return inOrder(() => {
      const undo = undoWatched()
      const ran = runNow(() =>
        watched === undefined ? row.run(memory, keyed, context) : watched.run(name, memory, keyed),
      )
      // Writes even equal plants, because a write detects foreign changes of the file.
      const isWritten = row.changes.includes('plants') && hasChanged(ran.result)
      return andThen(ran.memory === memory ? undefined : commit(ran.memory, undo, isWritten), () => {
        if (row.clearsJournal) {
          journal.clear()
          recent.clear()
        }
        if (row.changes.length > 0 && hasChanged(ran.result)) events.changed(...row.changes)
        return ran.result
      })
    })
  }) as RunMockCommand

  const api = instanceApi({
    // `run` does not count as use, because replicas of a shared mock call it to read their copy.
    run: ((name, argument) => {
      events.used()
      return run(name, argument as never)
    }) as RunMockCommand,
    isRemote: false,
    snapshot: async () => {
      const { restoreWatched, ...saved } = await inOrder(() => ({
        plants: memory.state.plants,
        assumptions: memory.assumptions,
        restoreWatched: watched?.snapshot(),
      }))
      return async () => {
        if (isClosed) throw snapshotGone()
        await inOrder(() => andThen(commit(restoreSaved(memory, saved), ignore, true), restoreWatched ?? ignore))
        events.changed('plants', 'assumptions')
      }
    },
    listen: async (onEntry) =>
      events.listen(({ type }) => {
        if (type === 'request') onEntry()
      }),
  })

  const handleNow = (call: Call): MaybePromise<RecordedReply> => {
    const received = clock()
    const request = readRequest(call, now(), settings.known)
    const preferred = settings.prefer ? preferredIn(call.exchange.header('prefer')) : undefined
    const target: FaultTarget = { operation: call.operation, caller: request.caller.key, preferred }
    const drawn = underWay === undefined ? draw(target) : inOrder(() => draw(target))
    const reply = isPromise(drawn)
      ? drawn.then((drawn) => playLater(call, request, target, drawn))
      : playLater(call, request, target, drawn)
    return isPromise(reply)
      ? reply.then((reply) => ({ id: record(call, reply, received), reply }))
      : { id: record(call, reply, received), reply }
  }

  /** Continues after the delay of the faults. */
  const playLater: LocalInstance['play'] = (call, request, target, drawn) =>
    drawn === undefined || drawn.delay === 0
      ? play(call, request, target, drawn)
      : waitFor(drawn.delay, call.exchange.signal).then(() => play(call, request, target, drawn))

  const notLoaded = (call: Call, received: number) => (error: unknown) => {
    const reply = problem({
      problem: 'internal-error',
      detail: `The fixtures could not be loaded: ${messageOf(error)}`,
    })
    return { id: record(call, reply, received), reply }
  }

  return {
    ...api,
    api,
    run,
    journal,
    get memory() {
      return memory
    },
    set memory(next) {
      replace(next)
    },
    keepElsewhere(writer, begin) {
      if (write !== undefined)
        throw new PlantMockError('This mock keeps its plants elsewhere already: in a file, or in another collection.')
      write = writer
      loadWith(async () => {
        const state = await begin(memory.state)
        memory = withState(memory, state)
      })
    },
    adopt: (change) =>
      inOrder(() => {
        const state = change(memory.state)
        if (state === memory.state) return
        memory = withState(memory, state)
        watched?.adopted(change)
        events.changed('plants')
      }),
    draw,
    play,
    record,
    handle: (call) =>
      loading === undefined ? handleNow(call) : loading.then(() => handleNow(call), notLoaded(call, clock())),
    problem,
    get inForce() {
      return memory.assumptions
    },
    preview: recent.preview,
    get maxBodySize() {
      // The upstream enforces its own limit.
      if (upstream !== undefined) return maxHeldBody
      return Math.max(maxBodySize(memory.assumptions), watched?.maxBodySize ?? 0)
    },
    get exchanges() {
      return journal.latest
    },
    entry: journal.entry,
    entries: journal.entries,
    countViolations: journal.countViolations,
    countPlants: async () => inOrder(() => memory.state.plants.length),
    eachPlant: async () =>
      inOrder(() => {
        watched?.run('plants', memory, undefined)
        return mapLazily(memory.state.plants, asFixture)
      }),
    lines: journal.lines,
    close() {
      isClosed = true
      journal.close()
      events.emit({ type: 'closed' })
    },
    listen: events.listen,
    get hasListeners() {
      return events.hasListeners
    },
    onUsed: events.onUsed,
  }
}

const ignore = (): void => undefined
