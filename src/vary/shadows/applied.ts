import type { AssumptionId } from '../../core/assumptions/registry.ts'
import type { Reply } from '../../core/http/reply.ts'
import type { WatchedService } from '../../core/mock/observer.ts'
import { createService } from '../../core/service/service.ts'
import type { MemoryStore } from '../../core/store/memory-store.ts'
import { differenceOf } from './difference.ts'
import { lookahead } from './lookahead.ts'
import type { ApplyPlan, PlannedOptions } from './serve-plan.ts'
import { createShadow, isSameEffect, isSameReply, type OwnState, ownState, type ShadowTrial } from './shadow.ts'
import { observedStore } from './shadows.ts'
import { currentTestFile } from './test-process.ts'

type Options = PlannedOptions<ApplyPlan>

/**
 * Creates a service that handles some exchanges of a test file under alternatives. The service as it is and the one under
 * the alternatives both take part in every exchange, so each counts requests and draws random numbers as if alone. The
 * store is shared: it keeps what the one stores that replies.
 */
export const createAppliedService = (options: Options): WatchedService => {
  const { evidence, plan, store, globals } = options
  const random = lookahead(options.random)
  let isApplied = false
  let assumptions = options.assumptions
  let fixed: ReadonlySet<AssumptionId> = new Set(options.fixed)
  let own = ownStates(options)
  const effective: MemoryStore['create'] = (...plant) => (isApplied ? store.preview(...plant) : store.create(...plant))
  const observed = observedStore({ ...store, create: effective })
  const service = createService({ ...options, store: observed.store, random: random.next })
  let alternative = shadow()

  function shadow() {
    const preview: MemoryStore['preview'] = (...plant) => (isApplied ? store.create(...plant) : store.preview(...plant))
    const inForce = plan.alternatives.filter(({ id }) => !fixed.has(id))
    return createShadow(inForce, assumptions, own, { ...options, store: { ...store, preview }, random: random.view })
  }

  const renew = (): void => {
    own = ownStates(options)
    alternative = shadow()
  }

  return {
    handle(call) {
      const since = evidence.now()
      const file = currentTestFile(globals)
      const exchange = evidence.count('exchange', file)
      const { operation = 'exchange' } = call
      const name = `${operation} ${operation === 'exchange' ? exchange : evidence.count(operation, file)}`
      isApplied = plan.exchanges?.includes(name) ?? true
      const early = isApplied ? undefined : alternative.handle(call)[0]
      observed.begin()
      const reply = service.handle(call) as Reply
      const other = early ?? (alternative.handle(call)[0] as ShadowTrial)
      random.commit()
      own.follow?.(isApplied ? other.effect : observed.effect())
      if (!isSameReply(reply, other.reply) || !isSameEffect(observed.effect(), other.effect))
        evidence.writeDifference('applied', { ...differenceOf(call, reply, other.reply), exchange, name }, since)
      return isApplied ? other.reply : reply
    },
    problem: service.problem,
    assume(changed) {
      assumptions = changed
      service.assume(changed)
      alternative = shadow()
    },
    fix(ids) {
      fixed = new Set([...fixed, ...ids])
      alternative = shadow()
    },
    stateRead() {},
    plantsReplaced: renew,
    restarted() {
      fixed = new Set(options.fixed)
      random.restart()
      renew()
    },
    hidden: {
      changed: (changes) => own.hidden?.changed(changes),
      removeAll: () => own.hidden?.removeAll(),
    },
    snapshot() {
      const saved = fixed
      return () => {
        fixed = saved
        renew()
      }
    },
  }
}

/** Each alternative has another part of it. */
const ownStates = ({ plan, seed }: Options): OwnState =>
  Object.assign({}, ...plan.alternatives.map((alternative) => ownState(alternative, seed)))
