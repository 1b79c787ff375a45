import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'
import type { Caller } from '../contract/schemas.ts'
import { bodyTooLarge, type Exchange } from '../http/exchange.ts'
import type { Reply } from '../http/reply.ts'
import { type HiddenPlants, hiddenPlants } from '../operations/hidden-plants.ts'
import type { Call } from '../service/call.ts'
import { type RateLimit, rateLimit } from '../service/rate-limit.ts'
import { createService, maxBodySize, type Service, type ServiceOptions } from '../service/service.ts'
import type { MemoryStore } from '../store/memory-store.ts'
import type { CreateResult, StoredPlant } from '../store/plant-store.ts'
import { seededRandom } from '../util/random.ts'
import type { Alternative, Evidence } from './evidence.ts'

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

  const createShadows = (): readonly Shadow[] =>
    evidence.alternatives.flatMap((alternative, index) =>
      fixed.has(alternative.id) || assumptions[alternative.id] === alternative.value
        ? []
        : [createShadow(index, alternative, assumptions, { ...options, random: random.view })],
    )

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
      shadows = undefined
    },
    restarted() {
      parted = new Set()
      fixed = initiallyFixed
      shadows = undefined
      random.restart()
    },
    snapshot() {
      const saved = { parted, fixed }
      return () => {
        ;({ parted, fixed } = saved)
        shadows = undefined
      }
    },
  }
}

/** The result of a call under an alternative. */
type Trial = { readonly reply: Reply; readonly effect: Effect }

/** A plant that a call created or replaced. */
type Effect = { readonly caller: Caller; readonly result: CreateResult } | undefined

type Shadow = {
  /** The position of the alternative in the evidence. */
  readonly index: number
  /** Every possible result, as a rule one. */
  handle(call: Call): readonly Trial[]
  problem: Service['problem']
  /** Takes note of what the instance itself has stored. */
  follow(effect: Effect): void
}

const createShadow = (
  index: number,
  { id, value }: Alternative,
  base: Assumptions,
  options: Omit<Options, 'random'> & { readonly random: () => () => number },
): Shadow => {
  const assumptions = { ...base, [id]: value } as Assumptions
  let effect: Effect
  // State that depends on this assumption alone evolves apart; other state is read from the instance.
  const ownHidden = id === 'create.visibility' ? hiddenPlants() : undefined
  const hidden: HiddenPlants = ownHidden === undefined ? readOnlyHidden(options.hidden) : { ...ownHidden, add() {} }
  const rates = id === 'rate.limit' ? rateLimit() : readOnlyRates(options.rates)
  let random = options.random()
  const ownRandom = id === 'list.order' && value === 'shuffled' ? seededRandom(options.seed) : undefined
  const service = createService({
    ...options,
    assumptions,
    hidden,
    rates,
    random: ownRandom ?? (() => random()),
    store: {
      ...options.store,
      create(caller, plant, onDuplicate) {
        const result = options.store.preview(caller, plant, onDuplicate)
        effect = effectOf(caller, result)
        return result
      },
    },
  })
  return {
    index,
    handle(call) {
      return possibleExchanges(call.exchange, base, assumptions).map((exchange) => {
        effect = undefined
        random = options.random()
        const reply = service.handle(exchange === call.exchange ? call : { ...call, exchange }) as Reply
        return { reply, effect }
      })
    },
    problem: service.problem,
    follow(actual) {
      if (actual?.result.outcome === 'created')
        ownHidden?.add(actual.caller, actual.result.plant, assumptions['create.visibility'])
    },
  }
}

const effectOf = (caller: Caller, result: CreateResult): Effect =>
  result.outcome === 'created' || result.outcome === 'replaced' ? { caller, result } : undefined

const readOnlyHidden = (hidden: HiddenPlants): HiddenPlants => ({
  ...hidden,
  add() {},
  take: (caller) => hidden.peek(caller),
  clear() {},
})

const readOnlyRates = (rates: RateLimit): RateLimit => ({ ...rates, isExceeded: rates.peek, clear() {} })

/** The exchanges that an adapter may pass on under other assumptions: the size of a body that was not kept is unknown. */
const possibleExchanges = (exchange: Exchange, base: Assumptions, assumptions: Assumptions): readonly Exchange[] => {
  const { body } = exchange
  const max = maxBodySize(assumptions)
  if (body === undefined || max === maxBodySize(base)) return [exchange]
  if (typeof body === 'string')
    return [encoder.encode(body).length <= max ? exchange : { ...exchange, body: bodyTooLarge }]
  if (body === bodyTooLarge && max < maxBodySize(base)) return [exchange]
  return [exchange, { ...exchange, body: body === bodyTooLarge ? '' : bodyTooLarge }]
}

const encoder = new TextEncoder()

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

const isSameReply = (a: Reply, b: Reply): boolean =>
  a.status === b.status &&
  a.body === b.body &&
  a.headers.length === b.headers.length &&
  a.headers.every((part, index) => part === b.headers[index])

const isSameEffect = (a: Effect, b: Effect): boolean => {
  if (a === undefined || b === undefined) return a === b
  return a.result.outcome === b.result.outcome && isSamePlant(a.result.plant, b.result.plant)
}

const isSamePlant = (a: StoredPlant, b: StoredPlant): boolean =>
  a.id === b.id && a.name === b.name && a.tag === b.tag && a.access?.join() === b.access?.join()
