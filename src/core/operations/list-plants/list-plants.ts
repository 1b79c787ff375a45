import { andThen, type MaybePromise } from '../../../util/maybe-promise.ts'
import type { AssumptionId } from '../../assumptions/registry.ts'
import type { CallerKey, Token } from '../../contract/caller.ts'
import { shownPlantViolations } from '../../contract/schemas.ts'
import type { ViolationFinding } from '../../contract/violation.ts'
import type { StoredPlant } from '../../store/plant-store.ts'
import { type Context, failureOutcome, failureOutcomes, type Operation, queryNames } from '../operation.ts'
import { maxLimitOf, parseLimit } from './limit.ts'
import { arrangements } from './order.ts'

const section = '4.2'

const checkRequest: Operation['checkRequest'] = ({ query, body }) => {
  const findings: ViolationFinding[] = queryNames(query)
    .filter((name) => name !== 'limit')
    .map((name) => ({ section, detail: `A list has no query parameter ${name}; it has limit.` }))
  const limits = new URLSearchParams(query).getAll('limit')
  if (limits.length > 1 || limits.some((limit) => !/^\d+$/.test(limit))) {
    const sent = limits.map((limit) => JSON.stringify(limit)).join(' and ')
    findings.push({ section, detail: `limit must be one number; the query has ${sent}.` })
  }
  if (body !== undefined && body !== '') findings.push({ section, detail: 'A list has no request body.' })
  return findings
}

/** Violations in a list (contract.md, 2.2, 4.2 and 8): no array, an invalid element, more elements than `limit`. */
const checkResponse: Operation['checkResponse'] = (body, { query }) => {
  if (!Array.isArray(body)) return [{ section, detail: 'The body is not an array.' }]
  const findings = firstInvalidElement(body)
  // The contract leaves open which of several limits counts.
  const [limit = '', ...others] = new URLSearchParams(query).getAll('limit')
  if (others.length === 0 && /^\d+$/.test(limit) && body.length > Number(limit))
    findings.push({ section: `${section}, 8`, detail: `The list has ${body.length} plants, more than limit=${limit}.` })
  return findings
}

/** A limit that is refused, and a list that is cut elsewhere. */
const contradictions: Operation['contradictions'] = (body, { query }, assumptions) => {
  const parsed = parseLimit(query, assumptions)
  if ('error' in parsed) return [{ by: parsed.assumptions, detail: 'The list is not refused' }]
  if (!Array.isArray(body) || body.length <= parsed.limit) return []
  return [{ by: parsed.assumptions, detail: `The list has ${body.length} plants, not at most ${parsed.limit}` }]
}

/** One finding represents all, because elements usually share their fault. */
const firstInvalidElement = (elements: readonly unknown[]): ViolationFinding[] => {
  for (const [index, element] of elements.entries()) {
    const [first] = shownPlantViolations(element)
    if (first !== undefined) return [{ section: `2.2, ${section}`, detail: `Element ${index}: ${first}.` }]
  }
  return []
}

const handle: Operation['handle'] = ({ query }, caller, context) => {
  const { assumptions, hidden, json } = context
  const parsed = parseLimit(query, assumptions)
  if ('error' in parsed) {
    const { error } = parsed
    return { problem: 'invalid-limit', detail: error.detail, errors: [error], assumptions: parsed.assumptions }
  }
  const { limit } = parsed
  const excluded = hidden.take(caller)
  // One plant more than requested shows whether limit cuts the list.
  return andThen(listInOrder(caller, { limit, more: excluded.size + 1 }, context), (plants) => {
    const visible = excluded.size === 0 ? plants : plants.filter((plant) => !excluded.has(plant))
    const truncated = visible.length > limit
    const shown = truncated ? limit : visible.length
    const decided = decidedBy(parsed.assumptions, shown, limit, maxLimitOf(assumptions))
    return {
      status: assumptions['list.status'],
      body: json.list(visible, shown),
      truncated,
      assumptions: hidden.hasCreated(caller) ? [...decided, 'create.visibility' as const] : decided,
    }
  })
}

const noPlant: readonly AssumptionId[] = ['list.status', 'auth.tokens', 'rate.limit', 'json.contentType']
const onePlant: readonly AssumptionId[] = [...noPlant, 'json.keyOrder']
const ordered: readonly AssumptionId[] = [...onePlant, 'list.order']

/** The assumptions that decided a list. The order does as soon as several plants are shown, or left out. */
const decidedBy = (limitBy: readonly AssumptionId[], shown: number, limit: number, maxLimit: number) => {
  const decided = shown === 0 ? noPlant : shown === 1 && limit > 1 ? onePlant : ordered
  if (limitBy.length === 0) return decided
  const reachesMax = limitBy.includes('list.defaultLimit') && shown >= maxLimit
  return [...limitBy, ...(reachesMax ? (['list.maxLimit'] as const) : []), ...decided]
}

/** The first `limit` plants, and `more` after them. Sorting and shuffling need all plants first. */
const listInOrder = (
  caller: Token | CallerKey,
  { limit, more }: { readonly limit: number; readonly more: number },
  { store, assumptions, random }: Context,
): MaybePromise<readonly StoredPlant[]> => {
  const order = assumptions['list.order']
  if (order === 'added' || order === 'newest') return store.list(caller, { limit: limit + more, order })
  const arrange = arrangements[order]
  return andThen(store.list(caller, { limit: Number.POSITIVE_INFINITY, order: 'added' }), (plants) =>
    arrange(plants, random, limit).slice(0, limit + more),
  )
}

export const listPlants = {
  method: 'GET',
  path: '/plants',
  section: '4.2',
  summary: 'List the plants that the caller may access',
  handle,
  checkRequest,
  checkResponse,
  statusBy: 'list.status',
  contradictions,
  outcomes: {
    complete: 'Plants were listed, all that there are',
    empty: 'The list was empty',
    cut: 'Plants were listed, as many as limit allows',
    ...failureOutcomes,
  },
  outcomeOf(reply) {
    if (reply.status >= 300) return failureOutcome(reply)
    if (reply.meta.truncated) return 'cut'
    return reply.body === '[]' ? 'empty' : 'complete'
  },
} as const satisfies Operation
