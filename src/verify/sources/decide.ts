import type { Entry } from '../../core/assumptions/file.ts'
import { bases, decidesPart, isForm, pointsOf } from '../../core/assumptions/points.ts'
import {
  type AssumptionId,
  type Assumptions,
  type AssumptionValue,
  parseValue,
  rowOf,
} from '../../core/assumptions/registry.ts'
import { shorten } from '../../util/text.ts'
import {
  allParts,
  decidedBy,
  type Item,
  isOtherOutcome,
  parts,
  problemOf,
  type Replay,
  type Replayed,
} from '../read/replay.ts'
import { lengthOf } from '../read/response.ts'
import { candidatesOf, type estimatesOf, formsOf, withForms } from './candidates.ts'
import { doubts } from './doubts.ts'
import { type Candidate, isConcerned, missedIn, together, tryEach } from './search.ts'
import type { PlaceOf } from './source.ts'

/** A replay with two changed points may be worse by this weight before it is abandoned. */
const maxSlip = 8

type Decided = {
  readonly items: readonly Item[]
  readonly replay: Replay
  readonly best: Assumptions
  readonly estimates: ReturnType<typeof estimatesOf>
  readonly isSanitised: boolean
  readonly placeOf: PlaceOf
}

/** Makes a function that finds the entry of a point, given the best values of the other points. */
export const createDecide = ({ items, replay, best, estimates, isSanitised, placeOf }: Decided) => {
  const current = replay(best)
  const forms = formsOf(items, current, best)
  const suggested = withForms(estimates, forms)
  /** Counts exchanges whose plants or outcome differ, except lists over their limit and plants that no mock accepts. */
  const unexplained = current.differences.filter((mask, i) => {
    const problem = problemOf(current.replies[i])
    if (mask & parts.outcome) return problem !== 'invalid-plant'
    return mask & parts.body && problem === undefined && !isOverLimit(items[i])
  }).length
  const numberOf = (indexes: readonly number[]): readonly number[] => indexes.map((i) => items[i]?.place ?? 0)

  /**
   * Looks for a change of a second point that makes the candidate fit as well, and describes both changes.
   * @param at The exchange that the second point decides. Default: the first exchange with a new difference.
   * @param max The maximum cost with both changes.
   */
  const compensating = (
    id: AssumptionId,
    { value, replayed }: Candidate,
    at = replayed.differences.findIndex((mask, i) => (mask & ~(current.differences[i] ?? 0)) > 0),
    max = current.cost,
  ): string | undefined => {
    const changed = { ...best, [id]: value } as Assumptions
    const deciding = new Set([replayed, current].flatMap(({ replies }) => decidedBy(replies[at])))
    for (const ids of together) if (ids.includes(id)) for (const one of ids) deciding.add(one)
    deciding.delete(id)
    for (const other of deciding)
      for (const one of candidatesOf(other, changed, suggested)) {
        if (one === best[other]) continue
        const { cost } = replay({ ...changed, [other]: one } as Assumptions, {
          than: current,
          by: maxSlip,
          max,
        })
        if (cost <= max) return `${id}=${value} with ${other}=${one}`
      }
    return undefined
  }

  return (id: AssumptionId): Entry => {
    if (isSanitised && isAboutTokens(id)) return { unseen: 'Authorization was removed or masked' }
    if (!isConcerned(id, current, suggested)) return { unseen: 'no exchange shows it' }
    const tried = tryEach(id, candidatesOf(id, best, suggested), replay, best, current)
    const cost = Math.min(...tried.map(({ replayed }) => replayed.cost))
    const fitting = tried.filter(({ replayed }) => replayed.cost === cost)
    const rest = tried.filter(({ replayed }) => replayed.cost > cost).sort(byFit)
    const chosen = choose(id, fitting, suggested[id] ?? [], best)
    const form = forms.get(id)
    const isText = /"$/.test(String(chosen?.value))
    if (form?.requests === 1 && isText && !String(chosen?.value).includes('{detail}'))
      return { unseen: 'one request alone shows its text' }
    if (form !== undefined && typeof form.found === 'object' && 'other' in form.found)
      return { ...form.found, place: placeOf(form.places) }
    const indexes = items.map((_, i) => i)
    const decides = ({ replies }: Replayed, i: number): boolean => decidedBy(replies[i]).includes(id)
    /** The parts of a reply that show the value of this point, as a sum of `parts`. */
    const visible = (i: number): number => {
      if (!tried.some(({ replayed }) => decides(replayed, i))) return 0
      if (isForm(id) && (current.differences[i] ?? 0) & parts.status) return 0
      const isShown = isForm(id) || (problemOf(current.replies[i]) === undefined && isInBodies(id))
      const shown = isShown ? allParts : parts.status | parts.outcome
      return visibleParts(tried.map(({ replayed }) => replayed.replies[i])) & shown
    }
    const isBodySeen = (i: number): boolean => (visible(i) & parts.body & ~(items[i]?.ignored ?? 0)) > 0
    if (isForm(id) && !indexes.some(isBodySeen)) return { unseen: 'no exchange shows it' }
    if (rest.length === 0) {
      const missed = indexes.filter(
        (i) => visible(i) & parts.status & (current.differences[i] ?? 0) && !isOtherOutcome(current, i),
      )
      const [first] = missed
      if (first === undefined) return { unseen: 'no exchange shows it' }
      for (const one of tried) {
        const way = compensating(id, one, first, current.cost - 1)
        if (way !== undefined) return { unseen: `${way} fits best` }
      }
      const status = items[first]?.seen.status
      if (parseValue(id, String(status)) !== undefined) return { unseen: `${status} may have another reason` }
      return { other: `it responds with ${status}`, place: placeOf(numberOf(missed)) }
    }
    if (chosen === undefined)
      return { unseen: `${fitting.map(({ value }) => shorten(String(value), 60)).join(' and ')} fit equally` }
    const doubt = doubts[id]?.(chosen.value, { items, isSanitised, suggested: suggested[id] ?? [] })
    if (doubt !== undefined) return { unseen: doubt }
    const { replayed } = chosen
    // The replay of a much worse candidate stopped early: later exchanges count as different.
    const maskOf = ({ differences }: Replayed, i: number): number => differences[i] ?? allParts
    const against = indexes.filter((i) =>
      rest.some((one) => maskOf(replayed, i) & ~maskOf(one.replayed, i) & visible(i)),
    )
    const [next] = rest
    const lost = indexes.filter((i) => (next?.replayed.differences[i] ?? 0) & ~maskOf(replayed, i))
    // A later difference may only follow from an earlier one: prefer exchanges that show this point.
    const decided = lost.filter(visible)
    const telling = decided.length > 0 ? decided : lost
    const shown = indexes.filter((i) => visible(i) & ~(items[i]?.ignored ?? 0))
    // An outcome that differs under every value is about another point.
    const isOwn = (i: number): boolean => tried.some(({ replayed }) => !(maskOf(replayed, i) & parts.outcome))
    const missed = shown.filter((i) => maskOf(replayed, i) & visible(i) && isOwn(i))
    if (against.length > 0 || missed.length * 2 > shown.length) {
      const place = placeOf(numberOf(against.length > 0 ? against : missed))
      return isStateless(id) && !isInEachPlant(id) && !isForm(id) && missed.length * 2 > missedIn(current)
        ? { other: 'no value fits each exchange', nearest: chosen.value, place }
        : { unseen: `${shorten(String(chosen.value), 60)} fits best, but not ${place}` }
    }
    // Plants changed by other clients, or with an unknown id, can look like another order or delay.
    if (!isStateless(id) && lost.length <= unexplained)
      return { unseen: `${shorten(String(chosen.value), 60)} fits best, but too many lists differ for other reasons` }
    // Forms are independent of points that do not hide them.
    const isAlone = decidesPart(id, 'form', 'type') && rowOf(id).hiddenBy === undefined
    for (const one of isAlone ? [] : rest) {
      const way = compensating(id, one)
      if (way !== undefined) return { unseen: `${id}=${chosen.value} and ${way} fit equally` }
    }
    // One list is weak evidence: a plant replaced by another client also shortens a list.
    if (/^(?:\d|clamp:|after-|eventual$)/.test(String(chosen.value)) && !isStateless(id) && telling.length === 1)
      return { unseen: `${chosen.value} fits best, but one list alone shows it: ${placeOf(numberOf(telling))}` }
    return {
      value: chosen.value,
      ...chosen.scope,
      ...(form?.requests === 1 && { evidence: 'one request' }),
      place: placeOf(numberOf(telling)),
    }
  }
}

/** Whether a list breaks 4.2 by more plants than its limit, often because `limit=0` counts as no limit. */
const isOverLimit = (item: Item | undefined): boolean => {
  const [limit] = item?.sent.limits ?? []
  return item !== undefined && limit?.digits !== undefined && lengthOf(item.seen) > limit.digits
}

/** Sorts candidates by their differences. A replay that stopped early is worse the earlier it stopped. */
const byFit = ({ replayed: a }: Candidate, { replayed: b }: Candidate): number =>
  b.differences.length - a.differences.length || (a.costs.at(-1) ?? 0) - (b.costs.at(-1) ?? 0)

/** Section 5 is about tokens. */
const isAboutTokens = (id: AssumptionId): boolean => rowOf(id).section.split(', ').includes('5')

/** Whether a point is independent of stored plants, so changes by other clients cannot explain a difference. */
const isStateless = (id: AssumptionId): boolean => !decidesPart(id, 'length', 'plants')

/** Whether the point shapes each shown plant, so any list of plants shows the value. */
const isInEachPlant = (id: AssumptionId): boolean => pointsOf('listPlants', 'plant', 'form').includes(id)

/** Whether the body of a successful response can show the value. */
const isInBodies = (id: AssumptionId): boolean => decidesPart(id, 'limit', 'length', 'plants', 'plant', 'form', 'type')

/** The parts in which the replies of candidates differ. */
const visibleParts = (replies: readonly (Replayed['replies'][number] | undefined)[]): number => {
  const differ = (read: (reply: Replayed['replies'][number]) => unknown): boolean =>
    new Set(replies.flatMap((reply) => (reply === undefined ? [] : [read(reply)]))).size > 1
  return (
    (differ(({ status }) => status) ? parts.status : 0) |
    (differ(({ headers }) => headers.join('\n')) ? parts.type : 0) |
    (differ(({ body }) => body) ? parts.body : 0)
  )
}

const namedForms = ['problem', 'json', 'text', 'empty', 'html']

type Scope = { readonly upTo?: number; readonly evidence?: string }

/** The value that fits. If several fit, the value that includes the other ones, with its scope. */
const choose = (
  id: AssumptionId,
  fitting: readonly Candidate[],
  estimated: readonly (string | number)[],
  best: Assumptions,
): (Candidate & { readonly scope: Scope }) | undefined => {
  const [first] = fitting
  if (first === undefined) return undefined
  const find = (value: AssumptionValue, scope: Scope = {}) => {
    const found = fitting.find((one) => one.value === value)
    return found && { ...found, scope }
  }
  if (fitting.length === 1) return { ...first, scope: {} }
  // Several values may denote the same form or type.
  if (decidesPart(id, 'type')) return find(parseValue(id, String(estimated[0])) ?? '')
  if (isForm(id)) {
    const base = bases.get(id)
    const preferred = [...(base === undefined ? [] : [best[base]]), ...namedForms, ...estimated]
    return preferred.map((value) => find(value)).find((found) => found !== undefined)
  }
  const values = fitting.map(({ value }) => String(value)).sort()
  if (values.join() === 'conflict,conflict-everywhere') return find('conflict', { evidence: 'one caller' })
  const [longest = 0] = estimated.flatMap((one) => /^(?:clamp:)?(\d+)$/.exec(String(one))?.[1] ?? []).map(Number)
  return decidesPart(id, 'length') &&
    longest > 0 &&
    values.every((value) => value === 'none' || /^(?:clamp(?::\d+)?|\d+)$/.test(value))
    ? find('none', { upTo: longest })
    : undefined
}
