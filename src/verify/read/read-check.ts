import type { Entry } from '../../core/assumptions/file.ts'
import { bases, decidesPart, dependentsOf } from '../../core/assumptions/points.ts'
import { type AssumptionId, type Assumptions, rowOf } from '../../core/assumptions/registry.ts'
import { estimatesOf } from './candidates.ts'
import { describeRequest } from './describe-exchange.ts'
import { areSameForms } from './failure-form.ts'
import { partial, unseen } from './finding.ts'
import { allParts, bodyParts, countedPoints, type Item, serviceRequestOf } from './fold.ts'
import { infer, startingPoint } from './infer.ts'
import { comparable, type Labels, noLater, type RecordedExchange, unconfirmedIn } from './recording.ts'
import { isTokenRefused, isUndecided, lengthOf, refused, succeeded } from './response.ts'
import { isCreate, isList } from './test-request.ts'

export const tokens = { caller: 'caller-1', other: 'caller-2', unknown: 'caller-3' } as const

const isGiven = (caller: string): boolean => caller === tokens.caller || caller === tokens.other

export const toItem = (exchange: RecordedExchange, i: number): Item => {
  const { request, response, at } = exchange
  const { as, scheme = 'Bearer', headers } = request
  const caller = as === 'anonymous' ? undefined : tokens[as]
  const sent = { ...request, headers: { ...(caller && { authorization: `${scheme} ${caller}` }), ...headers } }
  return {
    ...exchange,
    place: i + 1,
    caller,
    sent: serviceRequestOf(sent, at, isGiven),
    seen: response,
    text: JSON.stringify(response.json) ?? response.text,
    ignored: 0,
    known: new Map(),
  }
}

const reduced = (item: Item): Item => {
  const { seen, isUsable } = comparable(item.request, item.response)
  const ignored = item.isHeldOut ? allParts : isUsable ? 0 : bodyParts
  return { ...item, seen, text: JSON.stringify(seen.json) ?? seen.text, ignored }
}

/** Maximum plants of a compared list. Longer lists would take most of the time of a check and show little more. */
const maxCompared = 2_000

export const readCheck = (
  recorded: readonly RecordedExchange[],
  probed: ReadonlyMap<AssumptionId, Entry | undefined>,
  told: ReadonlyMap<AssumptionId, string>,
  labels: Labels,
): ((id: AssumptionId) => Entry) => {
  const unconfirmed = unconfirmedIn(recorded)
  const reasons = new Map(told)
  const measured = new Map(probed)
  for (const [{ purpose, response }, kind] of unconfirmed)
    if (purpose !== undefined && refused(response)) {
      reasons.set(purpose, noLater(kind))
      measured.delete(purpose)
    }
  const isShown = new Set(recorded.filter(({ response }) => lengthOf(response) > 0).map(({ request }) => request.as))
  // If all lists of a caller are empty, an invalid limit shows nothing, because every limit gives an empty list.
  const hasPlants = ({ request, response }: RecordedExchange): boolean =>
    !(isList(request) && succeeded(response)) ||
    isShown.has(request.as) ||
    /^[^?]*([?]limit=[1-9]\d*)?$/.test(request.path)
  const items = recorded
    .filter(isTelling)
    .filter((one) => hasPlants(one) && !unconfirmed.has(one))
    .map((one, i) => reduced(toItem(one, i)))
  const estimates = estimatesOf(items)
  const values = [...measured].flatMap(([id, finding]) => {
    const value = countedPoints.has(id) ? undefined : finding?.value
    return value === undefined ? [] : [[id, value] as const]
  })
  const known = new Set([...countedPoints, ...values.map(([id]) => id)])
  const from = { ...startingPoint(estimates), ...Object.fromEntries(values) } as Assumptions
  const doubts = new Map([...countedPoints].map((id) => [id, 'the check ended before this point was known']))
  for (const exchange of recorded) {
    const { purpose, response } = exchange
    if (purpose === undefined) continue
    if (response.isDisguised) doubts.set(purpose, `it responds with ${response.status} to errors too`)
    if (!hasPlants(exchange)) doubts.set(purpose, 'there are no plants, so every list is empty')
  }
  // Excludes lists with a malformed limit, because a service may truncate such a list at any length.
  const stated = items.filter(({ sent: { limits } }) => limits.every(({ digits }) => digits) && limits.length < 2)
  const { best, at } = infer(items, { known, isOnlyClient: true, counted: new Map(), labels, stated }, from, estimates)
  const shownAt = (id: AssumptionId): Entry => {
    const isOpen = doubts.has(id) || (reasons.has(id) && decidesPart(id, 'plants', 'length'))
    const finding = measured.get(id) ?? (isOpen ? unseen('') : at(id).finding)
    if (finding.other !== undefined) return { nearest: best.assume[id], ...finding }
    return finding.unseen === undefined ? finding : unseen(reasons.get(id) ?? doubts.get(id) ?? finding.unseen)
  }
  const read = (id: AssumptionId): Entry => {
    const finding = shownAt(id)
    if (finding.unseen !== undefined)
      for (const one of dependentsOf(id)) {
        const { standsForBase } = rowOf(one)
        if (standsForBase !== undefined)
          return shownAt(one).unseen === undefined ? partial(shownAt(one), standsForBase) : finding
      }
    const base = bases.get(id)
    const [value, same] = [finding.value, base && read(base).value]
    return value !== undefined && same !== undefined && areSameForms(String(value), String(same))
      ? { value: 'same' }
      : finding
  }
  return read
}

/** Excludes errors with a 2xx status and refused tokens; also server errors, if the request tests no assumption. */
const isTelling = (exchange: RecordedExchange, i: number, all: readonly RecordedExchange[]): boolean =>
  !exchange.response.isDisguised &&
  !(isTokenRefused(exchange.response) && exchange.request.scheme === undefined) &&
  (!isUndecided(exchange.response) || exchange.purpose !== undefined) &&
  lengthOf(exchange.response) <= maxCompared &&
  !all.slice(i + 1).some((later) => isRepeated(exchange, later))

const isRepeated = ({ request, response, purpose }: RecordedExchange, later: RecordedExchange): boolean =>
  later.request === request ||
  (isCreate(request) &&
    refused(response) &&
    purpose !== undefined &&
    later.purpose === purpose &&
    succeeded(later.response) &&
    describeRequest(later.request) === describeRequest(request))
