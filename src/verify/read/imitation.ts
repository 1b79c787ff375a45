import { type Entries, settingsOf } from '../../core/assumptions/file.ts'
import { countIn } from '../../core/assumptions/form.ts'
import { type Assume, type Assumptions, defaultAssumptions } from '../../core/assumptions/registry.ts'
import type { Reply } from '../../core/http/reply.ts'
import { initialState, type State } from '../../core/model/state.ts'
import { step } from '../../core/model/step.ts'
import { type Alikeness, answerParts, type Unlikeness } from './alikeness.ts'
import { describeDifference } from './answer.ts'
import { causeOf, sectionOf } from './cause.ts'
import { createdPlants } from './created-plant.ts'
import { answerOf, compareOptions, createFolder, decidedBy, type Fold, type Item, partsIn } from './fold.ts'
import { toItem, tokens } from './read-check.ts'
import { createIsForeign, type Labels, type RecordedExchange } from './recording.ts'
import { describeRequest, requestKind, takenId } from './request-kind.ts'
import { isOperation, type TestRequest } from './test-request.ts'

/**
 * Compares the service with the model under the learned values.
 * @param broken The ids of the rules that the service breaks.
 * @param sample Requests as clients send them, to estimate the expected share of alike exchanges.
 */
export const imitate = (
  recorded: readonly RecordedExchange[],
  entries: Entries,
  labels: Labels,
  broken: readonly string[] = [],
  sample: readonly TestRequest[] = [],
): Alikeness => {
  const kinds = new Map<string, { all: number; alike: number }>()
  const taken = new Set<unknown>([takenId])
  const assume: Assumptions = { ...defaultAssumptions, ...settingsOf(entries) }
  const isForeign = createIsForeign(recorded, labels)
  const same = { status: 0, type: 0, body: 0 }
  const heldOut = { exchanges: 0, alike: 0 }
  let alike = 0
  const found = new Map<string, Unlikeness>()
  const items = recorded.map(toItem)
  const { replies, states, differences }: Fold = createFolder(items, {
    counted: earlierRequests(items, assume['rate.limit']),
    labels,
    stated: items,
  })(assume)
  for (const [i, { request, response, sent, isHeldOut }] of items.entries()) {
    const [reply, before] = [replies[i] as Reply, states[i] as State]
    const parts = partsIn(differences[i] ?? 0)
    for (const part of answerParts) if (!parts.includes(part)) same[part]++
    if (parts.length === 0) alike++
    const kind = requestKind(request, (id) => taken.has(id))
    const { all, alike: others } = kinds.get(kind) ?? { all: 0, alike: 0 }
    kinds.set(kind, { all: all + 1, alike: others + (parts.length === 0 ? 1 : 0) })
    for (const { id, certain } of createdPlants(request, response)) if (certain) taken.add(id)
    if (isHeldOut) heldOut.exchanges++
    if (isHeldOut && parts.length === 0) heldOut.alike++
    if (parts.length === 0) continue
    const answer = answerOf(request, reply)
    const decided = decidedBy(reply)
    const key = JSON.stringify([request.method, parts, response.status, answer.status, decided])
    const known = found.get(key)
    if (known === undefined) {
      // Keeps the plants; resets request counts and hidden plants.
      const fresh = initialState(before.plants, 1)
      const tryWith = (changed: Assume) =>
        answerOf(request, step(fresh, sent, { ...assume, ...changed } as Assumptions).reply)
      const options = compareOptions(assume, reply)
      const input = { request, response, answer, parts, decided, entries, options, isForeign, broken }
      const cause = causeOf(input, tryWith)
      found.set(key, {
        exchange: describeRequest(request),
        curl: response.curl,
        section: sectionOf(cause, request),
        parts,
        differs: describeDifference(response, answer, parts),
        cause,
        exchanges: 1,
      })
    } else found.set(key, { ...known, exchanges: known.exchanges + 1 })
  }
  const shares = sample.flatMap((request) => {
    const kind = kinds.get(requestKind(request, (id) => id === takenId))
    return kind === undefined ? [] : [kind.alike / kind.all]
  })
  const expected = shares.length < sample.length / 2 ? undefined : shares.reduce((a, b) => a + b, 0) / shares.length
  return {
    exchanges: recorded.length,
    alike,
    same,
    heldOut,
    ...(expected !== undefined && sample.length > 0 && { expected }),
    differences: [...found.values()],
  }
}

/** How many requests the service had counted before the check, so that the model refuses the same requests. */
const earlierRequests = (items: readonly Item[], limit: Assumptions['rate.limit']): ReadonlyMap<string, number> => {
  if (limit === 'none') return new Map()
  const nth = limit === 'every-tenth' ? 10 : countIn(limit)
  const counted = items.filter(({ request }) => request.as === 'caller' && isOperation(request))
  const first = counted.findIndex(({ response }) => response.status === 429)
  return new Map(first === -1 ? [] : [[tokens.caller, (nth - ((first + 1) % nth)) % nth]])
}
