import { decidesPart } from '../../core/assumptions/points.ts'
import {
  type AssumptionId,
  type Assumptions,
  type AssumptionValue,
  assumptionRegistry,
  rowOf,
} from '../../core/assumptions/registry.ts'
import type { Reply } from '../../core/http/reply.ts'
import { concernsOf } from '../../core/operations/operations.ts'
import { type Candidates, candidatesOf, createForms, type Forms } from './candidates.ts'
import {
  createFolder,
  decidedBy,
  differingReplies,
  type Fold,
  type Folder,
  type Item,
  type Start,
  stepAt,
  weightOf,
} from './fold.ts'

export type Search = {
  readonly best: Fold
  readonly fold: Folder
  readonly forms: Forms
  readonly candidatesAt: (id: AssumptionId) => readonly AssumptionValue[]
}

const maxRounds = 20

export const isStateful = (id: AssumptionId): boolean => stateful.includes(id)

export const changed = (assume: Assumptions, id: AssumptionId, value: AssumptionValue): Assumptions =>
  ({ ...assume, [id]: value }) as Assumptions

export const affectedBy = (id: AssumptionId, items: readonly Item[], { replies }: Fold): readonly number[] => {
  const isAffected = ({ purpose, sent: { operation } }: Item, i: number): boolean => {
    if (purpose === id) return true
    if (isStateful(id)) return operation !== undefined
    const isConcerned = concernsOf(operation).some((one) => rowOf(id).decides[one] !== undefined)
    return decidedBy(replies[i]).includes(id) || (hasParameter(id) && isConcerned)
  }
  return items.flatMap((item, i) => (isAffected(item, i) ? [i] : []))
}

/** Coordinate descent: sets one assumption at a time to its best value, until no change lowers the cost. */
export const search = (items: readonly Item[], start: Start, from: Assumptions, estimates: Candidates): Search => {
  const fold = createFolder(items, start)
  const readForms = createForms(items)
  const order = estimates['list.order']?.includes('shuffled') ? 'shuffled' : from['list.order']
  let best = fold({ ...from, 'list.order': order })
  let forms = readForms(best)
  const indexes = items.map((_, i) => i)
  const itemAt = (i: number): Item => items[i] as Item
  const differsAt = (i: number): number => best.differences[i] ?? 0

  const candidatesAt = (id: AssumptionId): readonly AssumptionValue[] =>
    start.known.has(id)
      ? []
      : candidatesOf(id, best.assume, estimates, forms).filter((value) => value !== best.assume[id])

  const take = (next: Fold): void => {
    best = next
    forms = readForms(best)
  }

  const costOf = (assume: Assumptions, at: readonly number[]): number => {
    let cost = 0
    for (const i of at) {
      cost += weightOf(stepAt(best, itemAt(i), i, assume).differs) - weightOf(differsAt(i))
      if (cost >= 0 && differsAt(i) === 0) return cost
    }
    return cost
  }

  const improve = (id: AssumptionId): void => {
    const affected = affectedBy(id, items, best)
    const open = affected.filter((i) => differsAt(i) > 0)
    if (open.length === 0) return
    const rest = affected.filter((i) => differsAt(i) === 0)
    let next: { readonly cost: number; readonly assume: Assumptions; readonly fold?: Fold } | undefined
    for (const value of candidatesAt(id)) {
      const assume = changed(best.assume, id, value)
      if (isStateful(id)) {
        const folded = fold(assume, next?.cost ?? best.cost)
        if (folded.cost < (next?.cost ?? best.cost)) next = { cost: folded.cost, assume, fold: folded }
        continue
      }
      const gain = costOf(assume, open)
      const cost = best.cost + (gain < 0 ? costOf(assume, [...open, ...rest]) : 0)
      if (cost < (next?.cost ?? best.cost)) next = { cost, assume }
    }
    if (next !== undefined) take(next.fold ?? refolded(next.assume, affected))
  }

  const refolded = (assume: Assumptions, affected: readonly number[]): Fold => {
    const [replies, differences] = [[...best.replies], [...best.differences]]
    let { cost } = best
    for (const i of affected) {
      const { reply, differs } = stepAt(best, itemAt(i), i, assume)
      cost += weightOf(differs) - weightOf(differsAt(i))
      replies[i] = reply
      differences[i] = differs
    }
    return { ...best, assume, replies, differences, cost }
  }

  /** Changes two assumptions at once, because a wrong value of one can hide the effect of the other. */
  const improvePairs = (): void => {
    const seen = new Set<string>()
    let folds = 0
    for (const i of indexes) {
      const differs = differsAt(i)
      const key = `${decidedBy(best.replies[i]).join()} ${differs}`
      if (differs === 0 || seen.has(key) || seen.size > maxKinds) continue
      seen.add(key)
      for (const [assume, isLate] of pairsAt(i)) {
        if (isLate && folds++ > maxFolds) continue
        if (!isLate && weightOf(stepAt(best, itemAt(i), i, assume).differs) >= weightOf(differs)) continue
        const folded = fold(assume, best.cost)
        if (folded.cost >= best.cost) continue
        take(folded)
        return
      }
    }
  }

  function* pairsAt(i: number): Generator<readonly [Assumptions, boolean]> {
    for (const id of decidedBy(best.replies[i]))
      for (const value of candidatesAt(id)) {
        const assume = changed(best.assume, id, value)
        const { reply } = stepAt(best, itemAt(i), i, assume)
        if (differingReplies(reply, best.replies[i] as Reply) === 0) continue
        for (const other of decidedBy(reply))
          if (other !== id)
            for (const one of candidatesAt(other))
              yield [changed(assume, other, one), isStateful(id) && decidesPart(other, 'length', 'plants', 'limit')]
      }
  }

  for (const _ of ['forms', 'others'])
    take(
      fold({
        ...best.assume,
        ...Object.fromEntries([...forms].map(([id, { found }]) => [id, found.value ?? best.assume[id]])),
      } as Assumptions),
    )

  for (
    let round = 0, last = Number.POSITIVE_INFINITY;
    best.cost > 0 && best.cost < last && round < maxRounds;
    round++
  ) {
    last = best.cost
    for (const id of local) improve(id)
    if (best.cost < last) take(fold(best.assume))
    for (const id of shown) improve(id)
    if (best.cost >= last) for (const id of stateful) improve(id)
    if (best.cost >= last) improvePairs()
  }
  take(fold(best.assume))
  return { best, fold, forms, candidatesAt }
}

export const ids = assumptionRegistry.map(({ id }) => id)
const stateful = ids.filter((id) => decidesPart(id, 'plants'))
const isOfJson = (id: AssumptionId): boolean => id.startsWith('json.')
const shown = ids.filter((id) => decidesPart(id, 'plant') && !isOfJson(id))
const local = [...ids.filter(isOfJson), ...ids.filter((id) => ![...stateful, ...shown].includes(id) && !isOfJson(id))]

const maxKinds = 12
const maxFolds = 150

const hasParameter = (id: AssumptionId): boolean =>
  rowOf(id).form !== undefined && decidesPart(id, 'length', 'outcome', 'plants')
