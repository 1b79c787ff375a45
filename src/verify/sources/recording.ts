import { type Entry, settingsOf } from '../../core/assumptions/file.ts'
import {
  type AssumptionId,
  type Assumptions,
  assumptionRegistry,
  defaultAssumptions,
  rowOf,
} from '../../core/assumptions/registry.ts'
import { ruleIds, rules } from '../../core/contract/rules.ts'
import { readTraffic, type Traffic } from '../../core/recording/traffic.ts'
import { recordedBodies } from '../../server/files/har-text.ts'
import { groupBy } from '../../util/group-by.ts'
import { isJsonObject } from '../../util/json.ts'
import { shorten } from '../../util/text.ts'
import { estimatesOf } from '../read/candidates.ts'
import { rateFinding, steadyRate } from '../read/finding.ts'
import { allParts, answerOf, createFolder, type Fold, type Item, parts, problemOf } from '../read/fold.ts'
import { openPoint } from '../read/imitation.ts'
import { explicitDefaults, infer, startingPoint } from '../read/infer.ts'
import { isTokenRefused, isUndecided, succeeded } from '../read/response.ts'
import { isOperation } from '../read/test-request.ts'
import { createViolations } from '../read/violations.ts'
import { startOf, toItems } from './items.ts'
import type { RecordedAlikeness, Source, SourceNote } from './source.ts'

export const readRecording = (value: unknown, file: string): Source & { readonly alike: RecordedAlikeness } => {
  const traffic = readTraffic(value, file, recordedBodies(file))
  const placeOf = createPlaceOf(file, traffic.unit)
  const recorded = toItems(traffic)
  const hasRefusal = recorded.some(({ request, sent }) => isOperation(request) && isWithoutToken(sent))
  const telling = recorded
    .filter(isTelling)
    // Ignores other operations without a token, unless a refused list or create shows that a token is required.
    .filter(
      ({ request, sent }) =>
        isOperation(request) || sent.caller.key !== undefined || (hasRefusal && isWithoutToken(sent)),
    )
  const items = firstOf(telling.slice(0, maxItems))
  const estimates = estimatesOf(items)
  const { best, at } = infer(items, startOf(items, new Map()), startingPoint(estimates), estimates)
  const rate = rateIn(recorded, traffic.isPartial)

  const entryAt = (id: AssumptionId): Entry => {
    if (traffic.isSanitised && isAboutTokens(id)) return { unseen: 'Authorization was removed or masked' }
    if (id === 'rate.limit') return placed(rate.finding, () => placeOf(rate.places))
    const { finding, by } = at(id)
    // In a recording without tokens, creates with equal ids may come from two callers.
    const isOfOne = finding.evidence !== undefined
    if (id === 'create.duplicateId' && traffic.isSanitised && (isOfOne || finding.value === 'replace'))
      return { unseen: 'several callers may have sent the requests', nearest: best.assume[id] }
    if (id === 'create.duplicateId' && isOfOne && sharesIds(items))
      return { unseen: 'conflict and conflict-everywhere fit equally', nearest: best.assume[id] }
    const entry = placed(finding, () => placeOf(by.map((i) => items[i]?.place ?? 0)))
    return entry.unseen !== undefined && best.assume[id] !== explicitDefaults[id]
      ? { ...entry, nearest: best.assume[id] }
      : entry
  }
  const entries = new Map<AssumptionId, Entry>()
  for (const { id, ...row } of assumptionRegistry)
    if (id === 'list.status' || row.alternatives.length + row.further.length > 0 || row.form !== undefined)
      entries.set(id, entryAt(id))
  return {
    file,
    kind: 'recording',
    entries,
    broken: [],
    notes: [...traffic.notes, ...contradictions(recorded, placeOf), ...unsupported(items, best, placeOf)],
    ...(traffic.basePath !== undefined && { basePath: traffic.basePath }),
    alike: {
      ...alikeIn(firstOf(recorded), rate.counted, entries, (i) => traffic.exchanges[i]?.body !== undefined),
      ...(telling.length > items.length && { valuesFrom: items.length }),
    },
  }
}

const sharesIds = (items: readonly Item[]): boolean => {
  const callers = new Map<unknown, string | undefined>()
  return items.some(({ request: { json }, caller }) => {
    if (!isJsonObject(json) || json.id === undefined) return false
    const known = callers.get(json.id) ?? caller
    callers.set(json.id, known)
    return known !== caller
  })
}

const placed = (entry: Entry, placeOf: () => string): Entry =>
  entry.unseen === undefined ? { ...entry, place: placeOf() } : entry

const isAboutTokens = (id: AssumptionId): boolean => rowOf(id).section.split(', ').includes('5')

/** Reads the rate limit again from Bearer requests alone, because some services do not count other requests. */
const rateIn = (items: readonly Item[], isPartial: boolean) => {
  const own = items.filter(({ caller, request }) => caller !== undefined && isOperation(request))
  const isLimited = ({ seen }: Item): boolean => seen.status === 429
  const read = (counted: readonly Item[]) => {
    const callers = [...groupBy(counted, ({ caller = '' }) => caller)]
    const limits = callers.map(([caller, sent]) => [caller, sent.map(isLimited)] as const)
    return {
      limits,
      finding: rateFinding(
        limits.map(([, limited]) => limited),
        isPartial,
      ),
    }
  }
  const [all, exact] = [read(own), read(own.filter(({ request }) => request.scheme === 'Bearer'))]
  const isRate = ({ finding: { value = 'none' } }: ReturnType<typeof read>): boolean => value !== 'none'
  const { limits, finding } = isRate(exact) && !isRate(all) ? exact : all
  const limited = own.filter(isLimited)
  return {
    finding,
    places: (limited.length > 0 ? limited : own).map(({ place }) => place),
    counted: new Map(limits.map(([caller, limited]) => [caller, steadyRate(limited)?.earlier ?? 0])),
  }
}

/** Maximum exchanges and maximum characters of a replay, because the time of a replay grows with both. */
const [maxItems, maxText] = [500, 1024 * 1024]

const firstOf = (items: readonly Item[]): readonly Item[] => {
  let size = 0
  const end = items.findIndex(({ text }, i) => {
    size += text.length
    return i > 0 && size > maxText
  })
  return end === -1 ? items : items.slice(0, end)
}

type PlaceOf = (places: readonly number[]) => string

const maxNamed = 4

const createPlaceOf =
  (file: string, unit: Traffic['unit']): PlaceOf =>
  (places) => {
    const named = places.slice(0, maxNamed).join(', ')
    const more = places.length > maxNamed ? ` and ${places.length - maxNamed} more` : ''
    return `${file}: ${places.length === 1 ? unit : unit === 'entry' ? 'entries' : 'requests'} ${named}${more}`
  }

const isWithoutToken = ({ caller }: Item['sent']): boolean => caller.key === undefined && !caller.hasHeader

const isTelling = ({ request, seen }: Item): boolean =>
  !isUndecided(seen) && !(isTokenRefused(seen) && request.scheme === 'Bearer')

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

const unsupported = (
  items: readonly Item[],
  { replies, differences }: Fold,
  placeOf: PlaceOf,
): readonly SourceNote[] => {
  const found = new Map<string, { readonly text: string; readonly places: number[] }>()
  for (const [i, { request, seen, place, ignored }] of items.entries()) {
    const reply = replies[i]
    if (reply === undefined || ignored === allParts) continue
    if (!((differences[i] ?? 0) & parts.outcome) && !(ignored & parts.body)) continue
    const answer = answerOf(request, reply)
    const isImpossible = succeeded(seen) && problemOf(reply) === 'invalid-plant'
    const id = isImpossible ? 'plant.meaning' : openPoint(request, seen, answer)
    if (id === undefined) continue
    const known = found.get(id)
    if (known !== undefined) known.places.push(place)
    else {
      const text = `${id}: ${shorten(seen.curl(), 80)}: ${seen.status} at the service, ${answer.status} at the mock`
      found.set(id, { text, places: [place] })
    }
  }
  return [...found.values()].map(({ text, places }) => ({ kind: 'unsupported', place: placeOf(places), text }))
}

const alikeIn = (
  items: readonly Item[],
  counted: ReadonlyMap<string, number>,
  entries: ReadonlyMap<AssumptionId, Entry>,
  hasBody: (i: number) => boolean,
): RecordedAlikeness => {
  const assume: Assumptions = { ...defaultAssumptions, ...settingsOf(entries) }
  const raw = items.map(
    (item): Item => ({
      ...item,
      seen: item.response,
      text: JSON.stringify(item.response.json) ?? '',
      ignored: 0,
      known: new Map(),
    }),
  )
  const { differences } = createFolder(raw, startOf(items, counted))(assume)
  const compared = differences.filter((_, i) => hasBody(i))
  return { exchanges: compared.length, alike: compared.filter((differs) => differs === 0).length }
}
