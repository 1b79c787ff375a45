import type { MaybePromise } from '../../util/maybe-promise.ts'
import { messageOf } from '../../util/words.ts'
import type { AssumptionId } from '../assumptions/registry.ts'
import type { OperationId } from '../contract/operation-ids.ts'
import type { Caller } from '../contract/schemas.ts'
import { createFaults, type DrawnFaults, type Faults } from '../faults/faults.ts'
import type { Reply } from '../http/reply.ts'
import type { CallerRegistry } from '../journal/callers.ts'
import type { Call } from '../service/call.ts'
import { createService, type Service, type ServiceOptions } from '../service/service.ts'
import type { MemoryStore } from '../store/memory-store.ts'
import type { PlantStore } from '../store/plant-store.ts'
import type { Base } from './base.ts'
import type { MockObserver, WatchedService } from './observer.ts'
import type { MockState } from './state.ts'

/** Responds to the contract's operations instead of the model; `model` gives the model's own reply. */
export type UpstreamHandler = (
  call: Call,
  operation: OperationId,
  model: () => MaybePromise<Reply>,
) => MaybePromise<Reply>

export type PipelineOptions = {
  readonly state: MockState
  /** Accepted under `auth.tokens=listed`, beside the configured callers. */
  readonly tokens: readonly Caller[]
  readonly callers: CallerRegistry
  readonly upstream: UpstreamHandler | undefined
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** `undefined` outside of `plant-mock vary`. */
  readonly observer: MockObserver | undefined
  /** The assumptions that no variation reaches, because code sets them. */
  readonly fixed: readonly AssumptionId[]
  readonly seed: number
  /** See FaultsOptions. */
  readonly prefer: boolean
}

/** The parts that a call passes, from the outside in: faults, the upstream if there is one, the service. */
export type Pipeline = {
  readonly service: Service
  /** The service, where an observer watches it. */
  readonly watched: WatchedService | undefined
  readonly faults: Faults
  /** Handles a call, once the fixtures are loaded. */
  readonly handle: (call: Call) => MaybePromise<Reply>
  /** Handles a call whose faults are drawn, and whose delay is over. */
  readonly play: (call: Call, drawn: DrawnFaults | undefined) => MaybePromise<Reply>
}

export const createPipeline = (options: PipelineOptions, base: Pick<Base, 'ready'>): Pipeline => {
  const { state, callers, upstream } = options
  const { service, watched } = createInstanceService(options)
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
  const notFilled = (error: unknown): Reply =>
    service.problem({ problem: 'internal-error', detail: `The fixtures could not be stored: ${messageOf(error)}` })
  return {
    service,
    watched,
    faults,
    handle: (call) =>
      base.ready === undefined ? faults.handle(call) : base.ready.then(() => faults.handle(call), notFilled),
    play: (call, drawn) => (drawn === undefined ? serve(call) : faults.play(drawn, call)),
  }
}

/** An observer watches a service whose state is in memory, and instead of which no upstream replies. */
const createInstanceService = ({
  state,
  callers,
  observer,
  ...options
}: PipelineOptions): Pick<Pipeline, 'service' | 'watched'> => {
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
