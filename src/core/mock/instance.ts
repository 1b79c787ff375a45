import { mapLazily } from '../../util/lazy.ts'
import { andThen, type MaybePromise } from '../../util/maybe-promise.ts'
import { messageOf } from '../../util/words.ts'
import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'
import type { OperationId } from '../contract/operation-ids.ts'
import type { FixturePlant } from '../contract/schemas.ts'
import { createFaults, type DrawnFaults, type Faults } from '../faults/faults.ts'
import { maxHeldBody } from '../http/exchange.ts'
import type { Reply } from '../http/reply.ts'
import type { Journal } from '../journal/journal.ts'
import { hiddenChanges } from '../operations/hidden-plants.ts'
import type { Problem } from '../operations/operation.ts'
import type { Call } from '../service/call.ts'
import { createService, maxBodySize, type Service, type ServiceOptions } from '../service/service.ts'
import type { MemoryStore } from '../store/memory-store.ts'
import { asFixture, countPlants, type PlantStore } from '../store/plant-store.ts'
import type { PlantTable } from '../store/plant-table.ts'
import { type CommandContext, setAssumptions } from './command-row.ts'
import { commandNamed, hasChanged, type RunMockCommand } from './commands.ts'
import type { CoverageCounter } from './coverage.ts'
import { type InstanceApi, instanceApi, snapshotGone } from './instance-api.ts'
import { NamedSnapshots, type SnapshotSource } from './named-snapshots.ts'
import { type MockEvent, type MockEvents, type MockObserver, mockEvents } from './observer.ts'
import { type Base, createBase, type MockState, memoryState, type StateOptions } from './state.ts'
import { clock, waitFor } from './time.ts'

/** One mock of the service: the mock itself, or one of its sessions. Adapters and the control interface use it. */
export interface MockInstance
  extends InstanceApi,
    Pick<MockEvents, 'listen' | 'hasListeners' | 'onLeft'>,
    Pick<Journal, 'entry' | 'entries' | 'countViolations' | 'lines'> {
  readonly api: InstanceApi
  /** Runs a command, and tells listeners what it has changed. */
  readonly run: RunMockCommand
  /** Handles and records a call. It never throws, and is synchronous unless the store or a delay is not. */
  handle(call: Call): MaybePromise<RecordedReply>
  /** Records what something else responded to. @param milliseconds From `received` on. Default: until now. */
  record(call: Call, reply: Reply, received: number, milliseconds?: number): MaybePromise<number>
  /** A problem outside of any operation, in the form of `error.body`. */
  problem(problem: Problem): Reply
  readonly inForce: Assumptions
  readonly maxBodySize: number
  /** How many exchanges were recorded. */
  readonly exchanges: number
  countPlants(): Promise<number>
  /** Every plant, in the order in which they were added. Each is made when it is taken. */
  eachPlant(): Promise<Iterable<FixturePlant>>
  /** Clears the journal and records nothing more. Listeners get the event `closed`. */
  close(): void
}

/** A mock instance of this process, with the parts that a state outside of the process replicates. */
export interface LocalInstance extends MockInstance {
  readonly state: MockState
  readonly base: Base
  readonly draw: Faults['draw']
  /** Handles a call whose faults are drawn, and whose delay is over. */
  play(call: Call, drawn: DrawnFaults | undefined): MaybePromise<Reply>
  readonly snapshots: NamedSnapshots<unknown>
  record(call: Call, reply: Reply, received: number, milliseconds?: number): number
}

/** A reply, and the id of its exchange in the journal; 0 with the reason if it was not recorded. */
export type RecordedReply = { readonly id: number; readonly reply: Reply; readonly failure?: unknown }

/** Responds to the contract's operations instead of the model. */
export type UpstreamHandler = (call: Call, operation: OperationId) => MaybePromise<Reply>

export type InstanceSettings = StateOptions & {
  /** Accepted under `auth.tokens=listed`, beside the configured callers. */
  readonly tokens: readonly string[]
  readonly upstream: UpstreamHandler | undefined
  /** `undefined` outside of `plant-mock vary`. */
  readonly observer: MockObserver | undefined
  /** The assumptions that no variation reaches, because code sets them. */
  readonly fixed: readonly AssumptionId[]
  readonly prefer: boolean
  /** Captures and restores what snapshots keep. Default: by the snapshots of the store, which only this process can read. */
  readonly snapshotSource: ((instance: CommandContext) => SnapshotSource<unknown>) | undefined
}

type InstanceParts = {
  readonly store: PlantStore
  readonly fixtures: MaybePromise<PlantTable | undefined>
  readonly coverage: CoverageCounter
  readonly onLoad: (fixtures: PlantTable) => void
  readonly observe: ((event: MockEvent) => void) | undefined
}

/**
 * Creates a mock instance. A call passes from the outside in: faults, the upstream if there is one, the service. With a
 * store in memory, all effects are synchronous; with an asynchronous store, calls wait until it holds the fixtures.
 */
export const createMockInstance = (settings: InstanceSettings, parts: InstanceParts): LocalInstance => {
  const { callers, upstream, observer } = settings
  const state = memoryState(settings, parts.store, parts.coverage)
  const base = createBase(parts.store, parts.fixtures)
  const events = mockEvents(parts.observe)
  let isClosed = false
  const options = serviceOptions(settings, state)
  const { plants } = state
  // An observer watches a service whose state is in memory, and instead of which no upstream replies.
  const watched =
    upstream === undefined && isMemoryStore(plants)
      ? observer?.watch({ ...options, store: plants, fixed: settings.fixed, seed: settings.seed })
      : undefined
  const service = watched ?? createService(options)
  const serve = upstream === undefined ? service.handle : throughUpstream(upstream, service)
  const faults = createFaults({
    list: state.faults,
    handle: serve,
    problem: service.problem,
    random: state.random.faults,
    wait: waitFor,
    pseudonymOf: callers.pseudonymOf,
    prefer: settings.prefer,
  })
  const source = settings.snapshotSource ?? storeSnapshots
  const context: CommandContext = {
    state,
    service,
    faults,
    base,
    watched,
    hidden: hiddenChanges(watched === undefined ? [state.hidden] : [state.hidden, watched.hidden]),
    onLoad: parts.onLoad,
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
        if (isClosed) throw snapshotGone()
        await restore()
        events.changed('plants', 'assumptions')
      }
    },
    listen: async (onEntry) =>
      events.listen(({ type }) => {
        if (type === 'request') onEntry()
      }),
  })

  const record = (call: Call, reply: Reply, received: number, milliseconds = clock() - received): number => {
    const id = state.journal.record(call, reply, received, milliseconds, state.assumptions)
    state.coverage.count(reply)
    events.emit({ type: 'request', id })
    // An override is no request to this mock.
    if (reply.meta.forwarded?.by !== 'handlers') observer?.exchangeRecorded(watched !== undefined)
    return id
  }

  const notFilled = (error: unknown): Reply =>
    service.problem({ problem: 'internal-error', detail: `The fixtures could not be stored: ${messageOf(error)}` })

  return {
    ...api,
    api,
    run,
    state,
    base,
    draw: faults.draw,
    snapshots: context.snapshots,
    record,
    handle(call) {
      const received = clock()
      const reply =
        base.ready === undefined ? faults.handle(call) : base.ready.then(() => faults.handle(call), notFilled)
      return andThen(reply, (reply) => ({ id: record(call, reply, received), reply }))
    },
    play: (call, drawn) => (drawn === undefined ? serve(call) : faults.play(drawn, call)),
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
      watched?.stateRead()
      await base.ready
      return mapLazily(await (state.plants.rows?.() ?? state.plants.all()), asFixture)
    },
    lines: (after, max) => state.journal.lines(after, max),
    close() {
      isClosed = true
      state.journal.close()
      events.emit({ type: 'closed' })
    },
    listen: events.listen,
    get hasListeners() {
      return events.hasListeners
    },
    onLeft: events.onLeft,
  }
}

const serviceOptions = ({ callers, tokens }: InstanceSettings, state: MockState): ServiceOptions => ({
  store: state.plants,
  hidden: state.hidden,
  rates: state.rates,
  assumptions: state.assumptions,
  random: state.random.lists,
  tokens: new Set([...tokens, ...callers.configured]),
  callerOf: callers.callerOf,
})

const isMemoryStore = (store: PlantStore): store is MemoryStore => 'preview' in store

/** The upstream handles the operations of the contract; the service everything else. */
const throughUpstream =
  (upstream: UpstreamHandler, service: Service): Service['handle'] =>
  (call) =>
    call.operation === undefined ? service.handle(call) : upstream(call, call.operation)

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
