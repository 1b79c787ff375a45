import { bases, isForm } from '../../core/assumptions/points.ts'
import {
  type AssumptionId,
  type Assumptions,
  type AssumptionValue,
  allValuesOf,
  findAssumption,
  parseValue,
} from '../../core/assumptions/registry.ts'
import { jsonTypeOf } from '../../core/http/media-type.ts'
import { formDecidedBy } from '../../core/operations/failure-body.ts'
import { formOf } from '../ask/probes/failures.ts'
import { type ProbeFinding, valueIn } from '../read/finding.ts'
import { type Item, isFull, parts, problemOf, type Replayed } from '../read/replay.ts'
import { elementsOf, lengthOf, refused, succeeded } from '../read/response.ts'
import { isCreate, isList } from '../read/test-request.ts'

/** Values with a parameter, such as `clamp:50`, that exchanges suggest. */
export type Estimates = {
  readonly [Id in AssumptionId]?: readonly (string | number)[]
}

/**
 * The values to try. Replaces the relative value `same` by the value of its base, so that each point is judged by
 * itself.
 */
export const candidatesOf = (
  id: AssumptionId,
  assume: Assumptions,
  estimates: Estimates,
): readonly AssumptionValue[] => {
  // Found by counting requests.
  if (id === 'rate.limit') return [assume[id]]
  const row = findAssumption(id)
  const estimated = (estimates[id] ?? []).flatMap((value) => parseValue(id, String(value)) ?? [])
  const base = bases.get(id)
  const all = [
    ...(row === undefined ? [] : allValuesOf(row)).filter((value) => value !== 'same' && value !== 'shuffled'),
    ...(base !== undefined && isForm(id) ? [assume[base]] : []),
    ...estimated,
    assume[id],
  ]
  const values = [...new Set(all.flatMap((value) => parseValue(id, String(value)) ?? []))]
  // A maximum in the text of a refusal is exact.
  const isExact = id === 'list.maxLimit' && estimated.filter((value) => String(value).startsWith('reject')).length === 1
  return isExact ? values.filter((value) => !String(value).startsWith('reject') || estimated.includes(value)) : values
}

/** Estimates that depend on the exchanges alone. */
export const estimatesOf = (items: readonly Item[]): Estimates => {
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
    'json.contentType': [
      ...new Set(items.flatMap(({ seen }) => (succeeded(seen) ? (seen.headers.get('content-type') ?? []) : []))),
    ],
    'body.maxSize': items.flatMap(({ sent: { sent }, seen }) =>
      sent === undefined ? [] : seen.status === 413 ? sent.size - 1 : sent.size > 16_384 ? sent.size : [],
    ),
  }
}

/** Values between the largest accepted and the smallest refused limit. */
const rejectedOver = (items: readonly Item[]): readonly string[] => {
  const limited = items.flatMap(({ sent: { limits }, request: { as }, seen }) =>
    // The refusal of a bad token is not about the limit.
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

/** Whether at least three lists reverse a pair of plants, compared with the first list that shows the pair. */
const isShuffled = (lists: readonly Item[]): boolean => {
  const first = new Map<string, boolean>()
  let reversed = 0
  for (const { seen, caller } of lists) {
    const shown = elementsOf(seen).map((one) => JSON.stringify(one))
    const [a, b] = [...new Set(shown)].sort()
    if (a === undefined || b === undefined) continue
    const pair = `${caller} ${a} ${b}`
    const isFirst = shown.indexOf(a) < shown.indexOf(b)
    if ((first.get(pair) ?? isFirst) !== isFirst) reversed++
    else first.set(pair, isFirst)
  }
  return reversed >= 3
}

/** Derives a delay from the lists between a create and the first list with its plant. Ignores truncated lists. */
const visibilities = (items: readonly Item[]): readonly string[] => {
  let [fewest, most] = [1, Number.POSITIVE_INFINITY]
  const hiddenFor: number[] = []
  let longest = Number.POSITIVE_INFINITY
  for (const [i, { request, seen, caller, at }] of items.entries()) {
    if (!isCreate(request) || !succeeded(seen)) continue
    const key = JSON.stringify(seen.json)
    const isShownIn = (item: Item): boolean => elementsOf(item.seen).some((one) => JSON.stringify(one) === key)
    const isOwnList = (item: Item): boolean =>
      isList(item.request) && item.caller === caller && succeeded(item.seen) && !(item.ignored & parts.body)
    if (items.slice(0, i).some((item) => isOwnList(item) && isShownIn(item))) continue
    const later = items.slice(i + 1).filter(isOwnList)
    const shown = later.findIndex(isShownIn)
    if (shown === -1) continue
    longest = Math.min(longest, (later[shown]?.at ?? at) - at)
    if (shown === 0) continue
    most = Math.min(most, shown)
    const hiding = later.slice(0, shown).findLastIndex(({ sent, seen: list }) => !isFull(sent.limits, lengthOf(list)))
    fewest = Math.max(fewest, hiding + 1)
    if (hiding !== -1) hiddenFor.push((later[hiding]?.at ?? at) - at)
  }
  if (most === Number.POSITIVE_INFINITY) return []
  const shorter = hiddenFor.filter((time) => time < longest)
  return [
    ...[Math.min(fewest, most), most].map((lists) => `after-lists:${lists}`),
    ...(shorter.length > 0 ? [`after-ms:${Math.ceil((Math.max(...shorter) + longest) / 2)}`] : []),
  ]
}

type Form = {
  readonly found: ProbeFinding
  /** How many different requests showed the form. */
  readonly requests: number
  readonly places: readonly number[]
}

/** The forms of failure bodies, for each point that decides a body under these assumptions. */
export const formsOf = (
  items: readonly Item[],
  { replies }: Replayed,
  assume: Assumptions,
): ReadonlyMap<AssumptionId, Form> => {
  const refusals = new Map<AssumptionId, Item[]>()
  for (const [i, item] of items.entries()) {
    const problem = problemOf(replies[i])
    // With another status, the service may have refused the request for another reason.
    if (
      problem === undefined ||
      replies[i]?.status !== item.seen.status ||
      !refused({ ...item.seen, as: 'anonymous' }) ||
      item.ignored & parts.body
    )
      continue
    const [id = 'error.body'] = formDecidedBy(problem)
    refusals.set(id, [...(refusals.get(id) ?? []), item])
  }
  const [jsonType = ''] = jsonTypeOf(assume).split(';')
  const formIn = (all: readonly Item[]): Form => {
    const found = formOf(
      all.map(({ seen }) => seen),
      jsonType,
      false,
    )
    return { found, requests: new Set(all.map(({ seen }) => seen.curl)).size, places: all.map(({ place }) => place) }
  }
  return new Map([...refusals].map(([id, all]) => [id, formIn(all)]))
}

/** Adds the found forms to the estimates. */
export const withForms = (estimates: Estimates, forms: ReturnType<typeof formsOf>): Estimates => ({
  ...estimates,
  ...Object.fromEntries([...forms].map(([id, { found }]) => [id, [valueIn(found) ?? []].flat()])),
})
