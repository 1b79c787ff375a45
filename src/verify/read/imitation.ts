import { type Entries, settingsOf } from '../../core/assumptions/file.ts'
import { countIn } from '../../core/assumptions/form.ts'
import { formAssumptions } from '../../core/assumptions/points.ts'
import {
  type Assume,
  type AssumptionId,
  type Assumptions,
  type AssumptionValue,
  defaultAssumptions,
} from '../../core/assumptions/registry.ts'
import { partsOfTemplate } from '../../core/assumptions/template.ts'
import type { CallerKey } from '../../core/contract/caller.ts'
import { isPlantId, isShownPlant, type ShownPlant } from '../../core/contract/schemas.ts'
import { headerEntries } from '../../core/http/headers.ts'
import { responseHeaders } from '../../core/http/source.ts'
import { isSamePlant, Plants, type StoredPlant } from '../../core/model/plants.ts'
import { readRequest } from '../../core/model/request.ts'
import { changePlants, initialState, type State } from '../../core/model/state.ts'
import { type Step, step } from '../../core/model/step.ts'
import { resolveRequest } from '../../core/operations/call.ts'
import { isJsonObject, jsonOrUndefined } from '../../util/json.ts'
import { type AnswerPart, answerParts, type CompareOptions, describeDifference, differingParts } from './answer.ts'
import { causeOf, sectionOf, type UnlikenessCause } from './cause.ts'
import { createdPlants } from './created-plant.ts'
import { createIsForeign, initialPlants, type Labels, type RecordedExchange } from './recording.ts'
import { requestKind, takenId } from './request-kind.ts'
import { elementsOf, lengthOf, type TestResponse } from './response.ts'
import { isCreate, isList, isOperation, listRequest, shownExchange, type TestRequest } from './test-request.ts'

/** Exchanges that differ in the same way and for the same reason. */
export type Unlikeness = {
  /** Method and path of the first exchange. */
  readonly exchange: string
  readonly curl: string
  readonly section: string
  readonly parts: readonly AnswerPart[]
  /** The difference in the first exchange, in words. */
  readonly differs: string
  readonly cause: UnlikenessCause
  readonly exchanges: number
}

/** How closely a mock matches a service, as numbers of exchanges. */
export type Alikeness = {
  readonly exchanges: number
  /** Exchanges without a difference. */
  readonly alike: number
  /** For each part, the number of exchanges in which it is equal. */
  readonly same: Readonly<Record<AnswerPart, number>>
  /** Exchanges with requests that were drawn at random after the check. */
  readonly unseen: { readonly exchanges: number; readonly alike: number }
  /** The expected share of clients' exchanges that are alike; `undefined` if too few kinds of requests are known. */
  readonly expected?: number
  readonly differences: readonly Unlikeness[]
}

/** The model gets made-up tokens, never the tokens of the service. */
const tokens = { caller: 'plant-mock-alike-1', other: 'plant-mock-alike-2', unknown: 'plant-mock-alike-3' }
const seed = 1
const callerOf = ({ request: { as } }: Pick<RecordedExchange, 'request'>): string | undefined =>
  as === 'anonymous' ? undefined : tokens[as]

/** Steps the model with a request as the check sends it. */
const stepWith = (state: State, request: TestRequest, assumptions: Assumptions, time: number) => {
  const { state: after, reply } = step(state, serviceRequestOf(request, time), assumptions)
  return { state: after, answer: answerOf(request, reply), decided: reply.meta.assumptions }
}

const serviceRequestOf = ({ method, path, as, scheme = 'Bearer', headers, body }: TestRequest, time: number) => {
  const { pathname, search } = new URL(path, 'http://plant-mock.invalid')
  const all = new Headers({ ...(as !== 'anonymous' && { authorization: `${scheme} ${tokens[as]}` }), ...headers })
  const bytes = body === undefined ? undefined : new TextEncoder().encode(body)
  const exchange = {
    method,
    path: pathname,
    query: search.slice(1),
    header: (name: string) => all.get(name) ?? undefined,
    headers: () => [...all].flat(),
    body: bytes && new TextDecoder().decode(bytes),
    bytes,
  }
  const isListed = (caller: CallerKey) => caller === tokens.caller || caller === tokens.other
  return readRequest(resolveRequest(exchange), time, { keyOf: (token) => token as string as CallerKey, isListed })
}

/** Converts a reply of the model to a response. */
export const answerOf = ({ as, method }: TestRequest, reply: Step['reply']): TestResponse => {
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

/** Replays exchanges in the model, and compares its replies with the responses of the service. */
function* fold(recorded: readonly RecordedExchange[], assume: Assumptions, labels: Labels) {
  const options = compareOptions(assume)
  let state = initialState(Plants.from(initialPlants(recorded, assume['list.order'], labels, callerOf)), seed)
  for (let i = earlierRequests(recorded, assume['rate.limit']); i > 0; i--)
    state = stepWith(state, listRequest('?limit=1'), assume, recorded[0]?.at ?? 0).state
  for (const exchange of recorded) {
    const { request, response, at } = exchange
    const { state: after, answer, decided } = stepWith(state, request, assume, at)
    const parts = differingParts(response, answer, options)
    yield { ...exchange, before: state, answer, decided, parts, options }
    if (parts.length === 0) state = after
    else if (isList(request)) state = followList(after, request, response, answer, labels)
    else state = follow(after, { request, response, caller: callerOf(exchange) }, answer)
  }
}

/** The maximum length of compared lists. Comparing longer lists would take most of the time, and show little more. */
const maxCompared = 2_000

/**
 * The value of an assumption with which the model matches the recorded exchanges best; of equal values, the first.
 * @param others The values of the other assumptions.
 */
export const nearestValue = (
  recorded: readonly RecordedExchange[],
  id: AssumptionId,
  candidates: readonly AssumptionValue[],
  others: Assume,
  labels: Labels,
): AssumptionValue | undefined => {
  const compared = recorded.filter(({ response, isHeldOut }) => !isHeldOut && lengthOf(response) <= maxCompared)
  let [best, most]: [AssumptionValue | undefined, number] = [undefined, -1]
  for (const value of candidates) {
    const assume = { ...defaultAssumptions, ...others, [id]: value } as Assumptions
    let same = 0
    // A completely equal response counts more than equal parts.
    for (const { parts } of fold(compared, assume, labels)) same += parts.length === 0 ? 10 : 3 - parts.length
    if (same > most) [best, most] = [value, same]
  }
  return best
}

/**
 * Compares the service with the model under the learned values.
 * @param broken The ids of the rules that the service breaks.
 * @param sample Requests as clients send them, to estimate the expected share of alike exchanges.
 */
export const imitate = (
  recorded: readonly RecordedExchange[],
  entries: Entries,
  labels: Labels,
  broken: readonly string[] = [],
  sample: readonly TestRequest[] = [],
): Alikeness => {
  const kinds = new Map<string, { all: number; alike: number }>()
  const taken = new Set<unknown>([takenId])
  const assume: Assumptions = { ...defaultAssumptions, ...settingsOf(entries) }
  const isForeign = createIsForeign(recorded, labels)
  const same = { status: 0, type: 0, body: 0 }
  const unseen = { exchanges: 0, alike: 0 }
  let alike = 0
  const differences = new Map<string, Unlikeness>()
  for (const exchange of fold(recorded, assume, labels)) {
    const { request, response, at, isHeldOut, before, answer, decided, parts, options } = exchange
    for (const part of answerParts) if (!parts.includes(part)) same[part]++
    if (parts.length === 0) alike++
    const kind = requestKind(request, (id) => taken.has(id))
    const { all, alike: others } = kinds.get(kind) ?? { all: 0, alike: 0 }
    kinds.set(kind, { all: all + 1, alike: others + (parts.length === 0 ? 1 : 0) })
    for (const { id, certain } of createdPlants(request, response)) if (certain) taken.add(id)
    if (isHeldOut) unseen.exchanges++
    if (isHeldOut && parts.length === 0) unseen.alike++
    if (parts.length === 0) continue
    const key = JSON.stringify([request.method, parts, response.status, answer.status, decided])
    const known = differences.get(key)
    if (known === undefined) {
      // Keeps the plants; resets request counts and hidden plants.
      const fresh = initialState(before.plants, seed)
      const tryWith = (changed: Assume) => stepWith(fresh, request, { ...assume, ...changed } as Assumptions, at).answer
      const input = { request, response, answer, parts, decided, entries, options, isForeign, broken }
      const cause = causeOf(input, tryWith)
      differences.set(key, {
        exchange: shownExchange(request),
        curl: response.curl,
        section: sectionOf(cause, request),
        parts,
        differs: describeDifference(response, answer, parts),
        cause,
        exchanges: 1,
      })
    } else differences.set(key, { ...known, exchanges: known.exchanges + 1 })
  }
  const shares = sample.flatMap((request) => {
    const kind = kinds.get(requestKind(request, (id) => id === takenId))
    return kind === undefined ? [] : [kind.alike / kind.all]
  })
  const expected = shares.length < sample.length / 2 ? undefined : shares.reduce((a, b) => a + b, 0) / shares.length
  return {
    exchanges: recorded.length,
    alike,
    same,
    unseen,
    ...(expected !== undefined && sample.length > 0 && { expected }),
    differences: [...differences.values()],
  }
}

export const compareOptions = (assume: Assumptions): CompareOptions => ({
  textTemplates: formAssumptions.flatMap((id) => {
    const { json } = partsOfTemplate(assume[id])
    return json.startsWith('"') ? [String(jsonOrUndefined(json))] : []
  }),
  isShuffled: assume['list.order'] === 'shuffled',
})

/** How many requests the service had counted before the check, so that the model refuses the same requests. */
const earlierRequests = (recorded: readonly RecordedExchange[], limit: Assumptions['rate.limit']): number => {
  if (limit === 'none') return 0
  const nth = limit === 'every-tenth' ? 10 : countIn(limit)
  const counted = recorded.filter(({ request }) => request.as === 'caller' && isOperation(request))
  const first = counted.findIndex(({ response }) => response.status === 429)
  return first === -1 ? 0 : (nth - ((first + 1) % nth)) % nth
}

type Followed = Pick<RecordedExchange, 'request' | 'response'> & { readonly caller: string | undefined }

/** After a difference, copies the service's plants to the model, so that the difference counts once. */
export const follow = (
  state: State,
  { request, response, caller }: Followed,
  answer: Pick<TestResponse, 'status'>,
): State => {
  const { json: sent } = request
  const isCreated = createdPlants(request, response).some(({ certain }) => certain)
  if (!isCreate(request) || caller === undefined || isCreated === isSuccess(answer.status)) return state
  const { id, ...fields } = isJsonObject(sent) ? sent : {}
  const { name, tag } =
    isCreated && isShownPlant(response.json) ? response.json : { name: fields.name, tag: fields.tag }
  // The model stores a missing name as empty text.
  const stored = { name: typeof name === 'string' ? name : '', tag: typeof tag === 'string' ? tag : undefined }
  const plant = { id: isPlantId(id) ? id : undefined, ...stored, access: [caller] }
  const { plants } = state
  if (isCreated) return { ...state, plants: plants.append(plant) }
  const positions = plants.visibleTo(caller).filter((position) => isSamePlant(plants.at(position), plant))
  return changePlants(state, new Map(positions.map((position) => [position, undefined])))
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** Updates the model's plants to the names and tags in a list of the service. Removes copies that the list lacks. */
const followList = (
  state: State,
  { as }: TestRequest,
  service: TestResponse,
  answer: TestResponse,
  { keyOf }: Labels,
): State => {
  const shown = new Map<string | undefined, ShownPlant[]>()
  for (const plant of elementsOf(service).filter(isShownPlant))
    shown.set(keyOf(plant), [...(shown.get(keyOf(plant)) ?? []), plant])
  shown.delete(undefined)
  const listed = elementsOf(answer)
    .filter(isShownPlant)
    .filter((plant) => shown.has(keyOf(plant)))
  if (as === 'anonymous' || shown.size === 0 || listed.length > maxCompared) return state
  const isListed = new Set(listed.map(({ name, tag }) => JSON.stringify([name, tag])))
  const changes = new Map<number, StoredPlant | undefined>()
  for (const position of state.plants.visibleTo(tokens[as])) {
    const plant = state.plants.at(position)
    if (!isListed.has(JSON.stringify([plant.name, plant.tag]))) continue
    const found = shown.get(keyOf(plant))?.shift()
    const tag = found?.tag ?? undefined
    if (found?.name !== plant.name || tag !== plant.tag)
      changes.set(position, found && { ...plant, name: found.name, tag })
  }
  return changePlants(state, changes)
}
