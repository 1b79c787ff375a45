import type { AssumptionId, Assumptions } from '../../core/assumptions/registry.ts'
import type { FixturePlant, ShownPlant } from '../../core/contract/schemas.ts'
import { isShownPlant } from '../../core/contract/schemas.ts'
import { statedLimit } from '../../core/operations/list-plants.ts'
import { isJsonObject } from '../../util/json.ts'
import { maxFailureText } from './forms.ts'
import { elementsOf, isGranted, lengthOf, succeeded, type TestResponse } from './response.ts'
import { isCreate, isList, type TestRequest } from './test-request.ts'

export type RecordedExchange = {
  readonly request: TestRequest
  readonly response: TestResponse
  readonly at: number
  readonly isHeldOut: boolean
  readonly purpose?: AssumptionId | undefined
}

const maxUsual = 1_000
/** Limits memory: keeps lists of over `maxUsual` plants only until these lists have this many plants in total. */
const maxElements = 100_000

export type Recording = ReturnType<typeof createRecording>

export const createRecording = () => {
  const exchanges: RecordedExchange[] = []
  let elements = 0
  let isEnded = false
  return {
    exchanges: exchanges as readonly RecordedExchange[],
    isHeldOut: false,
    purpose: undefined as AssumptionId | undefined,
    end(): void {
      isEnded = true
    },
    add(request: TestRequest, response: TestResponse, at: number): void {
      if (isEnded) return
      const length = lengthOf(response)
      const isKept = length <= maxUsual || elements === 0 || elements + length <= maxElements
      if (isKept && length > maxUsual) elements += length
      const { isHeldOut, purpose } = this
      if (isKept) exchanges.push({ request, response: withoutLongText(response), at, isHeldOut, purpose })
      this.isHeldOut = false
    },
  }
}

/** Finds refusals without a later success, because the reason may be an exhausted quota or an expired token. */
export const unconfirmedIn = (
  recorded: readonly RecordedExchange[],
): ReadonlyMap<RecordedExchange, 'list' | 'create'> => {
  const isGiven = ({ request: { as }, response }: RecordedExchange) => as === 'caller' && isGranted(response)
  const last = {
    create: recorded.findLastIndex((one) => isCreate(one.request) && isGiven(one)),
    list: recorded.findLastIndex((one) => isList(one.request) && isGiven(one)),
  }
  return new Map(
    recorded.flatMap((one, i) => {
      const kind = isCreate(one.request) && one.request.as === 'caller' ? 'create' : 'list'
      return isGranted(one.response) || i < last[kind] ? [] : [[one, kind] as const]
    }),
  )
}

export const noLater = (kind: 'list' | 'create'): string => `no later ${kind} succeeds, so a refusal proves nothing`

const withoutLongText = (response: TestResponse): TestResponse => {
  const { as, path = '', status, headers, json, redact, curl, isDisguised = false } = response
  const kept = { as, path, status, headers, redact, curl, isDisguised }
  if (Array.isArray(json)) return { ...kept, json, text: '[…]' }
  const { text } = response
  return text.length > maxFailureText
    ? { ...kept, json: undefined, text: text.slice(0, maxFailureText) }
    : { ...kept, json, text }
}

export type Shown = { readonly name?: unknown; readonly tag?: unknown }

export const keyOf = ({ name, tag }: Shown): string => `${name}\n${tag ?? ''}`

export const createTake = (keys: Iterable<string>): ((key: string) => boolean) => {
  const left = new Map<string, number>()
  for (const key of keys) left.set(key, (left.get(key) ?? 0) + 1)
  return (key) => {
    const count = left.get(key) ?? 0
    left.set(key, count - 1)
    return count > 0
  }
}

export const without = <One extends Shown>(plants: readonly One[], others: readonly Shown[]): readonly One[] => {
  const take = createTake(others.map(keyOf))
  return plants.filter((plant) => !take(keyOf(plant)))
}

export const common = <One extends Shown>(plants: readonly One[], others: readonly Shown[]): readonly One[] =>
  without(plants, without(plants, others))

export const existingIn = ({ request, response }: RecordedExchange): ShownPlant | undefined => {
  const sent = isCreate(request) ? request.json : undefined
  const { json } = response
  if (!isJsonObject(sent) || !succeeded(response) || !isShownPlant(json)) return undefined
  return json.name !== sent.name && json.tag !== sent.tag ? json : undefined
}

const sentIn = ({
  request,
  response,
}: RecordedExchange): { readonly key: string; readonly id: unknown } | undefined => {
  const plant = isCreate(request) ? request.json : undefined
  if (!isJsonObject(plant)) return undefined
  const { id, name = '', tag } = plant
  return { key: keyOf(succeeded(response) && isShownPlant(response.json) ? response.json : { name, tag }), id }
}

export type Labels = {
  readonly idOf: (plant: ShownPlant) => number | undefined
  readonly keyOf: (plant: unknown) => string | undefined
}

const sentKeys = (recorded: readonly RecordedExchange[], { keyOf }: Labels): ReadonlySet<string | undefined> =>
  new Set(recorded.flatMap(({ request }) => (isCreate(request) ? (keyOf(request.json) ?? []) : [])))

export const createIsForeign = (
  recorded: readonly RecordedExchange[],
  labels: Labels,
): ((element: unknown) => boolean) => {
  const sent = new Set(recorded.map((exchange) => sentIn(exchange)?.key))
  const keys = sentKeys(recorded, labels)
  return (element) => isShownPlant(element) && !sent.has(keyOf(element)) && !keys.has(labels.keyOf(element))
}

/** Finds plants of other clients. Of several equal plants, the oldest are theirs, because the check created later. */
const foreignIn = (
  plants: readonly ShownPlant[],
  own: readonly string[],
  isNewestFirst: boolean,
  isChanged: (plant: ShownPlant) => boolean,
) => {
  const take = createTake(own)
  const isForeign = (plant: ShownPlant): boolean => !take(keyOf(plant)) && !isChanged(plant)
  return isNewestFirst ? plants.filter(isForeign) : plants.toReversed().filter(isForeign).reverse()
}

type Sighting = {
  readonly plants: readonly ShownPlant[]
  readonly foreign: readonly ShownPlant[]
  readonly isWhole: boolean
}

/** True if a list in this order shows the places or the ids of the plants in it. */
export const isOrderOfPlaces = (order: Assumptions['list.order']): boolean =>
  order === 'added' || order === 'newest' || order === 'id' || order === 'id-descending'

/** Finds plants older than the recording: a caller's first whole list shows them, but no recorded create added them. */
export const initialPlants = <Exchange extends RecordedExchange>(
  recorded: readonly Exchange[],
  order: Assumptions['list.order'],
  labels: Labels,
  callerOf: (exchange: Exchange) => string | undefined,
): readonly FixturePlant[] => {
  const keys = sentKeys(recorded, labels)
  const isChanged = (plant: ShownPlant): boolean => keys.has(labels.keyOf(plant))
  const own: string[] = []
  const ids = new Map<string, unknown>()
  const seen = new Map<string, Sighting>()
  for (const exchange of recorded) {
    const { request, response } = exchange
    const { key, id } = sentIn(exchange) ?? {}
    if (key !== undefined && succeeded(response) && existingIn(exchange) === undefined) {
      own.push(key)
      ids.set(key, id)
    }
    const caller = callerOf(exchange)
    if (!isList(request) || !succeeded(response) || caller === undefined) continue
    const plants = elementsOf(response).filter(isShownPlant)
    const foreign = foreignIn(plants, own, order === 'newest', isChanged)
    const known = seen.get(caller)
    const isWhole = plants.length < (statedLimit(request.path.split('?')[1] ?? '') ?? Number.POSITIVE_INFINITY)
    if (known === undefined || (!known.isWhole && (isWhole || foreign.length > known.foreign.length)))
      seen.set(caller, { plants, foreign, isWhole })
    else {
      const same = common(foreign, known.foreign)
      if (same.length === known.foreign.length) seen.set(caller, { ...known, plants, foreign: same })
    }
  }
  return [...seen].flatMap(([caller, { plants, foreign }]) => {
    const isForeign = new Set(foreign)
    const listed = plants.map((plant) => ({
      plant,
      id: asNumber(isForeign.has(plant) ? labels.idOf(plant) : ids.get(keyOf(plant))),
    }))
    const placed = order === 'id' ? withIds(listed, 1) : order === 'id-descending' ? withIds(listed, -1) : listed
    const seeded = placed.flatMap(({ plant, id }) =>
      isForeign.has(plant) ? [{ ...plantIn(plant), ...(id !== undefined && { id }), access: [caller] }] : [],
    )
    return order === 'newest' ? seeded.reverse() : seeded
  })
}

const plantIn = ({ name, tag }: ShownPlant): FixturePlant => (typeof tag === 'string' ? { name, tag } : { name })

const asNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

type Listed = { readonly plant: ShownPlant; readonly id: number | undefined }

const farId = 2 ** 52

/** Fills missing ids with fractions in the order of the list, because no create can use a fractional id. */
const withIds = (listed: readonly Listed[], step: 1 | -1): readonly Listed[] => {
  const end = listed.findLastIndex(({ id }) => id !== undefined)
  let last = -step * farId
  return listed.map(({ plant, id }, i) => {
    last = id ?? (i === end + 1 ? step * farId : last + step / (Math.abs(last) < farId / 2 ? 1024 : 1))
    return { plant, id: last }
  })
}

const shownPart = (json: unknown): unknown => {
  if (!isJsonObject(json)) return json
  const shown = Object.fromEntries(Object.entries(json).filter(([key]) => key === 'name' || key === 'tag'))
  return isShownPlant(shown) ? shown : json
}

export const comparable = (request: TestRequest, response: TestResponse) => {
  if (!succeeded(response)) return { seen: response, isUsable: true }
  const { json } = response
  const seen = { ...response, json: Array.isArray(json) ? json.map(shownPart) : shownPart(json) }
  const isUsable = isList(request)
    ? Array.isArray(json) && elementsOf(seen).every(isShownPlant)
    : isShownPlant(seen.json)
  return { seen, isUsable }
}
