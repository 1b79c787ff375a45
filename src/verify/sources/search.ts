import { decidesPart } from '../../core/assumptions/points.ts'
import {
  type AssumptionId,
  type Assumptions,
  type AssumptionValue,
  assumptionRegistry,
  rowOf,
} from '../../core/assumptions/registry.ts'
import { decidedBy, type Item, type Replay, type Replayed } from '../read/replay.ts'
import { candidatesOf, type estimatesOf, formsOf, withForms } from './candidates.ts'

export type Candidate = { readonly value: AssumptionValue; readonly replayed: Replayed }

const maxRounds = 5
/** A candidate that is worse by this weight is abandoned. */
const margin = 20
/** The number of exchanges that may differ because other clients use the service. */
const maxNoise = 3
export const tryEach = (
  id: AssumptionId,
  values: readonly AssumptionValue[],
  replay: Replay,
  assume: Assumptions,
  than: Replayed,
): readonly Candidate[] =>
  values.map((value) => ({
    value,
    replayed: replay({ ...assume, [id]: value } as Assumptions, {
      than,
      by: margin,
      max: Number.POSITIVE_INFINITY,
    }),
  }))

/** Takes the best value of each point until nothing changes (coordinate descent). */
export const descend = (
  items: readonly Item[],
  replay: Replay,
  start: Assumptions,
  estimates: ReturnType<typeof estimatesOf>,
): Assumptions => {
  let assume = start
  let current = replay(assume)
  let suggested = withForms(estimates, formsOf(items, current, assume))
  const improve = (candidates: Iterable<Assumptions>): void => {
    for (const candidate of candidates) {
      const replayed = replay(candidate, { than: current, by: margin, max: current.cost })
      if (replayed.cost >= current.cost) continue
      assume = candidate
      current = replay(candidate)
      suggested = withForms(estimates, formsOf(items, current, assume))
    }
  }
  for (
    let round = 0, last = Number.POSITIVE_INFINITY;
    current.cost > 0 && current.cost < last && round < maxRounds;
    round++
  ) {
    last = current.cost
    for (const { id } of assumptionRegistry)
      if (isConcerned(id, current, suggested)) improve(variants([id], assume, suggested))
    // One wrong value can hide the effect of another: change both at once.
    if (current.cost > 0 && current.cost === last) for (const ids of together) improve(variants(ids, assume, suggested))
    if (missedIn(current) > maxNoise && current.cost === last) improve(variants(stateful, assume, suggested))
  }
  return assume
}

/** Points whose values hide each other's effect. */
export const together: readonly (readonly AssumptionId[])[] = assumptionRegistry.flatMap(({ id }) => {
  const { hiddenBy } = rowOf(id)
  return hiddenBy === undefined ? [] : [[id, ...hiddenBy]]
})
const stateful = assumptionRegistry.map(({ id }) => id).filter((id) => decidesPart(id, 'plants'))

export const missedIn = ({ differences }: Replayed): number => differences.filter((mask) => mask > 0).length

/** All combinations of values of these points. */
const variants = (
  [id, ...others]: readonly AssumptionId[],
  assume: Assumptions,
  estimates: ReturnType<typeof estimatesOf>,
): readonly Assumptions[] =>
  id === undefined
    ? [assume]
    : candidatesOf(id, assume, estimates).flatMap((value) =>
        variants(others, { ...assume, [id]: value } as Assumptions, estimates),
      )

/** Whether a point decided a reply, or the exchanges suggest a value for it. */
export const isConcerned = (
  id: AssumptionId,
  { replies }: Replayed,
  estimates: ReturnType<typeof estimatesOf>,
): boolean => (estimates[id] ?? []).length > 0 || replies.some((reply) => decidedBy(reply).includes(id))
