import { type Assume, type AssumptionId, maxBodySize } from '../../core/assumptions/registry.ts'
import type { MockObserver, Watcher, WatchOptions } from '../../core/mock/observer.ts'
import { changedExchange } from './changed-exchange.ts'
import type { EvidenceLog } from './evidence-log.ts'
import { mutants } from './mutants.ts'
import { assumeOf, type Change, type ChangeKey, keyOf, type Plan } from './plan.ts'
import { createShadows, type Variant } from './shadows.ts'

export const evidenceObserver = (evidence: EvidenceLog, plan: Plan): MockObserver => {
  // Serves no mutants for a mock with a custom store, whose responses cannot be replaced.
  const unwatched = plan.changes.filter((change) => !('mutant' in change)).map(keyOf)
  const needsWatcher = unwatched.length < plan.changes.length
  return {
    exchangeRecorded(isWatched) {
      if (isWatched || !needsWatcher) evidence.write({ type: 'exchange' })
      // With a custom store, vary cannot predict responses, so every alternative counts as visible.
      if (!isWatched && unwatched.length > 0) evidence.write({ type: 'visible', changes: unwatched })
    },
    watch: (options) => createWatcher({ ...options, evidence, plan }),
  }
}

type Options = WatchOptions & { readonly evidence: EvidenceLog; readonly plan: Plan }

const createWatcher = ({ evidence, plan, fixed, ...instance }: Options): Watcher => {
  const { changes, areServed } = plan
  const isFree = (change: Change): boolean => 'mutant' in change || !fixed.includes(change.id)
  const sought = areServed ? [withoutChanges(changes.filter(isFree))] : changes.filter(isFree).map(variantOf)
  const shadows = createShadows(sought, instance)
  const [first] = areServed ? changes : []
  const mutant = first && 'mutant' in first ? mutants[first.mutant] : undefined

  const writeVisible = (differing: readonly number[], since?: number): void => {
    const keys = differing.flatMap((shadow) => sought[shadow]?.keys ?? [])
    if (keys.length > 0) evidence.write({ type: 'visible', changes: keys }, since)
  }

  const fix = (ids: readonly AssumptionId[]): void => {
    if (ids.length > 0) evidence.write({ type: 'fixed', ids })
  }
  fix(fixed)

  return {
    step(state, request, assumptions, call) {
      const since = evidence.now()
      const { main, differing } = shadows.step([state, request, assumptions], mutant)
      writeVisible([...differing.keys()], since)
      const before = areServed ? differing.get(0) : undefined
      if (before !== undefined)
        evidence.write(
          { type: 'difference', changes: changes.map(keyOf), ...changedExchange(call, before, main.reply) },
          since,
        )
      return main
    },
    run(name, memory, argument) {
      const { outcome, differing } = shadows.run(name, memory, argument)
      writeVisible(differing)
      if ('error' in outcome) throw outcome.error
      if (name === 'assume') fix(Object.keys(argument as Assume) as AssumptionId[])
      return outcome
    },
    adopted: shadows.adopted,
    replied: (problem, reply) => writeVisible(shadows.differIn(problem, reply)),
    snapshot: shadows.snapshot,
    maxBodySize: Math.max(
      0,
      ...sought.flatMap(({ assume: { 'body.maxSize': size } }) =>
        size === undefined ? [] : maxBodySize({ 'body.maxSize': size }),
      ),
    ),
  }
}

type Sought = Variant & { readonly keys: readonly ChangeKey[] }

const variantOf = (change: Change): Sought => ({
  assume: assumeOf([change]),
  ...('mutant' in change && { mutant: mutants[change.mutant] }),
  keys: [keyOf(change)],
})

const withoutChanges = (changes: readonly Change[]): Sought => ({
  assume: Object.fromEntries(changes.flatMap((change) => ('mutant' in change ? [] : [[change.id, change.base]]))),
  keys: changes.map(keyOf),
})
