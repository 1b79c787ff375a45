import type { AssumptionId, Assumptions } from '../../core/assumptions/registry.ts'
import type { FixturePlant, ShownPlant } from '../../core/contract/schemas.ts'
import { isShownPlant } from '../../core/contract/schemas.ts'
import { statedLimit } from '../../core/operations/list-plants.ts'
import { isJsonObject } from '../../util/json.ts'
import { maxFailureText } from './failure-text.ts'
import { elementsOf, isGranted, lengthOf, succeeded, type TestResponse } from './response.ts'
import { isCreate, isList, type TestRequest } from './test-request.ts'

export type RecordedExchange = {
  readonly request: TestRequest
  readonly response: TestResponse
  /** When the request was sent, in milliseconds. */
  readonly at: number
  readonly isHeldOut: boolean
  /** The point that the request was sent for. */
  readonly purpose?: AssumptionId | undefined
}

/** The largest usual limit of a check. Lists with up to this number of elements are always kept. */
const maxUsual = 1_000
/** Bounds the memory for a large store. The first list is always kept. */
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

/** Each exchange that did not succeed, with the kind of request that no longer succeeds after it. */
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

export const noLater = (kind: 'list' | 'create'): string => `no later ${kind} succeeds, so a refusal shows nothing`

/** Drops the text of lists, which repeats the elements, and cuts failures that are too long for a template. */
const withoutLongText = ({
  as,
  path = '',
  status,
  headers,
  json,
  text,
  redact,
  curl,
  isDisguised = false,
}: TestResponse): TestResponse => {
  const kept = { as, path, status, headers, redact, curl, isDisguised }
  if (Array.isArray(json)) return { ...kept, json, text: '[…]' }
  return text.length > maxFailureText
    ? { ...kept, json: undefined, text: text.slice(0, maxFailureText) }
    : { ...kept, json, text }
}

const shownKey = ({ name, tag }: { readonly name?: unknown; readonly tag?: unknown }): string =>
  JSON.stringify([name, tag ?? ''])

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
  return { key: shownKey(succeeded(response) && isShownPlant(response.json) ? response.json : { name, tag }), id }
}

export type Labels = {
  readonly idOf: (plant: ShownPlant) => number | undefined
  /** Identifies a plant of a check, even if the service has changed it. */
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
  return (element) => isShownPlant(element) && !sent.has(shownKey(element)) && !keys.has(labels.keyOf(element))
}

/** Among plants with equal name and tag, the oldest count as foreign. */
const foreignIn = (
  plants: readonly ShownPlant[],
  own: ReadonlyMap<string, number>,
  isNewestFirst: boolean,
  isChanged: (plant: ShownPlant) => boolean,
) => {
  const left = new Map(own)
  const isForeign = (plant: ShownPlant): boolean => {
    const count = left.get(shownKey(plant)) ?? 0
    if (count > 0) left.set(shownKey(plant), count - 1)
    return count === 0 && !isChanged(plant)
  }
  return isNewestFirst ? plants.filter(isForeign) : plants.toReversed().filter(isForeign).reverse()
}

type Sighting = {
  readonly plants: readonly ShownPlant[]
  readonly foreign: readonly ShownPlant[]
  readonly isWhole: boolean
}

const sharedWith = (plants: readonly ShownPlant[], others: readonly ShownPlant[]): readonly ShownPlant[] => {
  const left = new Map<string, number>()
  for (const one of others) left.set(shownKey(one), (left.get(shownKey(one)) ?? 0) + 1)
  return plants.filter((one) => {
    const count = left.get(shownKey(one)) ?? 0
    left.set(shownKey(one), count - 1)
    return count > 0
  })
}

/**
 * The plants at the start, for each caller: the foreign plants of the first list that its limit does not cut, in the
 * order of the last list that shows them all, because later lists also show where created plants are.
 * @param callerOf The key of the caller in the model; `undefined` for none.
 */
export const initialPlants = <Exchange extends RecordedExchange>(
  recorded: readonly Exchange[],
  order: Assumptions['list.order'],
  labels: Labels,
  callerOf: (exchange: Exchange) => string | undefined,
): readonly FixturePlant[] => {
  const keys = sentKeys(recorded, labels)
  const isChanged = (plant: ShownPlant): boolean => keys.has(labels.keyOf(plant))
  const own = new Map<string, number>()
  const ids = new Map<string, unknown>()
  const seen = new Map<string, Sighting>()
  for (const exchange of recorded) {
    const { request, response } = exchange
    const { key, id } = sentIn(exchange) ?? {}
    if (key !== undefined && succeeded(response) && existingIn(exchange) === undefined) {
      own.set(key, (own.get(key) ?? 0) + 1)
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
      const same = sharedWith(foreign, known.foreign)
      if (same.length === known.foreign.length) seen.set(caller, { ...known, plants, foreign: same })
    }
  }
  return [...seen].flatMap(([caller, { plants, foreign }]) => {
    const isForeign = new Set(foreign)
    const listed = plants.map((plant) => ({
      plant,
      id: asNumber(isForeign.has(plant) ? labels.idOf(plant) : ids.get(shownKey(plant))),
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

/** Larger than the ids of services. */
const far = 2 ** 52

/** Keeps the order of a list when sorted by id. Ids between known ids are fractions, which no create can have. */
const withIds = (listed: readonly Listed[], step: 1 | -1): readonly Listed[] => {
  const end = listed.findLastIndex(({ id }) => id !== undefined)
  let last = -step * far
  return listed.map(({ plant, id }, i) => {
    last = id ?? (i === end + 1 ? step * far : last + step / (Math.abs(last) < far / 2 ? 1024 : 1))
    return { plant, id: last }
  })
}
