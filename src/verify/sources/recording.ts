import { type Entry, settingsOf } from '../../core/assumptions/file.ts'
import { checkAssume } from '../../core/assumptions/parse.ts'
import { baseOf, bases } from '../../core/assumptions/points.ts'
import {
  type AssumptionId,
  type Assumptions,
  assumptionRegistry,
  defaultAssumptions,
  parseValue,
} from '../../core/assumptions/registry.ts'
import { ruleIds, rules } from '../../core/contract/rules.ts'
import { shorten } from '../../util/text.ts'
import { describeDifference, differingParts } from '../read/answer.ts'
import { openPoint } from '../read/cause.ts'
import { areSameForms } from '../read/failure-form.ts'
import {
  allParts,
  answerOf,
  compareOptions,
  createReplay,
  type Item,
  isOtherOutcome,
  parts,
  problemOf,
  type Replayed,
} from '../read/replay.ts'
import { succeeded } from '../read/response.ts'
import { isList, isOperation } from '../read/test-request.ts'
import { createViolations } from '../read/violations.ts'
import { estimatesOf } from './candidates.ts'
import { createDecide } from './decide.ts'
import type { Traffic } from './har.ts'
import { startOf, toItems } from './items.ts'
import { rateIn } from './rate.ts'
import { descend } from './search.ts'
import type { PlaceOf, RecordingReading, SourceNote } from './source.ts'

/**
 * Finds the assumptions under which the model replies to the recorded requests as the service did: starts from defaults
 * and estimates, and takes the best value of each point until nothing changes (coordinate descent).
 */
export const readRecording = (traffic: Traffic, file: string): RecordingReading => {
  const placeOf = createPlaceOf(file, traffic.unit)
  const recorded = toItems(traffic)
  const rate = rateIn(recorded, traffic.isPartial)
  const hasRefusal = recorded.some(({ request, sent }) => isOperation(request) && isWithoutToken(sent))
  const telling = recorded
    .filter((item) => isTelling(item, rate.value !== undefined))
    // A refusal of another method without a token is ambiguous, until a refused operation shows the missing token.
    .filter(
      ({ request, sent }) =>
        isOperation(request) || sent.caller.key !== undefined || (hasRefusal && isWithoutToken(sent)),
    )
  const items = firstOf(telling.slice(0, maxItems))
  const replay = createReplay(items, startOf(items, rate.counted))
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
  for (const [id, base] of bases) entries.set(id, relative(entries.get(id), entries.get(base)))
  for (const [id, entry] of entries)
    if ('unseen' in entry && best[id] !== explicitDefaults[id]) entries.set(id, { ...entry, nearest: best[id] })
  return {
    file,
    kind: 'recording',
    entries,
    notes: [...traffic.notes, ...contradictions(recorded, placeOf), ...unsupported(items, replay(best), placeOf)],
    ...(traffic.basePath !== undefined && { basePath: traffic.basePath }),
    alike: {
      ...alikeIn(firstOf(recorded), rate.counted, entries, (i) => traffic.exchanges[i]?.body !== undefined),
      ...(telling.length > items.length && { valuesFrom: items.length }),
    },
  }
}

/** Limits the time of a replay, which grows with the number of exchanges and the length of bodies. */
const [maxItems, maxText] = [500, 1024 * 1024]

/** The first exchanges with at most `maxText` characters of bodies in total; at least one exchange. */
const firstOf = (items: readonly Item[]): readonly Item[] => {
  let size = 0
  const end = items.findIndex(({ text }, i) => {
    size += text.length
    return i > 0 && size > maxText
  })
  return end === -1 ? items : items.slice(0, end)
}

/** The maximum number of entries that a place names. */
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
    const base = baseOf(id, value)
    return [id, base === undefined ? value : defaultAssumptions[base]]
  }),
) as Assumptions

const isWithoutToken = ({ caller }: Item['sent']): boolean => caller.key === undefined && !caller.hasHeader

/** A timeout, a rate limit, a redirect, a failing service and an expired token say nothing about the model. */
const isTelling = ({ request, seen: { status, as } }: Item, hasRate: boolean): boolean =>
  !(status >= 300 && status < 400) &&
  status !== 408 &&
  (status !== 429 || hasRate) &&
  (status < 500 || status === 501) &&
  !(status === 401 && request.scheme === 'Bearer' && (as === 'caller' || as === 'other'))

const listStatus = (items: readonly Item[], placeOf: PlaceOf): Entry => {
  const lists = items.filter(({ request, seen }) => isList(request) && succeeded(seen))
  const others = lists.filter(({ seen }) => seen.status !== 200)
  const [first] = others
  if (lists.length === 0) return { unseen: 'no list succeeds' }
  if (first === undefined) return { value: 200, place: placeOf(lists.map((item) => item.place)) }
  return { other: `it responds with ${first.seen.status}`, place: placeOf(others.map((item) => item.place)) }
}

/** Writes `same` if a point and its base have the same value. */
const relative = (entry: Entry = { unseen: '' }, base: Entry = { unseen: '' }): Entry => {
  if (!('value' in entry) || !('value' in base)) return entry
  return areSameForms(String(entry.value), String(base.value)) ? { ...entry, value: 'same' } : entry
}

const contradictions = (items: readonly Item[], placeOf: PlaceOf): readonly SourceNote[] => {
  const violations = createViolations()
  const notes = new Map<string, SourceNote>()
  for (const { request, response, place } of items) {
    violations.judge(request, response)
    for (const id of ruleIds) {
      const verdict = notes.has(id) ? undefined : violations.failureOf(id)
      if (verdict?.outcome !== 'failed') continue
      const { section, statement } = rules[id]
      notes.set(id, { kind: 'contradicts', section, place: placeOf([place]), text: `${statement}: ${verdict.reason}` })
    }
  }
  return [...notes.values()]
}

/** Open points of the contract where the mock cannot reply as recorded. */
const unsupported = (items: readonly Item[], replayed: Replayed, placeOf: PlaceOf): readonly SourceNote[] => {
  const found = new Map<string, { readonly text: string; readonly places: number[] }>()
  for (const [i, { request, seen, place, ignored }] of items.entries()) {
    const reply = replayed.replies[i]
    if (reply === undefined || ignored === allParts) continue
    if (!isOtherOutcome(replayed, i) && !(ignored & parts.body)) continue
    const answer = answerOf(request, reply)
    const isImpossible = succeeded(seen) && problemOf(reply) === 'invalid-plant'
    const id = isImpossible ? 'plant.meaning' : openPoint(request, seen, answer)
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

/** @param isWhole Whether the response of an exchange was recorded with its body. Other exchanges are not counted. */
const alikeIn = (
  items: readonly Item[],
  counted: ReadonlyMap<string, number>,
  entries: ReadonlyMap<AssumptionId, Entry>,
  isWhole: (i: number) => boolean,
): RecordingReading['alike'] => {
  const assume: Assumptions = { ...defaultAssumptions, ...settingsOf(entries) }
  const { replies } = createReplay(items, startOf(items, counted))(assume)
  const options = compareOptions(assume)
  const compared = items.flatMap(({ request, response }, i) => {
    const reply = replies[i]
    return reply !== undefined && isWhole(i) ? [differingParts(response, answerOf(request, reply), options)] : []
  })
  return { exchanges: compared.length, alike: compared.filter((parts) => parts.length === 0).length }
}
