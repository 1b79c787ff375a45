import type { Concern } from '../../core/assumptions/form.ts'
import { operationIds } from '../../core/assumptions/operation-ids.ts'
import { pointsBehind } from '../../core/assumptions/points.ts'
import type { AssumptionId, Assumptions } from '../../core/assumptions/registry.ts'
import type { ProblemType } from '../../core/contract/problems.ts'
import type { ShownPlant } from '../../core/contract/schemas.ts'
import { isShownPlant } from '../../core/contract/schemas.ts'
import { headerValue } from '../../core/http/headers.ts'
import type { Reply } from '../../core/http/reply.ts'
import { Plants } from '../../core/model/plants.ts'
import { changePlants, initialState, type State } from '../../core/model/state.ts'
import { step } from '../../core/model/step.ts'
import { concernsOf } from '../../core/operations/operations.ts'
import { isJsonObject, jsonOrUndefined } from '../../util/json.ts'
import { answerParts, type CompareOptions, differingParts, normalType } from '../read/answer.ts'
import { answerOf, compareOptions, follow } from '../read/imitation.ts'
import { existingIn, initialPlants } from '../read/recording.ts'
import { elementsOf, succeeded } from '../read/response.ts'
import { isList } from '../read/test-request.ts'
import { type Item, parts, statedOf } from './items.ts'

/** By the bits of `parts`. A wrong outcome or status weighs more than the form of the body. */
const weights = [3, 1, 1, 5]
const weightOf = (mask: number): number => weights.reduce((sum, one, i) => sum + (mask & (1 << i) ? one : 0), 0)

/** The reply of the model to each exchange, and the parts in which it differs from the recorded response. */
export type Replayed = {
  readonly replies: readonly Reply[]
  readonly differences: readonly number[]
  /** The weight of the differences up to each exchange. */
  readonly costs: readonly number[]
  /** The weight of all differences; infinite if the replay stopped early. */
  readonly cost: number
}

type Limit = { readonly than: Replayed; readonly by: number; readonly max: number }

/** @param counted How many requests each caller had sent before the recording (`rate.limit`). */
export const createReplay = (items: readonly Item[], counted: ReadonlyMap<string, number>) => {
  const stated = statedOf(items)
  /** Ids of existing plants, from creates that return the existing plant: lists show no ids. */
  const ids = new Map<string, number>()
  for (const item of stated) {
    const existing = existingIn(item)
    const { id } = isJsonObject(item.request.json) ? item.request.json : {}
    if (existing !== undefined && typeof id === 'number') ids.set(keyOf(existing), id)
  }
  const initial = new Map<string, State>()
  const initialOf = (order: Assumptions['list.order']): State => {
    const known = initial.get(order)
    if (known !== undefined) return known
    const plants = initialPlants(
      stated,
      order,
      { idOf: (plant) => ids.get(keyOf(plant)), keyOf: () => undefined },
      ({ caller }) => caller,
    )
    const state = { ...initialState(Plants.from(plants), 1), rates: counted }
    initial.set(order, state)
    return state
  }
  /** perf: the steps of the last complete replay. A candidate repeats most of them, because it differs at one point. */
  const known: (Stepped & { readonly state: State; readonly values: string; readonly failureValues: string })[] = []

  /**
   * Replays the exchanges with the model. @param limit Stops when the cost exceeds `max`, or the cost of `than` by more
   * than `by`.
   */
  return (assume: Assumptions, limit?: Limit): Replayed => {
    const options = compareOptions(assume)
    const values = new Map([...operationIds, undefined].map((one) => [one, valuesAt(assume, ...concernsOf(one))]))
    const failureValues = valuesAt(assume, 'failures')
    const isNewestFirst = assume['list.order'] === 'newest'
    let state = initialOf(assume['list.order'])
    const replies: Reply[] = []
    const differences: number[] = []
    const costs: number[] = []
    let cost = 0
    for (const [i, item] of items.entries()) {
      const before = known[i]
      const own = values.get(item.sent.operation) ?? ''
      const isSame =
        before?.state === state &&
        before.values === own &&
        (problemOf(before.reply) === undefined || before.failureValues === failureValues)
      const stepped = isSame ? before : stepWith(state, item, assume, options, isNewestFirst)
      if (limit === undefined) known[i] = { ...stepped, state, values: own, failureValues }
      const { reply, differs } = stepped
      state = stepped.next
      replies.push(reply)
      differences.push(differs)
      cost += weightOf(differs)
      costs.push(cost)
      if (limit !== undefined && cost > Math.min((limit.than.costs[i] ?? 0) + limit.by, limit.max))
        return { replies, differences, costs, cost: Number.POSITIVE_INFINITY }
    }
    return { replies, differences, costs, cost }
  }
}

/** The values of the points that can change these replies. */
const valuesAt = (assume: Assumptions, ...concerns: readonly Concern[]): string =>
  pointsBehind(concerns)
    .map((id) => assume[id])
    .join('\n')

type Stepped = { readonly next: State; readonly reply: Reply; readonly differs: number }

const stepWith = (
  state: State,
  item: Item,
  assume: Assumptions,
  options: CompareOptions,
  isNewestFirst: boolean,
): Stepped => {
  const { state: after, reply } = step(state, item.sent, assume)
  const differs = differenceOf(item, reply, options)
  const isFollowed = differs & (parts.body | parts.outcome)
  const followed = isFollowed ? follow(after, { ...item, response: item.seen }, reply) : after
  const isListed = (differs & ~item.ignored & parts.body) > 0
  const next = isListed ? withListed(followed, item, reply, isNewestFirst) : followed
  return { next, reply, differs: differs & ~item.ignored }
}

const differenceOf = (item: Item, reply: Reply, options: CompareOptions): number => {
  const { seen, request, text, known } = item
  const isAlike = succeeded(seen) === succeeded({ ...seen, status: reply.status })
  if (!isAlike || (succeeded(seen) && request.method !== 'HEAD')) {
    const isSameText =
      options.isShuffled && isList(request) && isAlike
        ? elementsOf(seen).length === listIn(reply).length
        : isAlike && reply.body === text
    return (
      (seen.status === reply.status ? 0 : parts.status) |
      (normalType(seen.headers.get('content-type')) === normalType(headerValue(reply.headers, 'content-type'))
        ? 0
        : parts.type) |
      (isSameText ? 0 : parts.body) |
      (isAlike ? 0 : parts.outcome)
    )
  }
  const key = JSON.stringify([reply.status, reply.headers, reply.body, options.textTemplates])
  const found = known.get(key)
  if (found !== undefined) return found
  const differing = differingParts(seen, answerOf(request, reply), options)
  const mask = answerParts.reduce((sum, part) => sum + (differing.includes(part) ? parts[part] : 0), 0)
  known.set(key, mask)
  return mask
}

const listIn = ({ body = '' }: Reply): readonly ShownPlant[] => {
  const json = jsonOrUndefined(body)
  return Array.isArray(json) ? json : []
}

/** A plant of a list or of the model, whose tag may be missing. */
type Shown = { readonly name: string; readonly tag?: string | null | undefined }

/** Identifies a plant by the fields that lists show. */
export const keyOf = ({ name, tag }: Shown): string => `${name}\n${tag ?? ''}`

/** Multiset difference. */
const without = <One extends Shown>(plants: readonly One[], others: readonly Shown[]): readonly One[] => {
  const left = new Map<string, number>()
  for (const one of others) left.set(keyOf(one), (left.get(keyOf(one)) ?? 0) + 1)
  return plants.filter((one) => {
    const count = left.get(keyOf(one)) ?? 0
    left.set(keyOf(one), count - 1)
    return count <= 0
  })
}

/** Multiset intersection. */
const common = <One extends Shown>(plants: readonly One[], others: readonly Shown[]): readonly One[] =>
  others.length === 0 ? [] : without(plants, without(plants, others))

/** Applies changes by other clients or operations to the state, so that each change counts as one difference. */
const withListed = (state: State, { caller, request, seen }: Item, reply: Reply, isNewestFirst: boolean): State => {
  if (!isList(request) || caller === undefined || !succeeded(seen) || reply.status >= 300) return state
  const listed = elementsOf(seen).filter(isShownPlant)
  const isCut = request.path.includes('limit=') || listed.length === listIn(reply).length
  const before = storedBy(state, caller)
  const gone = isCut ? [] : without(listIn(reply), listed)
  const removed = common(before, gone).map(({ position }) => [position, undefined] as const)
  const added = without(listed, before).map(({ name, tag }) => ({
    name,
    tag: tag ?? undefined,
    id: undefined,
    access: [caller],
  }))
  const rest = changePlants(state, new Map(removed))
  const next = { ...rest, plants: rest.plants.appendAll(added) }
  const shown = common(removed.length + added.length === 0 ? before : storedBy(next, caller), listed)
  const byKey = new Map<string, typeof shown>()
  for (const plant of shown) byKey.set(keyOf(plant), [...(byKey.get(keyOf(plant)) ?? []), plant])
  const ordered = isNewestFirst ? listed.toReversed() : listed
  const moved = ordered.flatMap((plant, i) => {
    const [first, ...others] = byKey.get(keyOf(plant)) ?? []
    byKey.set(keyOf(plant), others)
    const position = shown[i]?.position
    return first === undefined || position === undefined || first.position === position
      ? []
      : [[position, first] as const]
  })
  return changePlants(next, new Map(moved))
}

const storedBy = ({ plants }: State, caller: string) =>
  plants.visibleTo(caller).map((position) => ({ ...plants.at(position), position }))

/** The assumptions behind a reply, and its problem. */
export const decidedBy = (reply: Reply | undefined): readonly AssumptionId[] => reply?.meta.assumptions ?? []
export const problemOf = (reply: Reply | undefined): ProblemType | undefined => reply?.meta.problem

/** Whether one response is a success and the other a failure. */
export const isOtherOutcome = ({ differences }: Replayed, i: number): boolean =>
  ((differences[i] ?? 0) & parts.outcome) > 0
