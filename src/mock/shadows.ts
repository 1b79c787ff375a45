import type { AssumptionId } from '../assumptions/registry.ts'
import type { Reply } from '../http/reply.ts'
import { createService, type Service, type ServiceOptions } from '../service/service.ts'
import type { MemoryStore } from '../store/memory-store.ts'
import type { Evidence } from './evidence.ts'
import {
  createShadow,
  type Effect,
  effectOf,
  isSameEffect,
  isSameReply,
  type OwnState,
  ownState,
  type Shadow,
} from './shadow.ts'

/** The service of a mock instance whose replies are compared with those under each alternative. */
export interface ShadowedService extends Service {
  /** A test sets these assumptions itself, from now on. */
  fix(ids: readonly AssumptionId[]): void
  /** Plants were read past the service: a state that would be another under an alternative shows now. */
  stateRead(): void
  /** The plants were replaced: they do not differ any more. */
  plantsReplaced(): void
  /** Plants and assumptions were restored to those of the start. */
  restarted(): void
  /** Captures what differs; the result restores it together with the plants. */
  snapshot(): () => void
}

type Options = Omit<ServiceOptions, 'store'> & {
  readonly store: MemoryStore
  readonly evidence: Evidence
  /** The assumptions that no variation reaches. */
  readonly fixed: readonly AssumptionId[]
  /** Of shuffled lists. */
  readonly seed: number
}

/**
 * Creates a service that compares each reply with the one that it would have given under each alternative, and writes
 * down those that differ. Shadows read the state of the instance as it was before a call, and change none of it; so they
 * cost no memory, and are exact as long as the state under the alternative would be the same. Once it would be another,
 * the alternative counts as visible in every later call, until the state is restored.
 */
export const createShadowedService = (options: Options): ShadowedService => {
  const { evidence, store } = options
  const random = lookahead(options.random)
  const observed = observedStore(store)
  const service = createService({ ...options, store: observed.store, random: random.next })
  let assumptions = options.assumptions
  let fixed: ReadonlySet<AssumptionId> = new Set()
  let parted: ReadonlySet<number> = new Set()
  let shadows: readonly Shadow[] | undefined
  let states: readonly OwnState[] = []

  const createShadows = (): readonly Shadow[] => {
    if (states.length === 0) states = evidence.alternatives.map((alternative) => ownState(alternative, options.seed))
    return evidence.alternatives.flatMap((alternative, index) =>
      fixed.has(alternative.id) || assumptions[alternative.id] === alternative.value
        ? []
        : [
            createShadow(index, alternative, assumptions, states[index] as OwnState, {
              ...options,
              random: random.view,
            }),
          ],
    )
  }

  /** The instance has forgotten the calls before: hidden plants, request counts. */
  const forget = (): void => {
    shadows = undefined
    states = []
  }

  const write = (alternatives: readonly number[], since: number | undefined): void => {
    if (alternatives.length > 0) evidence.write({ type: 'visible', alternatives }, since)
  }

  const fix = (ids: readonly AssumptionId[]): void => {
    if (ids.length === 0) return
    fixed = new Set([...fixed, ...ids])
    shadows = undefined
    evidence.write({ type: 'fixed', ids })
  }
  fix(options.fixed)
  const initiallyFixed = fixed

  return {
    handle(call) {
      shadows ??= createShadows()
      const since = evidence.now()
      const trials = shadows.map((shadow) => shadow.handle(call))
      observed.begin()
      const reply = service.handle(call) as Reply
      random.commit()
      const effect = observed.effect()
      const visible = new Set(parted)
      const newlyParted = new Set(parted)
      for (const [position, shadow] of shadows.entries()) {
        const possible = trials[position] ?? []
        if (!possible.every((trial) => isSameReply(reply, trial.reply))) visible.add(shadow.index)
        if (!possible.every((trial) => isSameEffect(effect, trial.effect))) newlyParted.add(shadow.index)
        shadow.follow(effect)
      }
      parted = newlyParted
      for (const index of parted) visible.add(index)
      write([...visible], since)
      return reply
    },
    problem(problem) {
      shadows ??= createShadows()
      const reply = service.problem(problem)
      const differing = shadows.filter((shadow) => !isSameReply(reply, shadow.problem(problem)))
      write(
        differing.map(({ index }) => index),
        undefined,
      )
      return reply
    },
    assume(changed) {
      assumptions = changed
      shadows = undefined
      service.assume(changed)
    },
    fix,
    stateRead: () => write([...parted], undefined),
    plantsReplaced() {
      parted = new Set()
      forget()
    },
    restarted() {
      parted = new Set()
      fixed = initiallyFixed
      forget()
      random.restart()
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

/** The store of the instance, which reports what a call stored. */
const observedStore = (store: MemoryStore) => {
  let effect: Effect
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

/** Lets shadows read the random numbers that the next call will draw. */
const lookahead = (source: () => number) => {
  let ahead: number[] = []
  let drawn = 0
  const at = (position: number): number => {
    while (ahead.length <= position) ahead.push(source())
    return ahead[position] as number
  }
  return {
    next: () => at(drawn++),
    /** The numbers from now on, without drawing them. */
    view() {
      let position = 0
      return () => at(position++)
    },
    /** Forgets the numbers that were drawn. */
    commit() {
      ahead = ahead.slice(drawn)
      drawn = 0
    },
    restart() {
      ahead = []
      drawn = 0
    },
  }
}
