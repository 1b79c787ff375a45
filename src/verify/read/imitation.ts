import type { Entries } from '../../core/assumptions/file.ts'
import { countIn } from '../../core/assumptions/form.ts'
import { type Assume, type Assumptions, defaultAssumptions } from '../../core/assumptions/registry.ts'
import { partsOfTemplate } from '../../core/assumptions/template.ts'
import type { CallerKey } from '../../core/contract/caller.ts'
import { isSafeId, type ShownPlant } from '../../core/contract/schemas.ts'
import { headerEntries } from '../../core/http/headers.ts'
import { responseHeaders } from '../../core/http/source.ts'
import { isSamePlant, Plants } from '../../core/model/plants.ts'
import { readRequest } from '../../core/model/request.ts'
import { changePlants, initialState, type State } from '../../core/model/state.ts'
import { type Step, step } from '../../core/model/step.ts'
import { resolveCall } from '../../core/operations/call.ts'
import { formAssumptions } from '../../core/operations/failure-body.ts'
import { isJsonObject, jsonOrUndefined } from '../../util/json.ts'
import { type AnswerPart, answerParts, type CompareOptions, describeDifference, differingParts } from './answer.ts'
import { causeOf, sectionOf, type UnlikenessCause } from './cause.ts'
import { createdPlants } from './created-plant.ts'
import { createIsForeign, initialPlants, type RecordedExchange, type TokenOf } from './recording.ts'
import { succeeded, type TestResponse } from './response.ts'
import { isOperation, listRequest, shownExchange, type TestRequest } from './test-request.ts'
import { isPlant } from './verdict.ts'

/** Exchanges that differ in the same way, for the same cause. */
export type Unlikeness = {
  /** The first of them: method and path. */
  readonly exchange: string
  readonly curl: string
  readonly section: string
  readonly parts: readonly AnswerPart[]
  /** In words, for the first of them. */
  readonly differs: string
  readonly cause: UnlikenessCause
  readonly exchanges: number
}

/** How alike a mock and a service are, as numbers of exchanges. */
export type Alikeness = {
  readonly exchanges: number
  /** Those in which nothing differs. */
  readonly alike: number
  /** Those in which this part is the same. */
  readonly same: Readonly<Record<AnswerPart, number>>
  /** Those of the exchanges that were drawn after the check. */
  readonly unseen: { readonly exchanges: number; readonly alike: number }
  readonly differences: readonly Unlikeness[]
}

/** The model knows no token of the service. */
const tokens: TokenOf = { caller: 'plant-mock-alike-1', other: 'plant-mock-alike-2', unknown: 'plant-mock-alike-3' }
const seed = 1

/** Steps the model as a request of the check would. */
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
  return readRequest(resolveCall(exchange), time, { keyOf: (token) => token as string as CallerKey, isListed })
}

const answerOf = ({ as, method }: TestRequest, reply: Step['reply']): TestResponse => {
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

/**
 * Folds the model over the exchanges of a check, under these assumptions, and compares its replies with the responses of
 * the service.
 * @param idOf The id of a plant of an earlier check, as far as it is known.
 */
export const imitate = (
  recorded: readonly RecordedExchange[],
  entries: Entries,
  idOf: (plant: ShownPlant) => number | undefined,
): Alikeness => {
  const values = [...entries].flatMap(([id, entry]) => ('value' in entry ? [[id, entry.value]] : []))
  const assume: Assumptions = { ...defaultAssumptions, ...(Object.fromEntries(values) as Assume) }
  const options = compareOptions(assume)
  let state = initialState(Plants.from(initialPlants(recorded, assume['list.order'], idOf, tokens)), seed)
  const isForeign = createIsForeign(recorded)
  for (let i = earlierRequests(recorded, assume['rate.limit']); i > 0; i--)
    state = stepWith(state, listRequest('?limit=1'), assume, recorded[0]?.at ?? 0).state

  const same = { status: 0, type: 0, body: 0 }
  const unseen = { exchanges: 0, alike: 0 }
  let alike = 0
  const differences = new Map<string, Unlikeness>()
  for (const { request, response, at, isUnseen } of recorded) {
    const before = state
    const { state: after, answer, decided } = stepWith(before, request, assume, at)
    state = after
    const parts = differingParts(response, answer, options)
    for (const part of answerParts) if (!parts.includes(part)) same[part]++
    if (parts.length === 0) alike++
    if (isUnseen) unseen.exchanges++
    if (isUnseen && parts.length === 0) unseen.alike++
    if (parts.length === 0) continue
    const key = JSON.stringify([request.method, parts, response.status, answer.status, decided])
    const known = differences.get(key)
    if (known === undefined) {
      // With the plants alone: neither counted requests nor hidden plants.
      const fresh = initialState(before.plants, seed)
      const tryWith = (changed: Assume) => stepWith(fresh, request, { ...assume, ...changed } as Assumptions, at).answer
      const input = { request, response, answer, parts, decided, entries, options, isForeign }
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
    state = follow(state, request, response, answer)
  }
  return { exchanges: recorded.length, alike, same, unseen, differences: [...differences.values()] }
}

const compareOptions = (assume: Assumptions): CompareOptions => ({
  textTemplates: formAssumptions.flatMap((id) => {
    const { json } = partsOfTemplate(assume[id])
    return json.startsWith('"') ? [String(jsonOrUndefined(json))] : []
  }),
  isShuffled: assume['list.order'] === 'shuffled',
})

/** How many requests the service had counted before: a rate limit begins with the first of the check otherwise. */
const earlierRequests = (recorded: readonly RecordedExchange[], limit: Assumptions['rate.limit']): number => {
  if (limit === 'none') return 0
  const nth = limit === 'every-tenth' ? 10 : countIn(limit)
  const counted = recorded.filter(({ request }) => request.as === 'caller' && isOperation(request))
  const first = counted.findIndex(({ response }) => response.status === 429)
  return first === -1 ? 0 : (nth - ((first + 1) % nth)) % nth
}

/** After a difference, makes the plants of the model those of the service, so that it counts once. */
const follow = (state: State, request: TestRequest, service: TestResponse, answer: TestResponse): State => {
  const { method, as, json: sent } = request
  const isCreated = createdPlants(request, service).some(({ certain }) => certain)
  if (method !== 'POST' || as === 'anonymous' || isCreated === succeeded(answer)) return state
  const { id, ...fields } = isJsonObject(sent) ? sent : {}
  const { name, tag } = isCreated && isPlant(service.json) ? service.json : { name: fields.name, tag: fields.tag }
  // As the model stores a plant without name or tag.
  const stored = { name: typeof name === 'string' ? name : '', tag: typeof tag === 'string' ? tag : undefined }
  const plant = { id: isSafeId(id) ? id : undefined, ...stored, access: [tokens[as]] }
  const { plants } = state
  if (isCreated) return { ...state, plants: plants.append(plant) }
  const positions = plants.visibleTo(tokens[as]).filter((position) => isSamePlant(plants.at(position), plant))
  return changePlants(state, new Map(positions.map((position) => [position, undefined])))
}
