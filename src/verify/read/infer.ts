import type { Entry } from '../../core/assumptions/file.ts'
import { baseOf, bases, decidesPart, isForm } from '../../core/assumptions/points.ts'
import {
  type AssumptionId,
  type Assumptions,
  type AssumptionValue,
  assumptionRegistry,
  defaultAssumptions,
  parseValue,
  rowOf,
} from '../../core/assumptions/registry.ts'
import type { Reply } from '../../core/http/reply.ts'
import { maxLimitOf } from '../../core/operations/limit.ts'
import { shorten } from '../../util/text.ts'
import type { Candidates } from './candidates.ts'
import { describeExchange } from './describe-exchange.ts'
import { areSameForms } from './failure-form.ts'
import { entryOf, type ProbeFinding, unseen } from './finding.ts'
import { decidedBy, differingReplies, type Fold, type Item, parts, type Start, stepAt, visiblePartsOf } from './fold.ts'
import { isUndecided, lengthOf, succeeded } from './response.ts'
import { affectedBy, changed, ids, isStateful, search } from './search.ts'
import { isCreate, isList } from './test-request.ts'

export type Inferred = { readonly finding: Entry; readonly by: readonly number[] }

export type Inference = {
  readonly best: Fold
  readonly at: (id: AssumptionId) => Inferred
}

export const explicitDefaults = Object.fromEntries(
  assumptionRegistry.map(({ id, default: value }) => {
    const base = baseOf(id, value)
    return [id, base === undefined ? value : defaultAssumptions[base]]
  }),
) as Assumptions

export const startingPoint = (estimates: Candidates): Assumptions => {
  const types = estimates['json.contentType'] ?? []
  const [type = explicitDefaults['json.contentType']] = types.flatMap(
    (one) => parseValue('json.contentType', String(one)) ?? [],
  )
  return changed(explicitDefaults, 'json.contentType', type)
}

const minContradictions = 3

export const infer = (items: readonly Item[], start: Start, from: Assumptions, estimates: Candidates): Inference => {
  const { best, fold, forms, candidatesAt } = search(items, start, from, estimates)
  const indexes = items.map((_, i) => i)
  const itemAt = (i: number): Item => items[i] as Item
  const differsAt = (i: number): number => best.differences[i] ?? 0

  /** Assumptions that the check tested with special requests. No other requests are evidence against their values. */
  const asked = new Set(items.map(({ purpose }) => purpose))

  const trials = new Map<AssumptionId, readonly Trial[]>()
  const trialsOf = (id: AssumptionId): readonly Trial[] => {
    const known = trials.get(id)
    if (known !== undefined) return known
    const affected = affectedBy(id, items, best)
    const made = candidatesAt(id).map((value) => tryValue(id, value, affected))
    trials.set(id, made)
    return made
  }

  /** The number of lists that no value explains, for example because other clients changed plants. */
  const noise = start.isOnlyClient
    ? 0
    : indexes.filter(
        (i) =>
          isList(itemAt(i).request) &&
          succeeded(itemAt(i).seen) &&
          !isOverLimit(itemAt(i)) &&
          differsAt(i) & aboutPlants,
      ).length
  const enough = noise + minContradictions

  const tryValue = (id: AssumptionId, value: AssumptionValue, affected: readonly number[]): Trial => {
    const assume = changed(best.assume, id, value)
    const folded = isStateful(id) ? fold(assume, best.cost + enough * maxWeight) : undefined
    const worse: number[] = []
    const open = new Map<number, { readonly visible: number; readonly differs: number }>()
    let isVisible = false
    for (const i of affected) {
      if (worse.length >= enough && differsAt(i) === 0) continue
      const reply = folded?.replies[i]
      const tried =
        reply === undefined ? stepAt(best, itemAt(i), i, assume) : { reply, differs: folded?.differences[i] ?? 0 }
      const visible =
        differingReplies(tried.reply, best.replies[i] as Reply) & visiblePartsOf(id) & shownAt(i) & ~itemAt(i).ignored
      // A media type without its body does not show the form of a failure.
      if (visible === 0 || (isForm(id) && itemAt(i).ignored & parts.body)) continue
      isVisible = true
      if (differsAt(i) !== 0) open.set(i, { visible, differs: tried.differs })
      if ((differsAt(i) & visible) === 0 && (tried.differs & visible) !== 0) worse.push(i)
    }
    return { value, worse, open, isVisible }
  }

  const shownAt = (i: number): number => {
    if (differsAt(i) & parts.outcome) return parts.outcome
    return differsAt(i) & parts.status && !succeeded(itemAt(i).seen) ? parts.outcome | parts.status : ~0
  }

  let explaining: ReadonlyMap<number, ReadonlySet<AssumptionId>> | undefined
  const explainers = () => {
    if (explaining !== undefined) return explaining
    const found = new Map<number, Set<AssumptionId>>()
    for (const id of ids)
      for (const { open } of trialsOf(id))
        for (const [i, { differs }] of open) if (differs === 0) found.set(i, (found.get(i) ?? new Set()).add(id))
    explaining = found
    return found
  }

  const isAboutRefusal = (purpose: AssumptionId | undefined): boolean =>
    purpose !== undefined && decidesPart(purpose, 'plants', 'status', 'form')

  const recurs = (i: number): boolean =>
    items.some(
      ({ request, seen }) =>
        request.method === itemAt(i).request.method && seen.status === (best.replies[i] as Reply).status,
    )

  const contradicts = (id: AssumptionId, i: number): boolean => {
    const differs = differsAt(i)
    const { purpose, seen } = itemAt(i)
    const isSuccess = decidesPart(id, 'success')
    if (differs === 0) return false
    // If plants appear late, the length and order of lists contradict no value, because each plant has another delay.
    const isLate = start.isOnlyClient && best.assume['create.visibility'] !== 'immediate' && !isOverLimit(itemAt(i))
    if (isLate && (differs & ~(parts.length | parts.order)) === 0) return false
    if (isUndecided(seen)) return purpose === id && decidedBy(best.replies[i]).includes(id)
    const isSeenSuccess = succeeded(seen)
    const isStatus = !isSeenSuccess && (differs & parts.outcome) === 0 && decidesPart(id, 'token')
    const givesStatus = ({ open }: Trial): boolean => ((open.get(i)?.differs ?? parts.status) & parts.status) === 0
    if (isStatus && !trialsOf(id).some(givesStatus)) return false
    // A service that accepts a request which other services refuse, such as a repeated id, may use a special status.
    if (isSeenSuccess && differs & parts.status && !(differs & parts.outcome) && isAboutRefusal(purpose) && recurs(i))
      return purpose === id && decidesPart(id, 'status')
    if (purpose !== id && (purpose !== undefined || asked.has(id)) && !isSuccess) return false
    let visible = isSeenSuccess && isSuccess ? parts.status : 0
    if (isSeenSuccess && decidesPart(id, 'limit') && decidedBy(best.replies[i]).includes(id))
      visible |= parts.outcome | parts.length | parts.body
    for (const { open } of trialsOf(id)) visible |= open.get(i)?.visible ?? 0
    if ((differs & visible) === 0) return false
    const others = explainers().get(i)
    if (others !== undefined) return [...others].some((one) => one === id || rowOf(one).hiddenBy?.includes(id))
    if (differs & parts.outcome) return (isSeenSuccess || purpose === id) && (visible & parts.outcome) > 0
    // Other clients may have changed the plants of a list: a list with other plants contradicts at most `list.order`.
    if (isStateful(id) && id !== 'list.order') return false
    return isSeenSuccess || !(differs & parts.status) || (visible & parts.status) > 0
  }

  const decide = (id: AssumptionId): Inferred => {
    const value = best.assume[id]
    const tried = trialsOf(id)
    const form = forms.get(id)
    if (form !== undefined && (start.isOnlyClient || form.found.other !== undefined))
      return { finding: form.found, by: form.by }
    const affected = affectedBy(id, items, best)
    const contradicting = affected.filter((i) => contradicts(id, i))
    if (contradicting.length > 0) {
      const told = new Set(
        contradicting.map((i) => describeExchange(itemAt(i), best.replies[i] as Reply, differsAt(i))),
      )
      const shown = [...told].slice(0, maxTold).join('; ')
      return !decidesPart(id, 'plants', 'length') || (start.isOnlyClient && id === 'list.order')
        ? { finding: { other: shown, nearest: value }, by: contradicting }
        : {
            finding: unseen(`${shorten(String(value), 60)} fits best, but does not explain ${shown}`),
            by: contradicting,
          }
    }
    if (tried.length === 0) {
      const by = affected.filter((i) => succeeded(itemAt(i).seen) && decidedBy(best.replies[i]).includes(id))
      return by.length === 0 ? nothing : { finding: { value }, by }
    }
    if (!tried.some(({ isVisible }) => isVisible)) return hidden(id)
    const [wrong, left] = [
      tried.filter(({ worse }) => worse.length > 0),
      tried.filter(({ worse }) => worse.length === 0),
    ]
    const by = wrong[0]?.worse ?? affected
    const fitting = [value, ...left.map((trial) => trial.value)]
    const chosen = choose(id, fitting, best.assume, estimates[id] ?? [])
    if (chosen === undefined)
      return { finding: unseen(`${fitting.map((one) => shorten(String(one), 60)).join(' and ')} fit equally`), by: [] }
    // Plants of other clients can make a list look as if its order, limit or delay were different.
    const fewest = wrong.toSorted((a, b) => a.worse.length - b.worse.length)[0]?.worse ?? []
    if (noise > 0 && decidesPart(id, 'plants', 'length') && fewest.length <= noise)
      return { finding: unseen(`${value} fits best, but too many lists differ for other reasons`), by: [] }
    if (id === 'list.order' && value !== 'shuffled' && ordersOf(affected) < minOrders)
      return { finding: unseen(`${value} and shuffled fit equally`), by: fewest }
    const [only = 0] = fewest
    const isConfirmed = best.assume['create.visibility'] === 'immediate' && growsAfter(only)
    if (isNumbered(value) && decidesPart(id, 'plants', 'length') && fewest.length === 1 && !isConfirmed)
      return { finding: unseen(`${value} fits best, but only one list shows it`), by: fewest }
    const rival = rivalOf(id, wrong)
    if (rival !== undefined) return { finding: unseen(`${id}=${value} and ${rival} fit equally`), by: [] }
    return { finding: entryOf(chosen), by }
  }

  const hidden = (id: AssumptionId): Inferred => {
    for (const i of indexes.filter(
      (i) => itemAt(i).purpose === id && (differsAt(i) & (parts.outcome | parts.status)) === 0,
    ))
      for (const other of decidedBy(best.replies[i]).filter((one) => one !== id))
        for (const value of Object.keys(rowOf(other).values)) {
          const assume = changed(best.assume, other, value)
          const [first, ...others] = [best.assume[id], ...candidatesAt(id)].map(
            (one) => stepAt(best, itemAt(i), i, changed(assume, id, one)).reply,
          )
          if (others.some((reply) => differingReplies(reply, first as Reply) > 0))
            return { finding: unseen(`${other}=${best.assume[other]} hides it`), by: [] }
        }
    return nothing
  }

  /** A list was truncated if a later list is longer by more plants than were created between the two lists. */
  const growsAfter = (at: number): boolean => {
    const { caller, seen } = itemAt(at)
    let most = lengthOf(seen)
    for (const { request, ...item } of items.slice(at + 1)) {
      if (isCreate(request) && succeeded(item.seen)) most++
      if (isList(request) && item.caller === caller && lengthOf(item.seen) > most) return true
    }
    return false
  }

  const rivalOf = (id: AssumptionId, trials: readonly Trial[]): string | undefined => {
    for (const { value, worse } of trials) {
      const [at] = worse
      if (at === undefined) continue
      const assume = changed(best.assume, id, value)
      const { reply } = stepAt(best, itemAt(at), at, assume)
      for (const other of new Set([...decidedBy(reply), ...decidedBy(best.replies[at])])) {
        if (other === id) continue
        for (const one of candidatesAt(other)) {
          const both = changed(assume, other, one)
          if (countNonDefaults(both, id, other) > countNonDefaults(best.assume, id, other)) continue
          const isExplained = (i: number): boolean => stepAt(best, itemAt(i), i, both).differs === 0
          if (!isExplained(at) || !(isStateful(id) || isStateful(other) || worse.every(isExplained))) continue
          if (fold(both, best.cost).cost <= best.cost) return `${id}=${value} with ${other}=${one}`
        }
      }
    }
    return undefined
  }

  const ordersOf = (affected: readonly number[]): number => {
    let orders = 1
    for (const i of affected) for (let count = lengthOf(itemAt(i).seen); count > 1; count--) orders *= count
    return orders
  }

  const found = new Map<AssumptionId, Inferred>()
  const at = (id: AssumptionId): Inferred => {
    const known = found.get(id)
    if (known !== undefined) return known
    const inferred = decide(id)
    const base = bases.get(id)
    const [value, same] = [inferred.finding.value, base && at(base).finding.value]
    const isSame = value !== undefined && same !== undefined && areSameForms(String(value), String(same))
    const told = isSame ? { ...inferred, finding: { value: 'same' } } : inferred
    found.set(id, told)
    return told
  }
  return { best, at }
}

const countNonDefaults = (assume: Assumptions, ...points: readonly AssumptionId[]): number =>
  points.filter((id) => assume[id] !== explicitDefaults[id]).length

const namedForms: readonly AssumptionValue[] = ['problem', 'json', 'text', 'empty', 'html']

const choose = (
  id: AssumptionId,
  fitting: readonly AssumptionValue[],
  assume: Assumptions,
  estimated: readonly (string | number)[],
): ProbeFinding | undefined => {
  if (fitting.length === 1) return fitting[0]
  if (isForm(id)) {
    const base = bases.get(id)
    const preferred = [...(base === undefined ? [] : [assume[base]]), ...namedForms, ...estimated]
    const areSame = fitting.every((value) => areSameForms(String(value), String(fitting[0])))
    return preferred.find((value) => fitting.includes(value)) ?? (areSame ? fitting[0] : undefined)
  }
  if (decidesPart(id, 'type')) return fitting.find((one) => one === parseValue(id, String(estimated[0])))
  const values = fitting.map(String).sort()
  if (values.join() === 'conflict,conflict-everywhere') return { value: 'conflict', evidence: 'one caller' }
  // `absent` and `null` look equal at a service that shows missing tags as null.
  if (values.join() === 'absent,null') return 'absent'
  const longest = Math.max(0, ...estimated.map((one) => Number(/^(?:clamp:)?(\d+)$/.exec(String(one))?.[1] ?? 0)))
  const areLimits = values.every((value) => /^(?:none|clamp(?::\d+)?|reject(?::\d+)?|\d+)$/.test(value))
  // A default limit at or above the maximum limit is invisible, because the maximum limit truncates the list first.
  const isClamped = assume['list.maxLimit'].startsWith('clamp')
  const isCut = id === 'list.defaultLimit' && isClamped && longest >= maxLimitOf(assume)
  return decidesPart(id, 'length') && longest > 0 && areLimits && !isCut && values.includes('none')
    ? { value: 'none', upTo: longest }
    : undefined
}

const nothing: Inferred = { finding: unseen('no exchange shows it'), by: [] }

/** A list longer than its limit violates section 4.2 of the contract. Many services read `limit=0` as no limit. */
const isOverLimit = ({ sent: { limits }, seen }: Item): boolean =>
  limits.length === 1 && lengthOf(seen) > (limits[0]?.digits ?? Number.POSITIVE_INFINITY)

const aboutPlants = parts.body | parts.order | parts.length
const maxWeight = 20

/** With fewer possible orders than this, a shuffled list may match a fixed order by chance. */
const minOrders = 100

const isNumbered = (value: AssumptionValue): boolean => /^(?:\d+$|clamp:|after-|eventual$)/.test(String(value))

type Trial = {
  readonly value: AssumptionValue
  readonly worse: readonly number[]
  readonly open: ReadonlyMap<number, { readonly visible: number; readonly differs: number }>
  readonly isVisible: boolean
}

const maxTold = 3
