import type { AssumptionId } from '../../core/assumptions/registry.ts'
import type { OperationId } from '../../core/contract/operation-ids.ts'
import type { Reply } from '../../core/http/reply.ts'
import type { WatchedService, WatchOptions } from '../../core/mock/observer.ts'
import { type HiddenChanges, hiddenChanges } from '../../core/operations/hidden-plants.ts'
import { createService } from '../../core/service/service.ts'
import type { MemoryStore } from '../../core/store/memory-store.ts'
import { changedExchange } from './changed-exchange.ts'
import type { Alternative, EvidenceLog } from './evidence-log.ts'
import { lookahead } from './lookahead.ts'
import {
  createShadow,
  effectOf,
  isSameEffect,
  isSameReply,
  type OwnState,
  ownState,
  recordReads,
  type Shadow,
  type ShadowEffect,
  type ShadowOptions,
} from './shadow.ts'

type Options = WatchOptions & { readonly evidence: EvidenceLog }

type ShadowsOptions = ShadowOptions & Pick<Options, 'evidence' | 'assumptions'>

/**
 * Creates a service that compares each reply with the one that it would have given under each alternative, and writes
 * down those that differ. Shadows read the state of the instance, so they cost no memory, and are exact until the shadow's
 * state would diverge.
 */
export const createShadowedService = (options: Options): WatchedService => {
  const { evidence, store } = options
  const random = lookahead(options.random)
  const observed = observedStore(store)
  const service = createService({ ...options, store: observed.store, random: random.next })
  let assumptions = options.assumptions
  let fixed: ReadonlySet<AssumptionId> = new Set()
  let parted: ReadonlySet<number> = new Set()
  let states: OwnStates = ownStates(options)
  let compare: Compare | undefined

  const inEachShadow: Compare = (operation, play) => {
    compare ??= comparison({ ...options, assumptions, random: random.view }, fixed, states)
    return compare(operation, play)
  }

  /** The instance has forgotten the calls before: hidden plants, request counts. Its random sources go on. */
  const forget = (): void => {
    compare = undefined
    states = ownStates(options, states)
  }

  const ownHidden = (): HiddenChanges => hiddenChanges([...states.values()].flatMap(({ hidden }) => hidden ?? []))

  const write = (alternatives: readonly number[], since?: number): void => {
    if (alternatives.length > 0) evidence.write({ type: 'visible', alternatives }, since)
  }

  const fix = (ids: readonly AssumptionId[]): void => {
    if (ids.length === 0) return
    fixed = new Set([...fixed, ...ids])
    compare = undefined
    evidence.write({ type: 'fixed', ids })
  }
  fix(options.fixed)
  const initiallyFixed = fixed

  return {
    handle(call) {
      const since = evidence.now()
      const results = inEachShadow(call.operation, (shadow) => shadow.handle(call))
      observed.begin()
      const reply = service.handle(call) as Reply
      random.commit()
      const effect = observed.effect()
      const visible = new Set(parted)
      const newlyParted = new Set(parted)
      for (const [index, trials] of results) {
        const other = trials.find((trial) => !isSameReply(reply, trial.reply))
        if (other !== undefined) visible.add(index)
        const { id, isShown = false } = evidence.alternatives[index] as Alternative
        if (other !== undefined && isShown)
          evidence.writeDifference(id, changedExchange(call, other.reply, reply), since)
        if (!trials.every((trial) => isSameEffect(effect, trial.effect))) newlyParted.add(index)
      }
      for (const { follow } of states.values()) follow?.(effect)
      parted = newlyParted
      for (const index of parted) visible.add(index)
      write([...visible], since)
      return reply
    },
    problem(problem) {
      const reply = service.problem(problem)
      const results = inEachShadow(undefined, (shadow) => shadow.problem(problem))
      write(results.flatMap(([index, other]) => (isSameReply(reply, other) ? [] : [index])))
      return reply
    },
    assume(changed) {
      assumptions = changed
      compare = undefined
      service.assume(changed)
    },
    fix,
    stateRead: () => write([...parted]),
    plantsReplaced() {
      parted = new Set()
      forget()
    },
    restarted() {
      parted = new Set()
      fixed = initiallyFixed
      compare = undefined
      states = ownStates(options)
      random.restart()
    },
    hidden: {
      changed: (changes) => ownHidden().changed(changes),
      removeAll: () => ownHidden().removeAll(),
    },
    snapshot() {
      const saved = { parted, fixed }
      return () => {
        ;({ parted, fixed } = saved)
        forget()
      }
    },
  }
}

type OwnStates = ReadonlyMap<number, OwnState>

/**
 * The state of each alternative that has its own, by its position.
 * @param before The states whose random sources go on. Default: they start again.
 */
const ownStates = ({ evidence, seed }: Options, before?: OwnStates): OwnStates =>
  new Map(
    [...evidence.alternatives.entries()].flatMap(([index, alternative]) => {
      const made = ownState(alternative, seed)
      if (made === undefined) return []
      return [[index, (made.random && before?.get(index)) ?? made] as const]
    }),
  )

/**
 * Plays something in each shadow whose result could differ; the results come with the position of the alternative.
 * @param operation The operation that it belongs to.
 */
type Compare = <Result>(
  operation: OperationId | undefined,
  play: (shadow: Shadow) => Result,
) => readonly (readonly [number, Result])[]

/**
 * perf: a service for each alternative costs more than the mock itself, but most assumptions have no part in a call. A
 * probe under the assumptions in force shows which ones it reads. A service prepares some things once, when it is created
 * or at the first call of an operation, so reads count for all later calls of the operation.
 */
const comparison = (options: ShadowsOptions, fixed: ReadonlySet<AssumptionId>, states: OwnStates): Compare => {
  const { assumptions, evidence } = options
  const reads = recordReads(assumptions)
  const probe = createShadow([], reads.assumptions, undefined, options)
  const prepared = reads.take()
  const read = new Map<OperationId | undefined, Set<AssumptionId>>()
  const shadows = new Map<number, Shadow>()
  const candidates = [...evidence.alternatives.entries()].filter(
    ([, { id, value }]) => !fixed.has(id) && assumptions[id] !== value,
  )
  const shadowOf = (index: number, alternative: Alternative): Shadow => {
    const shadow = shadows.get(index) ?? createShadow([alternative], assumptions, states.get(index), options)
    shadows.set(index, shadow)
    return shadow
  }
  return (operation, play) => {
    play(probe)
    const relevant = new Set([...(read.get(operation) ?? prepared), ...reads.take()])
    read.set(operation, relevant)
    return candidates.flatMap(([index, alternative]) =>
      relevant.has(alternative.id) || states.has(index) ? [[index, play(shadowOf(index, alternative))] as const] : [],
    )
  }
}

/** The store of the instance, which reports what a call stored. */
const observedStore = (store: MemoryStore) => {
  let effect: ShadowEffect
  return {
    store: {
      ...store,
      create(...[caller, plant, onDuplicate]: Parameters<MemoryStore['create']>) {
        const result = store.create(caller, plant, onDuplicate)
        effect = effectOf(caller, result)
        return result
      },
    },
    begin() {
      effect = undefined
    },
    effect: () => effect,
  }
}
