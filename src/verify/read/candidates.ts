import type { Entry } from '../../core/assumptions/file.ts'
import { bases, formAssumptions, isForm } from '../../core/assumptions/points.ts'
import {
  type AssumptionId,
  type Assumptions,
  type AssumptionValue,
  parseValue,
  rowOf,
} from '../../core/assumptions/registry.ts'
import { isShownPlant } from '../../core/contract/schemas.ts'
import { jsonTypeOf } from '../../core/http/media-type.ts'
import { formDecidedBy } from '../../core/operations/failure-body.ts'
import { isJsonObject } from '../../util/json.ts'
import { roundNumber } from './finding.ts'
import { type Fold, type Item, isFull, parts, problemOf, stepAt } from './fold.ts'
import { formOf } from './forms.ts'
import { createTake, keyOf } from './recording.ts'
import { elementsOf, lengthOf, refused, succeeded } from './response.ts'
import { isCreate, isList } from './test-request.ts'

export type Candidates = { readonly [Id in AssumptionId]?: readonly (string | number)[] }

export type Forms = ReadonlyMap<AssumptionId, { readonly found: Entry; readonly by: readonly number[] }>

export const candidatesOf = (
  id: AssumptionId,
  assume: Assumptions,
  estimates: Candidates,
  forms: Forms,
): readonly AssumptionValue[] => {
  const { values, more = {} } = rowOf(id)
  const base = bases.get(id)
  const isNamed = (value: string): boolean =>
    value !== 'same' && value !== 'shuffled' && !(id === 'create.idRange' && value === 'int32')
  const all = [
    assume[id],
    ...Object.keys({ ...values, ...more }).filter(isNamed),
    ...(base === undefined ? [] : [assume[base]]),
    ...(estimates[id] ?? []),
    ...(isForm(id) ? [...forms.values()].flatMap(({ found }) => found.value ?? []) : []),
  ]
  const parsed = [...new Set(all.flatMap((value) => parseValue(id, String(value)) ?? []))]
  // If refusals of larger limits show the maximum, no other maximum is a candidate.
  const isRejected = (value: AssumptionValue): boolean => String(value).startsWith('reject')
  const exact = (id === 'list.maxLimit' ? (estimates[id] ?? []) : []).flatMap((value) =>
    isRejected(value) ? (parseValue(id, String(value)) ?? []) : [],
  )
  return exact.length === 0 ? parsed : parsed.filter((value) => !isRejected(value) || exact.includes(value))
}

export const estimatesOf = (items: readonly Item[]): Candidates => {
  const lists = items.filter(
    ({ request, seen, ignored }) => isList(request) && succeeded(seen) && !(ignored & parts.body),
  )
  const longest = (some: readonly Item[]): readonly number[] =>
    some.length === 0 ? [] : [Math.max(...some.map(({ seen }) => lengthOf(seen)))].filter((length) => length > 0)
  return {
    'list.defaultLimit': longest(lists.filter(({ sent }) => sent.limits.length === 0)),
    'list.maxLimit': [...longest(lists).map((length) => `clamp:${length}`), ...rejectedOver(items)],
    'list.order': isShuffled(lists) ? ['shuffled'] : [],
    'create.visibility': visibilities(items),
    'create.idRange': items.some(isNearInt32) ? ['int32'] : [],
    'json.contentType': [
      ...new Set(items.flatMap(({ seen }) => (succeeded(seen) ? (seen.headers.get('content-type') ?? []) : []))),
    ],
    'body.maxSize': sizes(items),
  }
}

const sizes = (items: readonly Item[]): readonly number[] => {
  const sent = items.flatMap(({ sent: { sent }, seen }) => (sent === undefined ? [] : [{ size: sent.size, seen }]))
  const tooLarge = sent.flatMap(({ size, seen }) => (seen.status === 413 ? [size] : []))
  if (tooLarge.length === 0) return []
  const end = Math.min(...tooLarge)
  const taken = sent.flatMap(({ size, seen }) => (size < end && seen.status !== 413 ? [size] : []))
  return [end - 1, ...(taken.length === 0 ? [] : [Math.max(...taken)])]
}

/** Only an id near 2^31 can show the range `int32`: the refusal of a far larger id fits every range. */
const isNearInt32 = ({ request: { json } }: Item): boolean =>
  isJsonObject(json) && Math.abs(Math.log2(Math.abs(Number(json.id))) - 31) <= 1

const rejectedOver = (items: readonly Item[]): readonly string[] => {
  const limited = items.flatMap(({ sent: { limits }, request: { as }, seen }) =>
    limits.length === 1 && limits[0]?.digits && (as === 'caller' || as === 'other')
      ? [{ limit: limits[0].digits, seen }]
      : [],
  )
  const over = limited.filter(({ seen }) => refused(seen)).sort((a, b) => a.limit - b.limit)
  const accepted = Math.max(0, ...limited.flatMap(({ limit, seen }) => (succeeded(seen) ? limit : [])))
  const [first] = over
  if (first === undefined || accepted >= first.limit) return []
  const isBetween = (number: number): boolean => number >= accepted && number < first.limit && number > 0
  const named = over.map(({ seen: { text, status } }) => {
    const numbers = new Set((text.match(/(?<![\w.-])\d+(?![\w-])/g) ?? []).map(Number))
    numbers.delete(status)
    return numbers
  })
  const shared = [...(named[0] ?? [])].filter((one) => isBetween(one) && named.every((numbers) => numbers.has(one)))
  return [...new Set(shared.length === 1 ? shared : [Math.max(1, accepted), first.limit - 1])].map((n) => `reject:${n}`)
}

/** Every order except `shuffled` keeps the relative order of two plants from list to list. */
const isShuffled = (lists: readonly Item[]): boolean => {
  const last = new Map<string | undefined, readonly string[]>()
  let [compared, moved] = [0, 0]
  for (const { seen, caller } of lists) {
    const shown = elementsOf(seen).map((one) => JSON.stringify(one))
    const before = last.get(caller) ?? []
    const shared = shown.filter(createTake(before))
    if (shown.length >= minShuffled) last.set(caller, shown)
    if (shared.length < minShuffled) continue
    compared++
    if (shared.join() !== before.filter(createTake(shown)).join()) moved++
  }
  return moved > Math.max(1, compared / 2)
}

const minShuffled = 3

const visibilities = (items: readonly Item[]): readonly string[] => {
  const unlisted = new Map<string, Map<string, { readonly at: number; lists: number; until?: number }>>()
  const seen = new Set<string>()
  const shown: { readonly lists: number; readonly after: number | undefined; readonly before: number }[] = []
  for (const { request, seen: response, sent, caller = '', at, ignored } of items) {
    const own = unlisted.get(caller) ?? new Map()
    unlisted.set(caller, own)
    if (isCreate(request) && succeeded(response)) {
      const key = isShownPlant(response.json) ? keyOf(response.json) : undefined
      if (key !== undefined && !seen.has(`${caller} ${key}`)) own.set(key, { at, lists: 0 })
      if (key !== undefined) seen.add(`${caller} ${key}`)
    }
    if (!isList(request) || !succeeded(response) || ignored & parts.body || own.size === 0) continue
    const keys = new Set(elementsOf(response).filter(isShownPlant).map(keyOf))
    for (const [key, plant] of own) {
      if (keys.has(key)) {
        own.delete(key)
        shown.push({ lists: plant.lists, after: plant.until, before: at - plant.at })
        continue
      }
      plant.lists++
      if (!isFull(sent.limits, lengthOf(response))) plant.until = at - plant.at
    }
  }
  const late = shown.filter(({ after }) => after !== undefined)
  if (late.length === 0) return []
  const low = Math.max(0, ...shown.map(({ after = 0 }) => after))
  const high = Math.min(...shown.map(({ before }) => before))
  const delay = high - low > high / 5 ? Math.ceil((low + high) / 2) : roundNumber(low, high)
  return [
    `after-lists:${Math.min(...late.map(({ lists }) => lists))}`,
    ...(low < high && high >= minDelay ? [`after-ms:${delay}`] : []),
  ]
}

const minDelay = 10

export const createForms = (items: readonly Item[]) => {
  const reasons = new Map<string, string | undefined>()
  const reasonOf = (fold: Fold, i: number, problem: string): string | undefined => {
    const key = `${i} ${problem}`
    if (!reasons.has(key)) {
      const told = { ...fold.assume, ...Object.fromEntries(formAssumptions.map((id) => [id, 'json'])) } as Assumptions
      reasons.set(key, stepAt(fold, items[i] as Item, i, told).reply.body)
    }
    return reasons.get(key)
  }
  const known = new Map<string, Entry>()
  return (fold: Fold): Forms => {
    const refusals = new Map<AssumptionId, number[]>()
    for (const [i, { seen, ignored, purpose }] of items.entries()) {
      const problem = problemOf(fold.replies[i])
      if (problem === undefined || ignored & parts.body || !refused({ ...seen, as: 'anonymous' })) continue
      // Skips a refusal with an unexpected status, because the service may have another reason than the mock to refuse.
      const isOther = fold.replies[i]?.status !== seen.status
      if (isOther && !(purpose !== undefined && isForm(purpose))) continue
      const [id = 'error.body'] = isOther && purpose !== undefined ? [purpose] : formDecidedBy(problem)
      refusals.set(id, [...(refusals.get(id) ?? []), i])
    }
    const [jsonType = ''] = jsonTypeOf(fold.assume).split(';')
    return new Map(
      [...refusals].map(([id, all]) => {
        const asked = all.filter((i) => items[i]?.purpose === id)
        const by = asked.length > 0 ? asked : all
        const isVaried = new Set(by.map((i) => reasonOf(fold, i, problemOf(fold.replies[i]) ?? ''))).size > 1
        const key = `${by.join()} ${jsonType} ${isVaried}`
        const seen = by.map((i) => (items[i] as Item).seen)
        const found = known.get(key) ?? formOf(seen, jsonType, isVaried)
        known.set(key, found)
        return [id, { found, by }]
      }),
    )
  }
}
