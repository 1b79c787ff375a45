import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'
import type { CallerKey } from '../contract/caller.ts'
import type { PlantDraft } from '../contract/schemas.ts'
import { maxLimitOf, parseLimit } from '../operations/limit.ts'
import { takeHidden } from './hidden.ts'
import { positionsInOrder } from './order.ts'
import type { Plants } from './plants.ts'
import type { ServiceRequest } from './request.ts'
import type { Performed } from './result.ts'
import type { State } from './state.ts'

export const listPlants = (
  state: State,
  { limits, time }: ServiceRequest,
  caller: CallerKey,
  assumptions: Assumptions,
): Performed => {
  const parsed = parseLimit(limits, assumptions)
  if ('error' in parsed) {
    const { error } = parsed
    return {
      state,
      result: { problem: 'invalid-limit', detail: error.detail, errors: [error], assumptions: parsed.assumptions },
    }
  }
  const { limit } = parsed
  const { hidden, excluded } = takeHidden(state.hidden, caller, time)
  const list = listOf(state, { caller, limit, excluded }, assumptions)
  const decided = decidedBy(parsed.assumptions, list, limit, maxLimitOf(assumptions))
  return {
    state: hidden === state.hidden && list.random === state.random ? state : { ...state, hidden, random: list.random },
    result: {
      status: assumptions['list.status'],
      body: list.text,
      assumptions: hidden.creators.has(caller) ? [...decided, 'create.visibility' as const] : decided,
    },
  }
}

export type Showing = Pick<Assumptions, 'json.keyOrder' | 'create.missingTag'>

const noPlant: readonly AssumptionId[] = ['list.status', 'auth.tokens', 'rate.limit', 'json.contentType']
const onePlant: readonly AssumptionId[] = [...noPlant, 'json.keyOrder']
const ordered: readonly AssumptionId[] = [...onePlant, 'list.order']

/** Includes `list.order` if another order could change which plants the list shows, or their sequence. */
const decidedBy = (
  limitBy: readonly AssumptionId[],
  { shown, lacksTag }: RenderedList,
  limit: number,
  maxLimit: number,
): readonly AssumptionId[] => {
  const byPlants = shown === 0 ? noPlant : shown === 1 && limit > 1 ? onePlant : ordered
  const decided = lacksTag ? [...byPlants, 'create.missingTag' as const] : byPlants
  if (limitBy.length === 0) return decided
  const reachesMax = limitBy.includes('list.defaultLimit') && shown >= maxLimit
  return [...limitBy, ...(reachesMax ? (['list.maxLimit'] as const) : []), ...decided]
}

type ListRequest = {
  readonly caller: CallerKey
  readonly limit: number
  readonly excluded: ReadonlySet<number>
}

type RenderedList = {
  readonly text: string
  readonly shown: number
  readonly lacksTag: boolean
  readonly truncated: boolean
  readonly random: number
}

type Remembered = {
  readonly caller: CallerKey
  readonly limit: number
  readonly order: Assumptions['list.order']
  readonly keyOrder: Assumptions['json.keyOrder']
  readonly missingTag: Assumptions['create.missingTag']
  readonly plants: Plants
  readonly list: RenderedList
}

/** perf: caches the last list for each `lineage`, because clients often repeat a request (`npm run bench`, GET). */
const lastLists = new WeakMap<object, Remembered>()

const maxRemembered = 100

const listOf = (state: State, request: ListRequest, assumptions: Assumptions): RenderedList => {
  const { plants, random } = state
  const { caller, limit, excluded } = request
  const order = assumptions['list.order']
  const keyOrder = assumptions['json.keyOrder']
  const missingTag = assumptions['create.missingTag']
  if (excluded.size > 0 || order === 'shuffled') return render(state, request, assumptions)
  const last = lastLists.get(plants.lineage)
  const isSame =
    last !== undefined &&
    last.caller === caller &&
    last.limit === limit &&
    last.order === order &&
    last.keyOrder === keyOrder &&
    last.missingTag === missingTag &&
    last.list.random === random &&
    holdsFor(plants, last)
  if (isSame) return last.list
  const list = render(state, request, assumptions)
  if (list.shown <= maxRemembered)
    lastLists.set(plants.lineage, { caller, limit, order, keyOrder, missingTag, plants, list })
  return list
}

const holdsFor = (plants: Plants, { plants: earlier, order, list }: Remembered): boolean =>
  plants.extends(earlier) && (plants.length === earlier.length || (order === 'added' && list.truncated))

const render = (
  { plants, random }: State,
  { caller, limit, excluded }: ListRequest,
  assumptions: Assumptions,
): RenderedList => {
  // Requests one plant more than `limit`, which shows whether `limit` truncates the list.
  const arranged = positionsInOrder(plants, {
    caller,
    limit,
    more: excluded.size + 1,
    order: assumptions['list.order'],
    random,
  })
  const visible = arranged.positions.filter((position) => !excluded.has(position))
  const shown = visible.slice(0, limit).map((position) => plants.at(position))
  return {
    text: JSON.stringify(shown.map((plant) => shownPlant(plant, assumptions))),
    shown: shown.length,
    lacksTag: shown.some(({ tag }) => tag === undefined),
    truncated: visible.length > limit,
    random: arranged.random,
  }
}

const shownPlant = (
  { name, tag }: Pick<PlantDraft, 'name' | 'tag'>,
  { 'json.keyOrder': keyOrder, 'create.missingTag': missingTag }: Showing,
) => {
  const shownTag = tag === undefined ? missingTags[missingTag] : tag
  return keyOrder === 'name-tag' ? { name, tag: shownTag } : { tag: shownTag, name }
}

/** perf: uses a template string, because `JSON.stringify` takes three times as long (`npm run bench`, POST). */
export const plantText = (plant: Pick<PlantDraft, 'name' | 'tag'>, showing: Showing): string => {
  const { name, tag } = plant
  if (typeof tag !== 'string') return JSON.stringify(shownPlant(plant, showing))
  return showing['json.keyOrder'] === 'name-tag'
    ? `{"name":${quoted(name)},"tag":${quoted(tag)}}`
    : `{"tag":${quoted(tag)},"name":${quoted(name)}}`
}

const quoted = (text: string): string => (escaped.test(text) ? JSON.stringify(text) : `"${text}"`)

const escaped = /[^ !#-[\]-\ud7ff\ue000-\uffff]/

const missingTags = { empty: '', omit: undefined, null: null } as const satisfies Record<
  Assumptions['create.missingTag'],
  unknown
>
