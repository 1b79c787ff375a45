import type { AssumptionId, Assumptions } from '../../core/assumptions/registry.ts'
import { bodyTooLarge, type Exchange, withBody } from '../../core/http/exchange.ts'
import type { Reply } from '../../core/http/reply.ts'
import { type HiddenPlants, hiddenPlants } from '../../core/operations/hidden-plants.ts'
import type { Call } from '../../core/service/call.ts'
import { type RateLimit, rateLimit } from '../../core/service/rate-limit.ts'
import { createService, maxBodySize, type Service, type ServiceOptions } from '../../core/service/service.ts'
import type { MemoryStore } from '../../core/store/memory-store.ts'
import type { CreateResult, StoredPlant } from '../../core/store/plant-store.ts'
import { seededRandom } from '../../util/random.ts'
import type { Alternative } from './evidence-log.ts'

export type ShadowOptions = Omit<ServiceOptions, 'store' | 'random' | 'assumptions'> & {
  readonly store: MemoryStore
  /** Returns a source of the random numbers that the next call of the instance will draw. */
  readonly random: () => () => number
}

export type ShadowTrial = { readonly reply: Reply; readonly effect: ShadowEffect }

export type ShadowEffect = { readonly caller: string; readonly result: CreateResult } | undefined

export type Shadow = {
  /** Every possible result, as a rule one. */
  handle(call: Call): readonly ShadowTrial[]
  problem: Service['problem']
}

/** State that depends on one assumption alone and evolves apart; other state is read from the instance. */
export type OwnState = {
  readonly hidden?: HiddenPlants
  readonly rates?: RateLimit
  readonly random?: () => number
  /** Takes note of what the instance itself has stored. */
  readonly follow?: (effect: ShadowEffect) => void
}

/** @returns `undefined` for an alternative without state of its own. */
export const ownState = ({ id, value }: Alternative, seed: number): OwnState | undefined => {
  if (id === 'rate.limit') return { rates: rateLimit() }
  if (id === 'list.order' && value === 'shuffled') return { random: seededRandom(seed) }
  if (id !== 'create.visibility') return undefined
  const hidden = hiddenPlants()
  return {
    hidden: { ...hidden, add() {} },
    follow(effect) {
      if (effect?.result.outcome === 'created')
        hidden.add(effect.caller, effect.result.plant, value as Assumptions['create.visibility'])
    },
  }
}

/** @param alternatives None, so that the results are those of the instance; or those to apply. */
export const createShadow = (
  alternatives: readonly Alternative[],
  base: Assumptions,
  own: OwnState | undefined,
  options: ShadowOptions,
): Shadow => {
  const assumptions: Assumptions =
    alternatives.length === 0
      ? base
      : { ...base, ...Object.fromEntries(alternatives.map(({ id, value }) => [id, value])) }
  let effect: ShadowEffect
  let random = options.random()
  const service = createService({
    ...options,
    assumptions,
    hidden: own?.hidden ?? readOnlyHidden(options.hidden),
    rates: own?.rates ?? readOnlyRates(options.rates),
    random: own?.random ?? (() => random()),
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
    handle(call) {
      return possibleExchanges(call.exchange, base, assumptions).map((exchange) => {
        effect = undefined
        random = options.random()
        const reply = service.handle(exchange === call.exchange ? call : { ...call, exchange }) as Reply
        return { reply, effect }
      })
    },
    problem: service.problem,
  }
}

/** Assumptions that note which of them are read; `take` returns those since the last time. */
export const recordReads = (assumptions: Assumptions) => {
  let reads = new Set<AssumptionId>()
  return {
    assumptions: new Proxy(assumptions, {
      get(target, id: AssumptionId) {
        reads.add(id)
        return target[id]
      },
    }),
    take(): ReadonlySet<AssumptionId> {
      const taken = reads
      reads = new Set()
      return taken
    },
  }
}

export const effectOf = (caller: string, result: CreateResult): ShadowEffect =>
  result.outcome === 'created' || result.outcome === 'replaced' ? { caller, result } : undefined

const readOnlyHidden = (hidden: HiddenPlants): HiddenPlants => ({
  ...hidden,
  add() {},
  take: (caller) => hidden.peek(caller),
  clear() {},
})

const readOnlyRates = (rates: RateLimit): RateLimit => ({ ...rates, isExceeded: rates.peek, clear() {} })

/** The exchanges as an adapter may pass them on under other assumptions; the size of a dropped body is unknown. */
const possibleExchanges = (exchange: Exchange, base: Assumptions, assumptions: Assumptions): readonly Exchange[] => {
  const { body } = exchange
  const max = maxBodySize(assumptions)
  if (body === undefined || max === maxBodySize(base)) return [exchange]
  if (typeof body === 'string') {
    const size = encoder.encode(body).length
    const tooLarge = withBody(exchange, bodyTooLarge)
    if (size > max) return [tooLarge]
    return size + byteOrderMark > max ? [exchange, tooLarge] : [exchange]
  }
  if (body === bodyTooLarge && max < maxBodySize(base)) return [exchange]
  return [exchange, withBody(exchange, body === bodyTooLarge ? '' : bodyTooLarge)]
}

const encoder = new TextEncoder()
/** In bytes. Decoding removes it. */
const byteOrderMark = 3

export const isSameReply = (a: Reply, b: Reply): boolean =>
  a.status === b.status &&
  a.body === b.body &&
  a.headers.length === b.headers.length &&
  a.headers.every((part, index) => part === b.headers[index])

export const isSameEffect = (a: ShadowEffect, b: ShadowEffect): boolean => {
  if (a === undefined || b === undefined) return a === b
  return a.result.outcome === b.result.outcome && isSamePlant(a.result.plant, b.result.plant)
}

const isSamePlant = (a: StoredPlant, b: StoredPlant): boolean =>
  a.id === b.id && a.name === b.name && a.tag === b.tag && a.access?.join() === b.access?.join()
