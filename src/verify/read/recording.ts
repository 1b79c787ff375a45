import type { Assumptions } from '../../core/assumptions/registry.ts'
import type { FixturePlant, ShownPlant } from '../../core/contract/schemas.ts'
import { isShownPlant } from '../../core/contract/schemas.ts'
import { isJsonObject } from '../../util/json.ts'
import { maxFailureText } from './failure-text.ts'
import { elementsOf, lengthOf, succeeded, type TestResponse } from './response.ts'
import { isCreate, isList, type TestRequest } from './test-request.ts'

export type RecordedExchange = {
  readonly request: TestRequest
  readonly response: TestResponse
  /** When the request was sent, in milliseconds. */
  readonly at: number
  /** Whether the request was drawn at random after the check: nothing was learned from the response. */
  readonly isHeldOut: boolean
}

/** The largest usual limit of a check. Lists with up to this number of elements are always kept. */
const maxUsual = 1_000
/**
 * The maximum total of elements in longer lists, except that the first list is always kept. Bounds the memory for a
 * large store.
 */
const maxElements = 100_000

export type Recording = ReturnType<typeof createRecording>

/** Keeps the exchanges of a check in order, including repeated requests. */
export const createRecording = (now: () => number) => {
  const exchanges: RecordedExchange[] = []
  let elements = 0
  return {
    exchanges: exchanges as readonly RecordedExchange[],
    /** Set before each random request. Its first exchange resets the mark, so retries and confirmations have none. */
    isHeldOut: false,
    /** Sends a request and keeps its response; keeps nothing if no response comes. */
    async record(request: TestRequest, send: (request: TestRequest) => Promise<TestResponse>): Promise<TestResponse> {
      const at = now()
      const response = await send(request)
      const length = lengthOf(response)
      const isKept = length <= maxUsual || elements === 0 || elements + length <= maxElements
      if (isKept && length > maxUsual) elements += length
      if (isKept) exchanges.push({ request, response: withoutLongText(response), at, isHeldOut: this.isHeldOut })
      this.isHeldOut = false
      return response
    },
  }
}

/** Drops the text of lists, which repeats the elements, and cuts failures that are too long for a template. */
const withoutLongText = ({ as, status, headers, json, text, redact, curl }: TestResponse): TestResponse => {
  const kept = { as, status, headers, redact, curl }
  if (Array.isArray(json)) return { ...kept, json, text: '[…]' }
  return text.length > maxFailureText
    ? { ...kept, json: undefined, text: text.slice(0, maxFailureText) }
    : { ...kept, json, text }
}

/** Identifies a plant by name and tag, which lists show. */
const shownKey = ({ name, tag }: { readonly name?: unknown; readonly tag?: unknown }): string =>
  JSON.stringify([name, tag ?? ''])

/** The plant in the response to a create, if the service returns the plant that already has the id. */
export const existingIn = ({ request, response }: RecordedExchange): ShownPlant | undefined => {
  const sent = isCreate(request) ? request.json : undefined
  const { json } = response
  if (!isJsonObject(sent) || !succeeded(response) || !isShownPlant(json)) return undefined
  return json.name !== sent.name && json.tag !== sent.tag ? json : undefined
}

/** The plant of a create: as the service returned it, or else as it was sent. */
const sentIn = ({
  request,
  response,
}: RecordedExchange): { readonly key: string; readonly id: unknown } | undefined => {
  const plant = isCreate(request) ? request.json : undefined
  if (!isJsonObject(plant)) return undefined
  const { id, name = '', tag } = plant
  return { key: shownKey(succeeded(response) && isShownPlant(response.json) ? response.json : { name, tag }), id }
}

/** Reads the labels that a check writes into its plants. */
export type Labels = {
  /** The id of a plant of an earlier check, if it can be computed. */
  readonly idOf: (plant: ShownPlant) => number | undefined
  /** Identifies a plant of a check, even if the service has changed it. */
  readonly keyOf: (plant: unknown) => string | undefined
}

const sentKeys = (recorded: readonly RecordedExchange[], { keyOf }: Labels): ReadonlySet<string | undefined> =>
  new Set(recorded.flatMap(({ request }) => (isCreate(request) ? (keyOf(request.json) ?? []) : [])))

/** Returns a predicate for listed plants that the check did not send. */
export const createIsForeign = (
  recorded: readonly RecordedExchange[],
  labels: Labels,
): ((element: unknown) => boolean) => {
  const sent = new Set(recorded.map((exchange) => sentIn(exchange)?.key))
  const keys = sentKeys(recorded, labels)
  return (element) => isShownPlant(element) && !sent.has(shownKey(element)) && !keys.has(labels.keyOf(element))
}

/**
 * The plants of a list that the check did not create. Among plants with equal name and tag, the oldest count as
 * foreign.
 */
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

/**
 * The plants at the start of a check, for each caller: taken from the list with the most foreign plants. A truncated
 * list hides some of these plants, and lists show no ids.
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
  const seen = new Map<string, { readonly plants: readonly ShownPlant[]; readonly foreign: readonly ShownPlant[] }>()
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
    // Of lists with equally many foreign plants, the latest has the most plants of the check: it shows the order best.
    if (foreign.length > 0 && foreign.length >= (seen.get(caller)?.foreign.length ?? 0))
      seen.set(caller, { plants, foreign })
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

/**
 * Adds ids that keep the order of a list when sorted by id. At both ends, ids are beyond the ids of clients. Ids
 * between known ids are fractions, which no create can have.
 */
const withIds = (listed: readonly Listed[], step: 1 | -1): readonly Listed[] => {
  const end = listed.findLastIndex(({ id }) => id !== undefined)
  let last = -step * far
  return listed.map(({ plant, id }, i) => {
    last = id ?? (i === end + 1 ? step * far : last + step / (Math.abs(last) < far / 2 ? 1024 : 1))
    return { plant, id: last }
  })
}
