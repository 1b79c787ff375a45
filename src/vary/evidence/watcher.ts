import { maxBodySize } from '../../core/assumptions/body-size.ts'
import type { Assume, AssumptionId } from '../../core/assumptions/registry.ts'
import type { Watcher, WatchOptions } from '../../core/mock/observer.ts'
import { changedExchange } from './changed-exchange.ts'
import type { EvidenceLog } from './evidence-log.ts'
import { type MutantId, mutants } from './mutants.ts'
import { lifetimeKey, type ServePlan, whole } from './serve-plan.ts'
import { createShadows, type Variant } from './shadows.ts'
import { currentTestFile } from './test-process.ts'

type Options = WatchOptions & {
  readonly evidence: EvidenceLog
  /** The mutants of this run. Default: it looks for alternatives. */
  readonly plan: ServePlan | undefined
  /** Those of the code that runs tests. */
  readonly globals: object
}

/** How evidence names a variant. */
type Shown = {
  /** In the list of alternatives, or of mutants; -1 for none. */
  readonly position: number
  /** The name with which responses that differ are written; `undefined` to write none. */
  readonly as: string | undefined
}

type Sought = Variant & Shown

/**
 * Writes which alternatives, or which mutants of the plan, would change what an instance replies. Where the plan serves
 * mutants, the instance is one, and the evidence says what it has changed.
 */
export const createWatcher = ({ evidence, plan, globals, fixed, ...instance }: Options): Watcher => {
  const { serve } = plan ?? {}
  const sought = serve === undefined ? soughtIn(evidence, plan, fixed) : []
  const shadows = createShadows(serve === undefined ? sought : [unchanged], instance)
  /** Of the state, by number. Numbered at its first exchange, so that instances and resets without one leave no gap. */
  let lifetime: number | undefined
  const savedLifetimes = new Map<unknown, number | undefined>()

  const served = (): MutantId | undefined => {
    if (serve === undefined) return undefined
    const file = currentTestFile(globals)
    const own = lifetime === undefined ? undefined : serve[lifetimeKey(file, lifetime)]
    return own ?? (file === undefined ? undefined : serve[file]) ?? serve[whole]
  }

  /** What it shows that a shadow differs. */
  const shownBy = (shadow: number): Shown | undefined => {
    const id = served()
    return id === undefined ? sought[shadow] : { position: plan?.mutants.indexOf(id) ?? -1, as: id }
  }

  const writeVisible = (others: Iterable<number>, since?: number): void => {
    const alternatives = [...others].flatMap((shadow) => shownBy(shadow)?.position ?? []).filter((at) => at !== -1)
    if (alternatives.length > 0) evidence.write({ type: 'visible', alternatives, lifetime }, since)
  }

  const fix = (ids: readonly string[]): void => {
    if (plan === undefined && ids.length > 0) evidence.write({ type: 'fixed', ids: ids as readonly AssumptionId[] })
  }
  fix(fixed)

  return {
    step(state, request, assumptions, call) {
      const since = evidence.now()
      if (plan !== undefined) lifetime ??= evidence.nextLifetime(currentTestFile(globals))
      const mutant = served()
      const { main, others } = shadows.step([state, request, assumptions], mutant && mutants[mutant])
      writeVisible(others.keys(), since)
      for (const [shadow, other] of others) {
        const { as } = shownBy(shadow) ?? {}
        if (as !== undefined) evidence.writeDifference(as, changedExchange(call, other, main.reply), since)
      }
      return main
    },
    run(name, memory, argument) {
      const { outcome, others } = shadows.run(name, memory, argument)
      writeVisible(others)
      if ('error' in outcome) throw outcome.error
      if (name === 'assume') fix(Object.keys(argument as Assume))
      if (name === 'reset' || name === 'load') lifetime = undefined
      if (name === 'takeSnapshot') savedLifetimes.set(outcome.result, lifetime)
      if (name === 'restoreSnapshot' && outcome.result === true) lifetime = savedLifetimes.get(argument)
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
      ...sought.map(({ assume: { 'body.maxSize': size } }) =>
        size === undefined ? 0 : maxBodySize({ 'body.maxSize': size }),
      ),
    ),
  }
}

const unchanged: Variant = { assume: {} }

const soughtIn = (
  { alternatives }: EvidenceLog,
  plan: ServePlan | undefined,
  fixed: readonly AssumptionId[],
): readonly Sought[] =>
  plan?.mutants.map((id, position) => ({ assume: {}, mutant: mutants[id], position, as: undefined })) ??
  [...alternatives.entries()].flatMap(([position, { id, value, isShown = false }]) =>
    fixed.includes(id) ? [] : { assume: { [id]: value }, position, as: isShown ? id : undefined },
  )
