import { mapLazily } from '../../util/lazy.ts'
import { andThen, isPromise, type MaybePromise } from '../../util/maybe-promise.ts'
import { messageOf } from '../../util/words.ts'
import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'
import type { OperationId } from '../contract/operation-ids.ts'
import type { Caller, FixturePlant } from '../contract/schemas.ts'
import { createFaults, type DrawnFaults } from '../faults/faults.ts'
import { maxHeldBody } from '../http/exchange.ts'
import { discardRest, type Reply } from '../http/reply.ts'
import type { CallerRegistry } from '../journal/callers.ts'
import type { JournalEntry, JournalLine, RequestFilter } from '../journal/entry.ts'
import { hiddenChanges } from '../operations/hidden-plants.ts'
import type { Problem } from '../operations/operation.ts'
import type { Call } from '../service/call.ts'
import { createService, maxBodySize, type Service, type ServiceOptions } from '../service/service.ts'
import type { MemoryStore } from '../store/memory-store.ts'
import { asFixture, countPlants, type PlantStore } from '../store/plant-store.ts'
import type { PlantTable } from '../store/plant-table.ts'
import { type Base, createBase } from './base.ts'
import { type CommandContext, setAssumptions } from './command-row.ts'
import { commandNamed, hasChanged, type RunMockCommand } from './commands.ts'
import { type MockEvent, mockEvents } from './events.ts'
import { type InstanceApi, instanceApi } from './instance-api.ts'
import { NamedSnapshots, type SnapshotSource } from './named-snapshots.ts'
import type { MockObserver, WatchedService } from './observer.ts'
import type { MockState } from './state.ts'

/** Responds to the contract's operations instead of the model; `model` gives the model's own reply. */
export type UpstreamHandler = (
  call: Call,
  operation: OperationId,
  model: () => MaybePromise<Reply>,
) => MaybePromise<Reply>

/** One mock of the service: the mock itself, or one of its sessions. Adapters and the control interface use it. */
export interface MockInstance extends InstanceApi {
  readonly api: InstanceApi
  /** Runs a command, and tells listeners what it has changed. */
  readonly run: RunMockCommand
  /** Handles and records a call. It never throws, and is synchronous unless the store or a delay is not. */
  handle(call: Call): MaybePromise<Reply>
  /** Records an exchange that something else responded to; `received` is in milliseconds since 1970. */
  record(call: Call, reply: Reply, received: number): void
  /** Handles a call as `handle` does, and returns the id of its exchange. */
  send(call: Call): MaybePromise<number>
  /** A problem outside of any operation, in the form of `error.body`. */
  problem(problem: Problem): Reply
  /** The assumptions in force. */
  readonly inForce: Assumptions
  /** The largest request body, in bytes. */
  readonly maxBodySize: number
  /** How many exchanges were recorded. */
  readonly exchanges: number
  /** One exchange of the journal, by its id. */
  entry(id: number): JournalEntry | undefined
  /** The exchanges of the journal, the oldest first. Each is made when it is taken. */
  entries(filter?: RequestFilter): Iterable<JournalEntry>
  /** The number of violations in the journal, those included that lists leave out. */
  countViolations(): number
  /** The number of plants of every caller. */
  countPlants(): Promise<number>
  /** Every plant, in the order in which they were added. Each is made when it is taken. */
  eachPlant(): Promise<Iterable<FixturePlant>>
  /** The exchanges after the one with this id; at most the latest `max`. */
  lines(after: number, max: number): readonly JournalLine[]
  /** Clears the journal and records nothing more. Listeners get the event `closed`. */
  close(): void
  /** Calls back for each event from now on; the result stops that. An open event stream is such a listener. */
  listen(onEvent: (event: MockEvent) => void): () => void
  readonly hasListeners: boolean
  /** Calls back whenever the last listener leaves. */
  onLeft(callback: () => void): void
}

/** A mock instance of this process, with the parts that a state outside of the process replicates. */
export interface LocalInstance extends MockInstance {
  readonly state: MockState
  readonly base: Base
  /** Draws the faults that affect a call; `undefined` for none. */
  draw(call: Call): DrawnFaults | undefined
  /**
   * Handles and records a call whose faults are drawn, and whose delay is over.
   * @param received In milliseconds since 1970.
   * @param milliseconds From then until now.
   */
  finish(
    call: Call,
    drawn: DrawnFaults | undefined,
    received: number,
    milliseconds: number,
  ): MaybePromise<RecordedReply>
  /** The reply of the model; neither faults nor the journal see it. */
  model(call: Call): MaybePromise<Reply>
  readonly snapshots: NamedSnapshots<unknown>
  /** Records an exchange that something else responded to. */
  recordReply(call: Call, reply: Reply, received: number, milliseconds: number): number
}

/** A reply, and the id of its exchange in the journal. */
export type RecordedReply = { readonly id: number; readonly reply: Reply }

export type MockInstanceOptions = {
  readonly state: MockState
  readonly fixtures: MaybePromise<PlantTable | undefined>
  /** Accepted under `auth.tokens=listed`, beside the configured callers. */
  readonly tokens: readonly Caller[]
  readonly callers: CallerRegistry
  readonly upstream: UpstreamHandler | undefined
  /** Milliseconds since 1970, with fractions. */
  readonly clock: () => number
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** `undefined` outside of `plant-mock vary`. */
  readonly observer: MockObserver | undefined
  /** The assumptions that no variation reaches, because code sets them. */
  readonly fixed: readonly AssumptionId[]
  readonly seed: number
  /** See FaultsOptions. */
  readonly prefer: boolean
  /** Receives fixtures that replace those of the start. */
  readonly onLoad?: (fixtures: PlantTable) => void
  /** Captures and restores what snapshots keep. Default: by the snapshots of the store, which only this process can read. */
  readonly snapshotSource?: ((instance: CommandContext) => SnapshotSource<unknown>) | undefined
  /** Receives each event, and does not count as a listener. Default: none. */
  readonly observe?: ((event: MockEvent) => void) | undefined
}

/**
 * Creates a mock instance. With a store in memory, all effects are synchronous; with an asynchronous store, calls wait
 * until it holds the fixtures.
 */
export const createMockInstance = (options: MockInstanceOptions): LocalInstance => {
  const { state, callers, clock, upstream } = options
  const events = mockEvents(options.observe)
  const { watched, service } = createInstanceService(options)
  const serve = throughUpstream(upstream, service)
  const faults = createFaults({
    list: state.faults,
    handle: serve,
    problem: service.problem,
    random: state.random.faults,
    wait: options.wait,
    pseudonymOf: callers.pseudonymOf,
    prefer: options.prefer,
  })
  const base = createBase(state.plants, options.fixtures)
  const hidden = hiddenChanges(watched === undefined ? [state.hidden] : [state.hidden, watched.hidden])
  const parts = { state, service, faults, base, hidden, watched, onLoad: options.onLoad }
  const source = options.snapshotSource ?? storeSnapshots
  const context: CommandContext = {
    ...parts,
    initialAssumptions: state.assumptions,
    snapshots: new NamedSnapshots({
      capture: () => source(context).capture(),
      restore: (saved) => source(context).restore(saved),
    }),
  }
  const run = ((name, argument) => {
    const { changes, run } = commandNamed(name)
    return andThen(run(context, argument), (result) => {
      if (changes.length > 0 && hasChanged(result)) events.changed(...changes)
      return result
    })
  }) as RunMockCommand
  const api = instanceApi({
    run,
    isRemote: false,
    async snapshot() {
      const restore = await captureStore(context)
      return async () => {
        await restore()
        events.changed('plants', 'assumptions')
      }
    },
    listen: async (onEntry) =>
      events.listen(({ type }) => {
        if (type === 'request') onEntry()
      }),
  })

  const recordReply = (call: Call, reply: Reply, received: number, milliseconds: number): number => {
    const id = state.journal.record(call, reply, received, milliseconds, state.assumptions)
    state.coverage.count(reply)
    events.requestRecorded(id)
    options.observer?.exchangeRecorded(watched !== undefined)
    return id
  }
  const record = (call: Call, reply: Reply, received: number): Reply => {
    recordReply(call, reply, received, clock() - received)
    return reply
  }

  const notFilled = (error: unknown): Reply =>
    service.problem({
      problem: 'internal-error',
      detail: `The fixtures could not be stored: ${messageOf(error)}`,
    })

  const respond = (call: Call): MaybePromise<Reply> => {
    const { ready } = base
    return ready === undefined ? faults.handle(call) : ready.then(() => faults.handle(call), notFilled)
  }

  return {
    ...api,
    api,
    run,
    state,
    base,
    snapshots: context.snapshots,
    record,
    recordReply,
    handle(call) {
      const received = clock()
      const reply = respond(call)
      return isPromise(reply) ? reply.then((reply) => record(call, reply, received)) : record(call, reply, received)
    },
    send(call) {
      const received = clock()
      return andThen(respond(call), (reply) => {
        discardRest(reply.meta.forwarded)
        return recordReply(call, reply, received, clock() - received)
      })
    },
    model: service.handle,
    draw: faults.draw,
    finish: (call, drawn, received, milliseconds) =>
      andThen(drawn === undefined ? serve(call) : faults.play(drawn, call), (reply) => ({
        id: recordReply(call, reply, received, milliseconds),
        reply,
      })),
    problem: service.problem,
    get inForce() {
      return state.assumptions
    },
    get maxBodySize() {
      // The upstream enforces its own limit.
      return upstream === undefined ? maxBodySize(state.assumptions) : maxHeldBody
    },
    get exchanges() {
      return state.journal.latest
    },
    entry: (id) => state.journal.entry(id),
    entries: (filter) => state.journal.entries(filter),
    countViolations: () => state.journal.countViolations(),
    async countPlants() {
      await base.ready
      return countPlants(state.plants)
    },
    async eachPlant() {
      await base.ready
      return mapLazily(await (state.plants.rows?.() ?? state.plants.all()), asFixture)
    },
    lines: (after, max) => state.journal.lines(after, max),
    close() {
      state.journal.close()
      events.closed()
    },
    listen: events.listen,
    get hasListeners() {
      return events.hasListeners
    },
    onLeft: events.onLeft,
  }
}

/** Captures plants and assumptions, with what an observer knows of them; the result restores them. */
const captureStore = async (context: CommandContext): Promise<() => Promise<void>> => {
  const { state, base, watched } = context
  await base.ready
  const { assumptions } = state
  const restorePlants = await state.plants.snapshot()
  const restoreWatched = watched?.snapshot()
  return async () => {
    const restored = restorePlants()
    setAssumptions(context, assumptions)
    state.forgetCalls()
    await restored
    restoreWatched?.()
  }
}

const storeSnapshots = (context: CommandContext): SnapshotSource<unknown> => ({
  capture: () => captureStore(context),
  restore: (restore) => (restore as () => Promise<void>)(),
})

/** An observer watches a service whose state is in memory, and instead of which no upstream replies. */
const createInstanceService = ({
  state,
  callers,
  observer,
  ...options
}: MockInstanceOptions): { readonly service: Service; readonly watched: WatchedService | undefined } => {
  const serviceOptions: ServiceOptions = {
    store: state.plants,
    hidden: state.hidden,
    rates: state.rates,
    assumptions: state.assumptions,
    random: state.random.lists,
    tokens: new Set([...options.tokens, ...callers.configured]),
    callerOf: callers.callerOf,
  }
  if (observer === undefined || options.upstream !== undefined || !isMemoryStore(state.plants))
    return { watched: undefined, service: createService(serviceOptions) }
  const { fixed, seed } = options
  const watched = observer.watch({ ...serviceOptions, store: state.plants, fixed, seed })
  return { watched, service: watched }
}

const isMemoryStore = (store: PlantStore): store is MemoryStore => 'preview' in store

/** The upstream, if there is one, handles the operations of the contract; the service everything else. */
const throughUpstream = (upstream: UpstreamHandler | undefined, service: Service): Service['handle'] =>
  upstream === undefined
    ? service.handle
    : (call) =>
        call.operation === undefined ? service.handle(call) : upstream(call, call.operation, () => service.handle(call))
