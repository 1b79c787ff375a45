import type { Concern } from '../../core/assumptions/form.ts'
import { operationIds } from '../../core/assumptions/operation-ids.ts'
import { formAssumptions, pointsBehind } from '../../core/assumptions/points.ts'
import type { AssumptionId, Assumptions } from '../../core/assumptions/registry.ts'
import { partsOfTemplate } from '../../core/assumptions/template.ts'
import type { CallerKey } from '../../core/contract/caller.ts'
import type { ProblemType } from '../../core/contract/problems.ts'
import { isPlantId, isShownPlant, type ShownPlant } from '../../core/contract/schemas.ts'
import { headerEntries, headerValue } from '../../core/http/headers.ts'
import type { Reply } from '../../core/http/reply.ts'
import { responseHeaders } from '../../core/http/source.ts'
import { isSamePlant, Plants, type StoredPlant } from '../../core/model/plants.ts'
import { readRequest, type ServiceRequest } from '../../core/model/request.ts'
import { changePlants, initialState, type State } from '../../core/model/state.ts'
import { step } from '../../core/model/step.ts'
import { resolveRequest } from '../../core/operations/call.ts'
import { concernsOf } from '../../core/operations/operations.ts'
import { isJsonObject, jsonOrUndefined } from '../../util/json.ts'
import { type AnswerPart, answerParts, type CompareOptions, differingParts, normalType } from './answer.ts'
import { createdPlants } from './created-plant.ts'
import { initialPlants, type Labels, type RecordedExchange } from './recording.ts'
import { elementsOf, succeeded, type TestResponse } from './response.ts'
import { isCreate, isList, type TestRequest } from './test-request.ts'

/** Each part of a response as a bit. `outcome`: whether the request succeeds. */
export const parts = { status: 1, type: 2, body: 4, outcome: 8 } as const
export const allParts = 15

export const partsIn = (mask: number): readonly AnswerPart[] => answerParts.filter((part) => mask & parts[part])

/** An exchange, prepared for the model. Does not depend on assumptions. */
export type Item = RecordedExchange & {
  /** The number of the exchange in its file, from 1; in a journal, the id of the request. */
  readonly place: number
  readonly caller: string | undefined
  readonly sent: ServiceRequest
  /** The response as it is compared; of a recording, with plants reduced to `name` and `tag`. */
  readonly seen: TestResponse
  /** The body of `seen`, serialised as the model would. */
  readonly text: string
  /** The parts that are not compared, as a sum of `parts`. */
  readonly ignored: number
  /** Cached differences of failures, by reply. */
  readonly known: Map<string, number>
}

/** The request for the model. @param request With a token that names the caller. */
export const serviceRequestOf = (
  { method, path, headers, body }: Pick<TestRequest, 'method' | 'path' | 'headers' | 'body'>,
  time: number,
  isListed: (caller: CallerKey) => boolean,
): ServiceRequest => {
  const { pathname, search } = new URL(path, 'http://plant-mock.invalid')
  const received = {
    method,
    path: pathname,
    query: search.slice(1),
    header: (name: string) => headers[name],
    headers: () => Object.entries(headers).flat(),
    body,
  }
  return readRequest(resolveRequest(received), time, { keyOf: (token) => token as string as CallerKey, isListed })
}

/** Converts a reply of the model to a response. */
export const answerOf = ({ as, method }: TestRequest, reply: Reply): TestResponse => {
  const text = method === 'HEAD' ? '' : (reply.body ?? '')
  return {
    as,
    curl: '',
    status: reply.status,
    headers: new Headers(headerEntries(responseHeaders(reply)) as [string, string][]),
    text,
    json: jsonOrUndefined(text),
    redact: (shown) => shown,
  }
}

export const compareOptions = (assume: Assumptions): CompareOptions => ({
  textTemplates: formAssumptions.flatMap((id) => {
    const { json } = partsOfTemplate(assume[id])
    return json.startsWith('"') ? [String(jsonOrUndefined(json))] : []
  }),
  isShuffled: assume['list.order'] === 'shuffled',
})

/** By the bits of `parts`. A wrong outcome or status weighs more than the form of the body. */
const weights = [3, 1, 1, 5]
const weightOf = (mask: number): number => weights.reduce((sum, one, i) => sum + (mask & (1 << i) ? one : 0), 0)

/** The reply of the model to each exchange, and the parts in which it differs from the recorded response. */
export type Replayed = {
  readonly replies: readonly Reply[]
  /** The state before each exchange. */
  readonly states: readonly State[]
  /** By the bits of `parts`. */
  readonly differences: readonly number[]
  /** The weight of the differences up to each exchange. */
  readonly costs: readonly number[]
  /** The weight of all differences; infinite if the replay stopped early. */
  readonly cost: number
}

type Limit = { readonly than: Replayed; readonly by: number; readonly max: number }

type Stored = {
  /** How many requests each caller had sent before (`rate.limit`). */
  readonly counted: ReadonlyMap<string, number>
  readonly labels: Labels
  /** The exchanges that show the plants at the start. */
  readonly stated: readonly Item[]
}

export type Replay = ReturnType<typeof createReplay>

/** Steps the model through exchanges, and compares its replies with the responses of the service. */
export const createReplay = (items: readonly Item[], { counted, labels, stated }: Stored) => {
  const initial = new Map<string, State>()
  const initialOf = (order: Assumptions['list.order']): State => {
    const known = initial.get(order)
    if (known !== undefined) return known
    const plants = initialPlants(stated, order, labels, ({ caller }) => caller)
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
    let state = initialOf(assume['list.order'])
    const replies: Reply[] = []
    const states: State[] = []
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
      const stepped = isSame ? before : stepWith(state, item, assume, options, labels)
      if (limit === undefined) known[i] = { ...stepped, state, values: own, failureValues }
      const { reply, differs } = stepped
      replies.push(reply)
      states.push(state)
      differences.push(differs)
      cost += weightOf(differs)
      costs.push(cost)
      state = stepped.next
      if (limit !== undefined && cost > Math.min((limit.than.costs[i] ?? 0) + limit.by, limit.max))
        return { replies, states, differences, costs, cost: Number.POSITIVE_INFINITY }
    }
    return { replies, states, differences, costs, cost }
  }
}

/** The values of the points that can change these replies. */
const valuesAt = (assume: Assumptions, ...concerns: readonly Concern[]): string =>
  pointsBehind(concerns)
    .map((id) => assume[id])
    .join('\n')

type Stepped = { readonly next: State; readonly reply: Reply; readonly differs: number }

const stepWith = (state: State, item: Item, assume: Assumptions, options: CompareOptions, labels: Labels): Stepped => {
  const { state: after, reply } = step(state, item.sent, assume)
  const differs = differenceOf(item, reply, options)
  const isFollowed = differs & (parts.body | parts.outcome)
  const followed = isFollowed ? withCreated(after, item, reply) : after
  const isListed = (differs & ~item.ignored & parts.body) > 0
  const next = isListed ? withListed(followed, item, reply, assume['list.order'], labels) : followed
  return { next, reply, differs: differs & ~item.ignored }
}

const differenceOf = (item: Item, reply: Reply, options: CompareOptions): number => {
  const { seen, request, text, known } = item
  const isAlike = succeeded(seen) === succeeded({ ...seen, status: reply.status })
  if (!isAlike || (succeeded(seen) && request.method !== 'HEAD')) {
    const isSameText =
      options.isShuffled && isList(request) && isAlike
        ? elementsOf(seen).length === listIn(reply).length
        : isAlike && (reply.body ?? '') === text
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

/** Adds or removes the plant of a create, as the service did. */
const withCreated = (state: State, { request, seen, caller }: Item, { status }: Reply): State => {
  const isCreated = createdPlants(request, seen).some(({ certain }) => certain)
  if (!isCreate(request) || caller === undefined || isCreated === (status >= 200 && status < 300)) return state
  const { id, ...fields } = isJsonObject(request.json) ? request.json : {}
  const { name, tag } = isCreated && isShownPlant(seen.json) ? seen.json : { name: fields.name, tag: fields.tag }
  // The model stores a missing name as empty text.
  const stored = { name: typeof name === 'string' ? name : '', tag: typeof tag === 'string' ? tag : undefined }
  const plant = { id: isPlantId(id) ? id : undefined, ...stored, access: [caller] }
  const { plants } = state
  if (isCreated) return { ...state, plants: plants.append(plant) }
  const positions = plants.visibleTo(caller).filter((position) => isSamePlant(plants.at(position), plant))
  return changePlants(state, new Map(positions.map((position) => [position, undefined])))
}

/** Copies a list of the service to the state, so that each change by another client counts as one difference. */
const withListed = (
  unlabelled: State,
  { caller, request, sent, seen }: Item,
  reply: Reply,
  order: Assumptions['list.order'],
  labels: Labels,
): State => {
  if (!isList(request) || caller === undefined || !succeeded(seen) || reply.status >= 300) return unlabelled
  const listed = elementsOf(seen).filter(isShownPlant)
  const state = withNewTexts(unlabelled, caller, listed, labels)
  const isCut = isFull(sent.limits, listed.length) || listed.length === listIn(reply).length
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
  const byKey = new Map<string, (typeof shown)[number][]>()
  // The last ones first, for `pop`.
  for (const plant of shown.toReversed()) {
    const equal = byKey.get(keyOf(plant))
    if (equal === undefined) byKey.set(keyOf(plant), [plant])
    else equal.push(plant)
  }
  const ordered = order === 'newest' ? listed.toReversed() : listed
  const moved = ordered.flatMap((plant, i) => {
    const first = byKey.get(keyOf(plant))?.pop()
    const position = shown[i]?.position
    return first === undefined || position === undefined || first.position === position
      ? []
      : [[position, first] as const]
  })
  return changePlants(next, new Map(moved))
}

/** Whether a list may lack plants because of its limit. */
export const isFull = ([limit]: Item['sent']['limits'], length: number): boolean =>
  limit?.digits !== undefined && limit.digits <= length

/** Gives labelled plants the name and tag that the service lists: it may have changed them. */
const withNewTexts = (
  state: State,
  caller: string,
  listed: readonly ShownPlant[],
  { keyOf: labelOf }: Labels,
): State => {
  const stored = storedBy(state, caller)
  const shown = new Map(without(listed, stored).map((plant) => [labelOf(plant), plant]))
  shown.delete(undefined)
  const changed = (shown.size === 0 ? [] : without(stored, listed)).flatMap(({ position, ...plant }) => {
    const found = shown.get(labelOf(plant))
    return found === undefined ? [] : [[position, { ...plant, name: found.name, tag: found.tag ?? undefined }] as const]
  })
  return changePlants(state, new Map<number, StoredPlant>(changed))
}

const storedBy = ({ plants }: State, caller: string) =>
  plants.visibleTo(caller).map((position) => ({ ...plants.at(position), position }))

/** The assumptions behind a reply, and its problem. */
export const decidedBy = (reply: Reply | undefined): readonly AssumptionId[] => reply?.meta.assumptions ?? []
export const problemOf = (reply: Reply | undefined): ProblemType | undefined => reply?.meta.problem

/** Whether one response is a success and the other a failure. */
export const isOtherOutcome = ({ differences }: Replayed, i: number): boolean =>
  ((differences[i] ?? 0) & parts.outcome) > 0
