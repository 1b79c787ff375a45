import type { Concern, Part } from '../../core/assumptions/form.ts'
import { operationIds } from '../../core/assumptions/operation-ids.ts'
import { pointsBehind } from '../../core/assumptions/points.ts'
import { type AssumptionId, type Assumptions, rowOf } from '../../core/assumptions/registry.ts'
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
import { failureForm } from '../../core/operations/failure-body.ts'
import { parseLimit } from '../../core/operations/limit.ts'
import { concernsOf } from '../../core/operations/operations.ts'
import { isJsonObject, jsonOrUndefined } from '../../util/json.ts'
import { isSameFailure } from './forms.ts'
import {
  common,
  createTake,
  initialPlants,
  isOrderOfPlaces,
  keyOf,
  type Labels,
  type RecordedExchange,
  type Shown,
  without,
} from './recording.ts'
import { createdPlants, elementsOf, succeeded, type TestResponse } from './response.ts'
import { isCreate, isList, type TestRequest } from './test-request.ts'

/**
 * Bits for the parts in which two responses can differ. For two lists, `body` means that each has a plant which the
 * other lacks, `length` that one contains the other, and `form` that the same plants are written differently.
 */
export const parts = { status: 1, type: 2, body: 4, outcome: 8, form: 16, order: 32, length: 64 } as const
export const bodyParts = parts.body | parts.form | parts.order | parts.length
export const allParts = 127

const visibleParts: Readonly<Record<Part, number>> = {
  outcome: parts.outcome | parts.status,
  fields: parts.outcome | parts.form,
  token: parts.outcome | parts.status,
  success: parts.status,
  status: parts.outcome | parts.status,
  limit: parts.outcome | parts.length | parts.body,
  length: parts.outcome | parts.length | parts.body,
  plants: parts.order,
  plant: parts.form,
  form: parts.form | parts.body | parts.type,
  type: parts.type,
}

export const visiblePartsOf = (id: AssumptionId): number => {
  let mask = 0
  for (const [concern, part] of Object.entries(rowOf(id).decides) as [Concern, Part][])
    mask |= concern === 'createPlant' && part === 'plants' ? visibleParts.length : visibleParts[part]
  return mask
}

export type Item = RecordedExchange & {
  readonly place: number
  readonly caller: string | undefined
  readonly sent: ServiceRequest
  /** The response with only `name` and `tag` of each plant, because the contract defines no other response fields. */
  readonly seen: TestResponse
  readonly text: string
  readonly ignored: number
  readonly known: Map<string, boolean>
}

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

export const answerOf = ({ as, method }: TestRequest, reply: Reply): TestResponse => {
  const text = method === 'HEAD' ? '' : (reply.body ?? '')
  return {
    as,
    curl: String,
    status: reply.status,
    headers: new Headers(headerEntries(responseHeaders(reply)) as [string, string][]),
    text,
    json: jsonOrUndefined(text),
    redact: (shown) => shown,
  }
}

const textTemplateOf = (reply: Reply, assume: Assumptions): string | undefined => {
  const problem = problemOf(reply)
  const { json } = partsOfTemplate(problem === undefined ? '' : failureForm(problem, assume))
  return json.startsWith('"') ? String(jsonOrUndefined(json)) : undefined
}

const weights = [3, 1, 4, 5, 1, 4, 4]
export const weightOf = (mask: number): number => {
  let sum = 0
  for (const [i, weight] of weights.entries()) if (mask & (1 << i)) sum += weight
  return sum
}

export type Fold = {
  readonly assume: Assumptions
  readonly replies: readonly Reply[]
  readonly states: readonly State[]
  readonly differences: readonly number[]
  readonly cost: number
}

export type Start = {
  readonly known: ReadonlySet<AssumptionId>
  readonly isOnlyClient: boolean
  readonly counted: ReadonlyMap<string, number>
  readonly labels: Labels
  readonly stated: readonly Item[]
}

export const countedPoints: ReadonlySet<AssumptionId> = new Set(['rate.limit'])

export type Folder = ReturnType<typeof createFolder>

export const createFolder = (
  items: readonly Item[],
  { counted, labels, stated }: Pick<Start, 'counted' | 'labels' | 'stated'>,
) => {
  const initial = new Map<string, State>()
  const initialOf = (order: Assumptions['list.order']): State => {
    if (order !== 'added' && (!isOrderOfPlaces(order) || initialOf('added').plants.length === 0))
      return initialOf('added')
    const plants = () => Plants.from(initialPlants(stated, order, labels, ({ caller }) => caller))
    const state = initial.get(order) ?? { ...initialState(plants(), 1), rates: counted }
    initial.set(order, state)
    return state
  }
  /** perf: keeps the steps of the last replay, because the next replay usually repeats most steps. */
  const known: (Stepped & { readonly state: State; readonly values: string; readonly failureValues: string })[] = []

  return (assume: Assumptions, max?: number): Fold => {
    const values = new Map([...operationIds, undefined].map((one) => [one, valuesAt(assume, ...concernsOf(one))]))
    const failureValues = valuesAt(assume, 'failures')
    let state = initialOf(assume['list.order'])
    const replies: Reply[] = []
    const states: State[] = []
    const differences: number[] = []
    let cost = 0
    for (const [i, item] of items.entries()) {
      const before = known[i]
      const own = values.get(item.sent.operation) ?? ''
      const isSame =
        before?.state === state &&
        before.values === own &&
        (problemOf(before.reply) === undefined || before.failureValues === failureValues)
      const stepped = isSame ? before : stepWith(state, item, assume, labels)
      if (!isSame && max === undefined) known[i] = { ...stepped, state, values: own, failureValues }
      replies.push(stepped.reply)
      states.push(state)
      differences.push(stepped.differs)
      cost += weightOf(stepped.differs)
      state = stepped.next
      if (max !== undefined && cost > max)
        return { assume, replies, states, differences, cost: Number.POSITIVE_INFINITY }
    }
    return { assume, replies, states, differences, cost }
  }
}

export const stepAt = (fold: Fold, item: Item, i: number, assume: Assumptions) => {
  const { reply } = step(fold.states[i] as State, item.sent, assume)
  return { reply, differs: differenceOf(item, reply, assume) & ~item.ignored }
}

const valuesAt = (assume: Assumptions, ...concerns: readonly Concern[]): string =>
  pointsBehind(concerns)
    .map((id) => assume[id])
    .join('\n')

type Stepped = { readonly next: State; readonly reply: Reply; readonly differs: number }

const stepWith = (state: State, item: Item, assume: Assumptions, labels: Labels): Stepped => {
  const { state: after, reply } = step(state, item.sent, assume)
  const differs = differenceOf(item, reply, assume)
  const isFollowed = (differs & (parts.body | parts.outcome)) > 0
  const followed = isFollowed ? withDeleted(withCreated(after, item, reply), state, item, assume) : after
  const followedParts = parts.body | parts.length | parts.order
  const isListed = (differs & ~item.ignored & followedParts) > 0
  const next = isListed ? withListed(followed, item, reply, assume['list.order'], labels) : followed
  return { next, reply, differs: differs & ~item.ignored }
}

const differenceOf = (item: Item, reply: Reply, assume: Assumptions): number => {
  const { seen, request, known } = item
  if (succeeded(seen) !== succeeded({ ...seen, status: reply.status })) return parts.outcome | parts.status
  const head = (seen.status === reply.status ? 0 : parts.status) | (hasSameType(item, reply) ? 0 : parts.type)
  if (succeeded(seen)) return head | (request.method === 'HEAD' ? 0 : bodyDifference(item, reply, assume))
  if ((reply.body ?? '') === seen.text) return head
  const template = textTemplateOf(reply, assume)
  const key = [reply.status, reply.body, template].join('\n')
  const isSame = known.get(key) ?? isSameFailure(seen, answerOf(request, reply), template)
  known.set(key, isSame)
  return head | (isSame ? 0 : parts.body)
}

type Body = { readonly plants: readonly string[] | undefined; readonly isList: boolean }

/** perf: parses each body once, because every replay compares the body again. */
const bodies = new WeakMap<Item | Reply, Body>()

const bodyOf = (key: Item | Reply, json: () => unknown): Body => {
  const known = bodies.get(key)
  if (known !== undefined) return known
  const content = json()
  const isList = Array.isArray(content)
  const plants = isList ? content : isShownPlant(content) ? [content] : undefined
  const body = { plants: plants?.map((one) => (isJsonObject(one) ? keyOf(one) : String(one))), isList }
  bodies.set(key, body)
  return body
}

const replyBody = (reply: Reply): Body => bodyOf(reply, () => jsonOrUndefined(reply.body ?? ''))

const normalType = (contentType: string | null | undefined): string =>
  (contentType ?? '').toLowerCase().replaceAll(/[\s"]/g, '')

/** Ignores the type of an empty body and the charset of a failure, because services differ in both. */
const hasSameType = ({ seen, request }: Item, reply: Reply): boolean => {
  if (seen.text === '' && request.method !== 'HEAD') return true
  const [type, other] = [seen.headers.get('content-type'), headerValue(reply.headers, 'content-type')].map((one) =>
    succeeded(seen) ? normalType(one) : normalType(one).replace(';charset=utf-8', ''),
  )
  return type === other
}

const bodyDifference = (item: Item, reply: Reply, assume: Assumptions): number => {
  if ((reply.body ?? '') === item.text) return 0
  const seen = bodyOf(item, () => item.seen.json)
  const drawn = assume['list.order'] === 'shuffled' ? parseLimit(item.sent.limits, assume) : undefined
  return differingBodies(seen, replyBody(reply), drawn !== undefined && 'limit' in drawn ? drawn.limit : undefined)
}

const differingBodies = (a: Body, b: Body, drawn?: number): number => {
  if (a.plants === undefined || b.plants === undefined || a.isList !== b.isList) return parts.body
  return differingLists(a.plants, b.plants, drawn)
}

const differingLists = (a: readonly string[], b: readonly string[], drawn: number | undefined): number => {
  if (drawn === b.length) return a.length === b.length ? 0 : parts.length
  const shared = a.findIndex((key, i) => key !== b[i])
  const prefix = shared === -1 ? a.length : shared
  if (prefix === a.length && prefix === b.length) return parts.form
  if (prefix === Math.min(a.length, b.length)) return parts.length
  const [ofA, ofB] = [a.filter(createTake(b)), b.filter(createTake(a))]
  const order = drawn !== undefined || ofA.every((key, i) => key === ofB[i]) ? 0 : parts.order
  if (ofA.length === a.length && ofB.length === b.length) return order
  return order | (ofA.length === a.length || ofB.length === b.length ? parts.length : parts.body)
}

export const differingReplies = (a: Reply, b: Reply): number => {
  if (a === b) return 0
  const isSuccess = ({ status }: Reply): boolean => status >= 200 && status < 300
  if (isSuccess(a) !== isSuccess(b)) return parts.outcome
  const status = a.status === b.status ? 0 : parts.status
  const type = headerValue(a.headers, 'content-type') === headerValue(b.headers, 'content-type') ? 0 : parts.type
  if (a.body === b.body) return status | type
  return status | type | (isSuccess(a) ? differingBodies(replyBody(a), replyBody(b)) : parts.body)
}

export const listIn = ({ body = '' }: Reply): readonly ShownPlant[] => {
  const json = jsonOrUndefined(body)
  return Array.isArray(json) ? json : []
}

const withCreated = (state: State, { request, seen, caller }: Item, { status }: Reply): State => {
  const isCreated = createdPlants(request, seen).some(({ certain }) => certain)
  if (!isCreate(request) || caller === undefined || isCreated === (status >= 200 && status < 300)) return state
  const { id, ...fields } = isJsonObject(request.json) ? request.json : {}
  const { name, tag } = isCreated && isShownPlant(seen.json) ? seen.json : { name: fields.name, tag: fields.tag }
  const stored = { name: typeof name === 'string' ? name : '', tag: typeof tag === 'string' ? tag : undefined }
  const plant = { id: isPlantId(id) ? id : undefined, ...stored, access: [caller] }
  const { plants } = state
  if (isCreated) return { ...state, plants: plants.append(plant) }
  const positions = plants.visibleTo(caller).filter((position) => isSamePlant(plants.at(position), plant))
  return changePlants(state, new Map(positions.map((position) => [position, undefined])))
}

const withDeleted = (after: State, before: State, { sent, seen }: Item, assume: Assumptions): State => {
  if (sent.operation !== 'deletePlant') return after
  return succeeded(seen) ? step(before, sent, { ...assume, 'operation.delete': 204 }).state : before
}

/** Copies the service's list into the state: else one plant of another client would make every later list differ. */
const withListed = (
  unlabelled: State,
  { caller, request, sent, seen }: Item,
  reply: Reply,
  order: Assumptions['list.order'],
  labels: Labels,
): State => {
  if (!isList(request) || caller === undefined || !succeeded(seen) || reply.status >= 300) return unlabelled
  const listed = elementsOf(seen).filter(isShownPlant)
  const state = withShared(withNewTexts(unlabelled, caller, listed, labels), caller, listed)
  const before = storedBy(state, caller)
  // Removes no plant after a list that may be truncated, because the service may still store the plant.
  const isCut =
    isFull(sent.limits, listed.length) || isPrefix(listed, listIn(reply)) || listed.length === listIn(reply).length
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

const isPrefix = (a: readonly Shown[], b: readonly Shown[]): boolean =>
  a.every((one, i) => keyOf(one) === (b[i] && keyOf(b[i])))

export const isFull = ([limit]: Item['sent']['limits'], length: number): boolean =>
  limit?.digits !== undefined && limit.digits <= length

/** Finds plants whose name or tag the service has changed: one of the two still has the label of the check. */
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

const withShared = (state: State, caller: string, listed: readonly ShownPlant[]): State => {
  const missing = new Set(without(listed, storedBy(state, caller)).map(keyOf))
  const plants = missing.size === 0 ? [] : [...state.plants]
  const shared = plants.flatMap((plant, position) => {
    const { access, ...stored } = state.plants.at(position)
    return missing.has(keyOf(plant)) ? [[position, { ...stored, access: access && [...access, caller] }] as const] : []
  })
  return changePlants(state, new Map(shared))
}

const storedBy = ({ plants }: State, caller: string) =>
  plants.visibleTo(caller).map((position) => ({ ...plants.at(position), position }))

export const decidedBy = (reply: Reply | undefined): readonly AssumptionId[] => reply?.meta.assumptions ?? []
export const problemOf = (reply: Reply | undefined): ProblemType | undefined => reply?.meta.problem
