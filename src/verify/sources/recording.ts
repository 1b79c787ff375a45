import type { Entry } from '../../core/assumptions/file.ts'
import { checkAssume } from '../../core/assumptions/parse.ts'
import {
  type Assume,
  type AssumptionId,
  type Assumptions,
  type AssumptionValue,
  assumptionRegistry,
  defaultAssumptions,
  parseValue,
} from '../../core/assumptions/registry.ts'
import { hasPlaceholder } from '../../core/assumptions/template.ts'
import { formAssumptions } from '../../core/operations/failure-body.ts'
import { shorten } from '../../util/text.ts'
import { plural } from '../../util/words.ts'
import { rules } from '../ask/rules/rules.ts'
import { describeDifference, differingParts } from '../read/answer.ts'
import { openPoint } from '../read/cause.ts'
import { areSameForms } from '../read/failure-form.ts'
import { answerOf, compareOptions } from '../read/imitation.ts'
import { succeeded } from '../read/response.ts'
import { bases } from '../read/seen.ts'
import { isOperation } from '../read/test-request.ts'
import { createViolations } from '../read/violations.ts'
import { candidatesOf, estimatesOf, formsOf, withForms } from './candidates.ts'
import type { Traffic } from './har.ts'
import { createReplay, decidedBy, type Item, parts, problemOf, type Replayed, toItems } from './replay.ts'
import type { SourceNote, SourceReading } from './source.ts'

export type RecordingReading = SourceReading & {
  /** How many of the recorded exchanges the mock answers alike under the values that were found. */
  readonly alike: { readonly exchanges: number; readonly alike: number }
}

type Replay = ReturnType<typeof createReplay>
type Candidate = { readonly value: AssumptionValue; readonly replayed: Replayed }

const maxRounds = 3
/** A candidate that is worse by this weight is not looked at further. */
const margin = 20
/** So many exchanges may differ because others use the service too. */
const maxNoise = 3
/** The same for two points together, which have to explain each exchange. */
const maxSlip = 8

/**
 * Finds the assumptions under which the model replies to the recorded requests as the service did: starts from defaults
 * and estimates, and takes the best value of each point until nothing changes (coordinate descent).
 */
export const readRecording = (traffic: Traffic, file: string): RecordingReading => {
  const placeOf = createPlaceOf(file, traffic.unit)
  const recorded = toItems(traffic)
  const rate = rateIn(recorded)
  const items = recorded.filter((item) => isTelling(item, rate.value !== undefined))
  const replay = createReplay(items, rate.counted)
  const estimates = estimatesOf(items)
  const start = {
    ...explicitDefaults,
    ...checkAssume({
      'json.contentType': estimates['json.contentType']?.find((type) => parseValue('json.contentType', String(type))),
    }),
    ...(rate.value !== undefined && { 'rate.limit': rate.value }),
  } as Assumptions
  const best = descend(items, replay, start, estimates)

  const entries = new Map<AssumptionId, Entry>()
  const decide = createDecide({ items, replay, best, estimates, isSanitised: traffic.isSanitised, placeOf })
  for (const { id, ...row } of assumptionRegistry) {
    if (id === 'rate.limit') entries.set(id, rate.entry(placeOf))
    else if (id === 'list.status') entries.set(id, listStatus(items, placeOf))
    else if (row.alternatives.length + row.further.length > 0 || row.form !== undefined) entries.set(id, decide(id))
  }
  for (const [id, base] of Object.entries(bases) as [AssumptionId, AssumptionId][])
    entries.set(id, relative(entries.get(id), entries.get(base)))
  return {
    file,
    kind: 'recording',
    entries,
    notes: [...traffic.notes, ...contradictions(recorded, placeOf), ...unsupported(items, replay(best), placeOf)],
    alike: alikeIn(recorded, rate.counted, entries),
  }
}

type PlaceOf = (places: readonly number[]) => string

/** How many entries a place names. */
const maxNamed = 4

const createPlaceOf =
  (file: string, unit: Traffic['unit']): PlaceOf =>
  (places) => {
    const named = places.slice(0, maxNamed).join(', ')
    const more = places.length > maxNamed ? ` and ${places.length - maxNamed} more` : ''
    return `${file}: ${places.length === 1 ? unit : unit === 'entry' ? 'entries' : 'requests'} ${named}${more}`
  }

const explicitDefaults = Object.fromEntries(
  assumptionRegistry.map(({ id, default: value }) => {
    const base = bases[id]
    return [id, value === 'same' && base !== undefined ? defaultAssumptions[base] : value]
  }),
) as Assumptions

/** A timeout, a rate limit, a redirect, a failing service and an expired token say nothing about the model. */
const isTelling = ({ request, seen: { status, as } }: Item, hasRate: boolean): boolean =>
  !(status >= 300 && status < 400) &&
  status !== 408 &&
  (status !== 429 || hasRate) &&
  (status < 500 || status === 501) &&
  !(status === 401 && request.scheme === 'Bearer' && (as === 'caller' || as === 'other'))

/** The distance between the requests of each caller that get 429. */
const rateIn = (items: readonly Item[]) => {
  const own = items.filter(({ caller, request }) => caller !== undefined && isOperation(request))
  // A service may refuse a word that is not Bearer before it counts.
  const exact = own.filter(({ request }) => request.scheme === 'Bearer')
  const { distances, offsets, most } = [own, exact].map(countsIn).find(({ isSteady }) => isSteady) ?? countsIn(own)
  const [every = 0] = distances
  const value = isSteady(distances) ? (every === 10 ? 'every-tenth' : (`every:${every}` as const)) : undefined
  const limited = own.filter(({ seen }) => seen.status === 429)
  const entry = (placeOf: PlaceOf): Entry => {
    const place = placeOf(limited.map((item) => item.place))
    if (value !== undefined) return { value, place }
    const seen = `${plural(limited.length, 'request')} of ${own.length} get 429`
    if (limited.length > 0) return distances.length > 1 ? { other: seen, place } : { unseen: `only ${seen}` }
    if (most < minCounted) return { unseen: `only ${plural(most, 'request')} of one caller` }
    return { value: 'none', evidence: `${plural(most, 'request')} of one caller` }
  }
  return { value, entry, counted: new Map(value === undefined ? [] : offsets) }
}

const isSteady = (distances: readonly number[]): boolean =>
  distances.length > 1 && (distances[0] ?? 0) > 1 && distances.every((one) => one === distances[0])

/** Between the requests of each caller that get 429; and how many each caller had sent before, if these are steady. */
const countsIn = (counted: readonly Item[]) => {
  const numbers = new Map<string, number[]>()
  const totals = new Map<string, number>()
  for (const { caller = '', seen } of counted) {
    totals.set(caller, (totals.get(caller) ?? 0) + 1)
    if (seen.status === 429) numbers.set(caller, [...(numbers.get(caller) ?? []), totals.get(caller) ?? 0])
  }
  const distances = [...numbers.values()].flatMap((all) => all.slice(1).map((one, i) => one - (all[i] ?? 0)))
  const [every = 1] = distances
  const offsets = [...numbers].map(([caller, [first = 0]]) => [caller, (every - (first % every)) % every] as const)
  return { distances, offsets, most: Math.max(0, ...totals.values()), isSteady: isSteady(distances) }
}

/** Fewer requests say nothing about a rate limit. */
const minCounted = 20

const listStatus = (items: readonly Item[], placeOf: PlaceOf): Entry => {
  const lists = items.filter(({ request, seen }) => request.method === 'GET' && succeeded(seen))
  const others = lists.filter(({ seen }) => seen.status !== 200)
  const [first] = others
  if (lists.length === 0) return { unseen: 'no list succeeds' }
  if (first === undefined) return { value: 200, place: placeOf(lists.map((item) => item.place)) }
  return { other: `it responds with ${first.seen.status}`, place: placeOf(others.map((item) => item.place)) }
}

const tryEach = (
  id: AssumptionId,
  values: readonly AssumptionValue[],
  replay: Replay,
  assume: Assumptions,
  than: Replayed,
): readonly Candidate[] =>
  values.map((value) => ({
    value,
    replayed: replay({ ...assume, [id]: value } as Assumptions, {
      than,
      by: margin,
      max: Number.POSITIVE_INFINITY,
    }),
  }))

const descend = (
  items: readonly Item[],
  replay: Replay,
  start: Assumptions,
  estimates: ReturnType<typeof estimatesOf>,
): Assumptions => {
  let assume = start
  let current = replay(assume)
  let suggested = withForms(estimates, formsOf(items, current, assume))
  const improve = (candidates: Iterable<Assumptions>): void => {
    for (const candidate of candidates) {
      const replayed = replay(candidate, { than: current, by: margin, max: current.cost })
      if (replayed.cost >= current.cost) continue
      assume = candidate
      current = replay(candidate)
      suggested = withForms(estimates, formsOf(items, current, assume))
    }
  }
  for (
    let round = 0, last = Number.POSITIVE_INFINITY;
    current.cost > 0 && current.cost < last && round < maxRounds;
    round++
  ) {
    last = current.cost
    for (const { id } of assumptionRegistry)
      if (id !== 'rate.limit' && isConcerned(id, current, suggested)) improve(variants([id], assume, suggested))
    // One that is wrong hides what another would improve.
    for (const ids of current.cost > 0 ? together : []) improve(variants(ids, assume, suggested))
    if (missedIn(current) > maxNoise) improve(variants(stateful, assume, suggested))
  }
  return assume
}

const together: readonly (readonly AssumptionId[])[] = [
  ['list.limitFormat', 'list.invalidLimit'],
  ['create.visibility', 'list.defaultLimit', 'list.maxLimit'],
]
const stateful: readonly AssumptionId[] = ['create.duplicateId', 'create.visibility', 'list.order']

const missedIn = ({ differences }: Replayed): number => differences.filter((mask) => mask > 0).length

/** All combinations of values of these points. */
const variants = (
  [id, ...others]: readonly AssumptionId[],
  assume: Assumptions,
  estimates: ReturnType<typeof estimatesOf>,
): readonly Assumptions[] =>
  id === undefined
    ? [assume]
    : candidatesOf(id, assume, estimates).flatMap((value) =>
        variants(others, { ...assume, [id]: value } as Assumptions, estimates),
      )

/** Whether a point decided a reply, or the exchanges suggest a value for it. */
const isConcerned = (id: AssumptionId, { replies }: Replayed, estimates: ReturnType<typeof estimatesOf>): boolean =>
  (estimates[id] ?? []).length > 0 || replies.some((reply) => decidedBy(reply).includes(id))

type Decided = {
  readonly items: readonly Item[]
  readonly replay: Replay
  readonly best: Assumptions
  readonly estimates: ReturnType<typeof estimatesOf>
  readonly isSanitised: boolean
  readonly placeOf: PlaceOf
}

const createDecide = ({ items, replay, best, estimates, isSanitised, placeOf }: Decided) => {
  const current = replay(best)
  const forms = formsOf(items, current, best)
  const suggested = withForms(estimates, forms)
  const numberOf = (indexes: readonly number[]): readonly number[] => indexes.map((i) => items[i]?.place ?? 0)

  /** Another point that makes up for another value of this one. */
  const compensating = (id: AssumptionId, { value, replayed }: Candidate): string | undefined => {
    const changed = { ...best, [id]: value } as Assumptions
    const worse = replayed.differences.findIndex((mask, i) => (mask & ~(current.differences[i] ?? 0)) > 0)
    const deciding = new Set([replayed, current].flatMap(({ replies }) => decidedBy(replies[worse])))
    for (const ids of together) if (ids.includes(id)) for (const one of ids) deciding.add(one)
    deciding.delete(id)
    for (const other of deciding)
      for (const one of candidatesOf(other, changed, suggested)) {
        if (one === best[other] || other === 'rate.limit') continue
        const { cost } = replay({ ...changed, [other]: one } as Assumptions, {
          than: current,
          by: maxSlip,
          max: current.cost,
        })
        if (cost <= current.cost) return `${id}=${value} with ${other}=${one}`
      }
    return undefined
  }

  return (id: AssumptionId): Entry => {
    if (isSanitised && id.startsWith('auth.')) return { unseen: 'Authorization was removed from the recording' }
    if (!isConcerned(id, current, suggested)) return { unseen: 'no exchange shows it' }
    const tried = tryEach(id, candidatesOf(id, best, suggested), replay, best, current)
    const cost = Math.min(...tried.map(({ replayed }) => replayed.cost))
    const fitting = tried.filter(({ replayed }) => replayed.cost === cost)
    const rest = tried.filter(({ replayed }) => replayed.cost > cost).sort(byFit)
    const chosen = choose(id, fitting, suggested[id] ?? [], best)
    const form = forms.get(id)
    const isText = /"$/.test(String(chosen?.value))
    if (form?.requests === 1 && isText && !hasPlaceholder(String(chosen?.value)))
      return { unseen: 'one request alone shows its text' }
    if (form !== undefined && typeof form.found === 'object' && 'other' in form.found)
      return { ...form.found, place: placeOf(form.places) }
    const indexes = items.map((_, i) => i)
    const decides = ({ replies }: Replayed, i: number): boolean => decidedBy(replies[i]).includes(id)
    /** The parts that differ between values, of replies that this point decides. */
    const visible = (i: number): number => {
      if (!tried.some(({ replayed }) => decides(replayed, i))) return 0
      const isShown = problemOf(current.replies[i]) === undefined ? !isStateless(id) || isAboutLists(id) : false
      const shown = isShown || isForm(id) ? allParts : parts.status | parts.outcome
      return visibleParts(tried.map(({ replayed }) => replayed.replies[i])) & shown
    }
    if (rest.length === 0) {
      const missed = indexes.filter(
        (i) => visible(i) & parts.status & (current.differences[i] ?? 0) && !isOtherOutcome(current, i),
      )
      const [first] = missed
      if (first === undefined) return { unseen: 'no exchange shows it' }
      const status = items[first]?.seen.status
      return { other: `it responds with ${status}`, place: placeOf(numberOf(missed)) }
    }
    if (chosen === undefined)
      return { unseen: `${fitting.map(({ value }) => shorten(String(value), 60)).join(' and ')} fit equally` }
    const { replayed } = chosen
    // A candidate that is much worse is not looked at to the end.
    const maskOf = ({ differences }: Replayed, i: number): number => differences[i] ?? allParts
    const against = indexes.filter((i) =>
      rest.some((one) => maskOf(replayed, i) & ~maskOf(one.replayed, i) & visible(i)),
    )
    const [next] = rest
    const lost = indexes.filter((i) => (next?.replayed.differences[i] ?? 0) & ~maskOf(replayed, i))
    // After a difference, others may follow that are not about this point.
    const decided = lost.filter(visible)
    const telling = decided.length > 0 ? decided : lost
    const shown = indexes.filter((i) => visible(i) & ~(items[i]?.ignored ?? 0))
    // A refusal that no value changes is about something else.
    const isOwn = (i: number): boolean => tried.some(({ replayed }) => !(maskOf(replayed, i) & parts.outcome))
    const missed = shown.filter((i) => maskOf(replayed, i) & visible(i) && isOwn(i))
    if (against.length > 0 || missed.length * 2 > shown.length) {
      const place = placeOf(numberOf(against.length > 0 ? against : missed))
      const text = `no value fits; ${shorten(String(chosen.value), 60)} is the nearest`
      return isStateless(id) && missed.length * 2 > missedIn(current)
        ? { other: text, place }
        : { unseen: `${text}, but ${place} differ` }
    }
    // Plants that others changed, or whose id no exchange shows, may look like another order or delay.
    if (!isStateless(id) && lost.length <= missedIn(current))
      return { unseen: `${shorten(String(chosen.value), 60)} fits best, but too many lists differ for other reasons` }
    for (const one of rest) {
      const way = compensating(id, one)
      if (way !== undefined) return { unseen: `${id}=${chosen.value} and ${way} fit equally` }
    }
    return {
      value: chosen.value,
      ...chosen.scope,
      ...(form?.requests === 1 && { evidence: 'one request' }),
      place: placeOf(numberOf(telling)),
    }
  }
}

/** The better first; of those that were not looked at to the end, the one that fits longer. */
const byFit = ({ replayed: a }: Candidate, { replayed: b }: Candidate): number =>
  b.differences.length - a.differences.length || (a.costs.at(-1) ?? 0) - (b.costs.at(-1) ?? 0)

const isOtherOutcome = ({ differences }: Replayed, i: number): boolean => ((differences[i] ?? 0) & parts.outcome) > 0

const allParts = 15

/** Whether no earlier exchange matters, so that a difference is not about plants that others changed. */
const isStateless = (id: AssumptionId): boolean =>
  !['list.order', 'list.defaultLimit', 'list.maxLimit', 'create.visibility', 'create.duplicateId'].includes(id)

/** Whether a success shows it by its body, or a failure alone does. */
const isAboutLists = (id: AssumptionId): boolean => /^(?:list|json)\./.test(id)

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

const isForm = (id: AssumptionId): boolean => (formAssumptions as readonly string[]).includes(id)

const namedForms = ['problem', 'json', 'text', 'empty', 'html']

type Scope = { readonly upTo?: number; readonly evidence?: string }

/** The value, if one fits; of several, the one that includes the others, with its scope. */
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
  // The text of a form or type may be written in several ways.
  if (id === 'json.contentType') return find(parseValue(id, String(estimated[0])) ?? '')
  if (isForm(id)) {
    const base = bases[id]
    const preferred = [...(base === undefined ? [] : [best[base]]), ...namedForms, ...estimated]
    return preferred.map((value) => find(value)).find((found) => found !== undefined)
  }
  const values = fitting.map(({ value }) => String(value)).sort()
  if (values.join() === 'conflict,conflict-everywhere') return find('conflict', { evidence: 'one caller' })
  const [longest = 0] = estimated.flatMap((one) => /^(?:clamp:)?(\d+)$/.exec(String(one))?.[1] ?? []).map(Number)
  const isLimit = id === 'list.defaultLimit' || id === 'list.maxLimit'
  return isLimit && longest > 0 && values.every((value) => value === 'none' || /^(?:clamp(?::\d+)?|\d+)$/.test(value))
    ? find('none', { upTo: longest })
    : undefined
}

/** A value as `same` where it is that of its base. */
const relative = (entry: Entry = { unseen: '' }, base: Entry = { unseen: '' }): Entry => {
  if (!('value' in entry) || !('value' in base)) return entry
  return areSameForms(String(entry.value), String(base.value)) ? { ...entry, value: 'same' } : entry
}

const contradictions = (items: readonly Item[], placeOf: PlaceOf): readonly SourceNote[] => {
  const violations = createViolations()
  const notes = new Map<string, SourceNote>()
  for (const { request, response, place } of items) {
    violations.judge(request, response)
    for (const { id, section, statement } of rules) {
      const verdict = notes.has(id) ? undefined : violations.failureOf(id)
      if (verdict?.outcome !== 'failed') continue
      notes.set(id, { kind: 'contradicts', section, place: placeOf([place]), text: `${statement}: ${verdict.reason}` })
    }
  }
  return [...notes.values()]
}

/** Points that the contract leaves open, and for which the mock has no value that replies as recorded. */
const unsupported = (items: readonly Item[], replayed: Replayed, placeOf: PlaceOf): readonly SourceNote[] => {
  const found = new Map<string, { readonly text: string; readonly places: number[] }>()
  for (const [i, { request, seen, place, ignored }] of items.entries()) {
    const reply = replayed.replies[i]
    if (reply === undefined || (!isOtherOutcome(replayed, i) && !(ignored & parts.body))) continue
    const answer = answerOf(request, reply)
    const id = openPoint(request, seen, answer)
    if (id === undefined) continue
    const known = found.get(id)
    if (known !== undefined) known.places.push(place)
    else {
      const text = `${id}: ${shorten(seen.curl, 80)}: ${describeDifference(seen, answer, ['status'])}`
      found.set(id, { text, places: [place] })
    }
  }
  return [...found.values()].map(({ text, places }) => ({ kind: 'unsupported', place: placeOf(places), text }))
}

const alikeIn = (
  items: readonly Item[],
  counted: ReadonlyMap<string, number>,
  entries: ReadonlyMap<AssumptionId, Entry>,
): RecordingReading['alike'] => {
  const values = [...entries].flatMap(([id, entry]) => ('value' in entry ? [[id, entry.value]] : []))
  const assume: Assumptions = { ...defaultAssumptions, ...(Object.fromEntries(values) as Assume) }
  const { replies } = createReplay(items, counted)(assume)
  const options = compareOptions(assume)
  const alike = items.filter(({ request, response }, i) => {
    const reply = replies[i]
    return reply !== undefined && differingParts(response, answerOf(request, reply), options).length === 0
  })
  return { exchanges: items.length, alike: alike.length }
}
