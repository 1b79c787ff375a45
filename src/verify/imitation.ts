import type { Entries } from '../core/assumptions/file.ts'
import { countIn } from '../core/assumptions/form.ts'
import { type Assume, type Assumptions, defaultAssumptions } from '../core/assumptions/registry.ts'
import { partsOfTemplate } from '../core/assumptions/template.ts'
import { type FixturePlant, isSafeId, type Plant } from '../core/contract/schemas.ts'
import { createInternalMock } from '../core/mock/create-plant-mock.ts'
import type { PlantMock } from '../core/mock/plant-mock.ts'
import { formAssumptions } from '../core/operations/failure-body.ts'
import { isJsonObject, jsonOrUndefined } from '../util/json.ts'
import { type AnswerPart, answerParts, type CompareOptions, describeDifference, differingParts } from './answer.ts'
import { type Cause, causeOf, sectionOf } from './cause.ts'
import { clientOptions } from './options.ts'
import { createIsForeign, initialPlants, type Recorded, type TokenOf } from './recording.ts'
import { createdPlants } from './sample-creates.ts'
import { createSender, succeeded, type TestResponse } from './send-request.ts'
import { isOperation, listRequest, shownExchange, type TestRequest } from './test-request.ts'
import { isPlant } from './verdict.ts'

/** Exchanges that differ in the same way, for the same cause. */
export type Difference = {
  /** The first of them: method and path. */
  readonly exchange: string
  readonly curl: string
  readonly section: string
  readonly parts: readonly AnswerPart[]
  /** In words, for the first of them. */
  readonly differs: string
  readonly cause: Cause
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
  readonly differences: readonly Difference[]
}

/** The mock knows no token of the service. */
const mockTokens: TokenOf = { caller: 'plant-mock-alike-1', other: 'plant-mock-alike-2', unknown: 'plant-mock-alike-3' }
const mockUrl = 'http://plant-mock.invalid'

const createImitation = (assume: Assumptions, fixtures: readonly FixturePlant[], now: () => number) => {
  const isListed = assume['auth.tokens'] === 'listed'
  const tokens = isListed ? { tokens: [mockTokens.caller, mockTokens.other] } : {}
  // Outside of the evidence of `vary`, which observes the mocks of a client.
  const internals = { now, observer: undefined }
  const mock = createInternalMock({ assume, fixtures, journal: 1, onNotice: () => undefined, ...tokens }, internals)
  const sending = clientOptions({ fetch: mock.fetch, baseUrl: mockUrl, tokens: mockTokens })
  return { mock, send: createSender({ ...sending, tokens: mockTokens }) }
}

/**
 * Sends the exchanges of a check to a mock with these assumptions, in the same order, and compares its responses with
 * those of the service.
 * @param idOf The id of a plant of an earlier check, as far as it is known.
 */
export const imitate = async (
  recorded: readonly Recorded[],
  entries: Entries,
  idOf: (plant: Plant) => number | undefined,
): Promise<Alikeness> => {
  const values = [...entries].flatMap(([id, entry]) => ('value' in entry ? [[id, entry.value]] : []))
  const assume: Assumptions = { ...defaultAssumptions, ...(Object.fromEntries(values) as Assume) }
  const options = compareOptions(assume)
  let time = recorded[0]?.at ?? 0
  const fixtures = initialPlants(recorded, assume['list.order'], idOf, mockTokens)
  const { mock, send } = createImitation(assume, fixtures, () => time)
  const isForeign = createIsForeign(recorded)
  for (let i = earlierRequests(recorded, assume['rate.limit']); i > 0; i--) await send(listRequest('?limit=1'))

  const same = { status: 0, type: 0, body: 0 }
  const unseen = { exchanges: 0, alike: 0 }
  let alike = 0
  const differences = new Map<string, Difference>()
  for (const { request, response, at, isUnseen } of recorded) {
    time = at
    const before = request.method === 'POST' ? await mock.plants.all() : undefined
    const answer = await send(request)
    const parts = differingParts(response, answer, options)
    for (const part of answerParts) if (!parts.includes(part)) same[part]++
    if (parts.length === 0) alike++
    if (isUnseen) unseen.exchanges++
    if (isUnseen && parts.length === 0) unseen.alike++
    if (parts.length === 0) continue
    const decided = (await mock.requests.last())?.assumptions ?? []
    const key = JSON.stringify([request.method, parts, response.status, answer.status, decided])
    const known = differences.get(key)
    if (known === undefined) {
      const plants = before ?? (await mock.plants.all())
      // A new mock with the plants of now.
      const tryWith = (changed: Assume) => createImitation({ ...assume, ...changed }, plants, () => time).send(request)
      const input = { request, response, answer, parts, decided, entries, options, isForeign }
      const cause = await causeOf(input, tryWith)
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
    await follow(request, response, answer, mock)
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
const earlierRequests = (recorded: readonly Recorded[], limit: Assumptions['rate.limit']): number => {
  if (limit === 'none') return 0
  const nth = limit === 'every-tenth' ? 10 : countIn(limit)
  const counted = recorded.filter(({ request }) => request.as === 'caller' && isOperation(request))
  const first = counted.findIndex(({ response }) => response.status === 429)
  return first === -1 ? 0 : (nth - ((first + 1) % nth)) % nth
}

/** After a difference, makes the plants of the mock those of the service, so that it counts once. */
const follow = async (
  request: TestRequest,
  service: TestResponse,
  answer: TestResponse,
  mock: Pick<PlantMock, 'plants' | 'seed'>,
): Promise<void> => {
  const { method, as, json: sent } = request
  const isCreated = createdPlants(request, service).some(({ certain }) => certain)
  if (method !== 'POST' || as === 'anonymous' || isCreated === succeeded(answer)) return
  const { id, ...fields } = isJsonObject(sent) ? sent : {}
  const { name, tag } = isCreated && isPlant(service.json) ? service.json : { name: fields.name, tag: fields.tag }
  // As the mock stores a plant without name or tag.
  const plant = { ...(isSafeId(id) && { id }), name: textOf(name), tag: textOf(tag), access: [mockTokens[as]] }
  if (isCreated) await mock.seed([plant]).catch(() => undefined)
  else await mock.plants.remove(plant)
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
