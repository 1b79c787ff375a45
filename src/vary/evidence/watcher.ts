import { maxBodySize } from '../../core/assumptions/body-size.ts'
import type { Assume, AssumptionId, Assumptions } from '../../core/assumptions/registry.ts'
import type { Watcher, WatchOptions } from '../../core/mock/observer.ts'
import { changedExchange } from './changed-exchange.ts'
import type { EvidenceLog } from './evidence-log.ts'
import { type MutantId, mutants } from './mutants.ts'
import { assumeOf, type Change, keyOf, type Plan, whole } from './plan.ts'
import { createShadows, type Variant } from './shadows.ts'
import { currentTestFile } from './test-process.ts'

type Options = WatchOptions & {
  readonly evidence: EvidenceLog
  readonly plan: Plan
  /** The globals of the code that runs tests. */
  readonly globals: object
  /** Identifies the set of modules whose variables the mock shares. */
  readonly realm: string
}

/** Facts that are reset and restored together with the state of the instance. */
type Lifetime = {
  /** The changes that the instance serves, by position. */
  readonly served: readonly number[]
  /** The assumptions that code has set. Alternatives never replace them. */
  readonly own: readonly AssumptionId[]
}

/**
 * Records which changes of the plan would change the replies of an instance. If the plan serves changes, the instance
 * applies them, and the evidence records which responses they changed.
 */
export const createWatcher = ({ evidence, plan, globals, realm, fixed, ...instance }: Options): Watcher => {
  const { changes, serve } = plan
  const initial: Lifetime = { served: none, own: fixed }
  const sought = serve === undefined ? soughtIn(changes, fixed) : [unchangedBy(changes, serve[whole] ?? none, fixed)]
  const shadows = createShadows(sought, instance)
  let lifetime = initial
  const savedLifetimes = new Map<unknown, Lifetime>()

  const servedNow = (): readonly number[] => serve?.[currentTestFile(globals) ?? whole] ?? serve?.[whole] ?? none
  const mutantServed = (): MutantId | undefined => {
    for (const position of lifetime.served) {
      const change = changes[position]
      if (change !== undefined && 'mutant' in change) return change.mutant
    }
    return undefined
  }

  /** @param others The shadows that differ. */
  const writeVisible = (others: readonly number[], since?: number): void => {
    if (others.length === 0) return
    const shown = serve === undefined ? others.map((shadow) => sought[shadow]?.position ?? 0) : servedNow()
    if (shown.length > 0) evidence.write({ type: 'visible', changes: shown, realm }, since)
  }

  const fix = (ids: readonly AssumptionId[]): void => {
    if (ids.length > 0) evidence.write({ type: 'fixed', ids })
  }
  fix(fixed)

  return {
    current(memory) {
      const served = servedNow()
      if (served === lifetime.served) return memory
      const assumptions: Assumptions = {
        ...memory.assumptions,
        ...assumeIn(lifetime, changes, 'base'),
        ...assumeIn({ ...lifetime, served }, changes, 'value'),
      }
      return { ...memory, assumptions }
    },
    step(state, request, assumptions, call) {
      lifetime = { ...lifetime, served: servedNow() }
      const since = evidence.now()
      const mutant = mutantServed()
      const { main, others } = shadows.step([state, request, assumptions], mutant && mutants[mutant])
      writeVisible([...others.keys()], since)
      const [first] = lifetime.served
      const change = first === undefined ? undefined : changes[first]
      const unchanged = serve === undefined ? undefined : others.get(0)
      if (change !== undefined && unchanged !== undefined)
        evidence.writeDifference(keyOf(change), changedExchange(call, unchanged, main.reply), since)
      return main
    },
    run(name, memory, argument) {
      const { outcome, others } = shadows.run(name, memory, argument)
      writeVisible(others)
      if ('error' in outcome) throw outcome.error
      if (name === 'assume') {
        const ids = Object.keys(argument as Assume) as AssumptionId[]
        lifetime = { ...lifetime, own: [...lifetime.own, ...ids] }
        fix(ids)
      }
      if (name === 'reset') lifetime = initial
      if (name === 'takeSnapshot') savedLifetimes.set(outcome.result, lifetime)
      if (name === 'restoreSnapshot' && outcome.result === true) lifetime = savedLifetimes.get(argument) ?? lifetime
      return outcome
    },
    adopted: shadows.adopted,
    replied: (problem, reply) => writeVisible(shadows.differIn(problem, reply)),
    snapshot() {
      const saved = lifetime
      const restore = shadows.snapshot()
      return () => {
        restore()
        lifetime = saved
      }
    },
    maxBodySize: Math.max(
      0,
      ...changes.flatMap((change) =>
        'mutant' in change || change.id !== 'body.maxSize' ? [] : maxBodySize(assumeOf([change]) as Assumptions),
      ),
    ),
  }
}

const none: readonly number[] = []

const positionsIn = (changes: readonly Change[], positions: readonly number[]): readonly Change[] =>
  positions.flatMap((position) => changes[position] ?? [])

/** The assumptions that the served changes set: with the values of the changes, or with their base values. */
const assumeIn = (
  { served, own }: Pick<Lifetime, 'served' | 'own'>,
  changes: readonly Change[],
  part: 'value' | 'base',
): Assume =>
  Object.fromEntries(
    positionsIn(changes, served).flatMap((change) =>
      'mutant' in change || own.includes(change.id) ? [] : [[change.id, change[part]]],
    ),
  )

type Sought = Variant & { readonly position: number }

const soughtIn = (changes: readonly Change[], fixed: readonly AssumptionId[]): readonly Sought[] =>
  [...changes.entries()].flatMap(([position, change]) => {
    if ('mutant' in change) return { assume: {}, mutant: mutants[change.mutant], position }
    return fixed.includes(change.id) ? [] : { assume: { [change.id]: change.value }, position }
  })

/** A shadow with the base values. The environment gives the served changes to the instance itself. */
const unchangedBy = (changes: readonly Change[], served: readonly number[], own: readonly AssumptionId[]): Sought => ({
  assume: assumeIn({ served, own }, changes, 'base'),
  position: -1,
})
