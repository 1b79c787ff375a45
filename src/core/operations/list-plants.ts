import { type BrokenRule, brokenRule } from '../contract/rules.ts'
import { shownPlantViolations } from '../contract/schemas.ts'
import type { ViolationFinding } from '../contract/violation.ts'
import { limitsIn } from './limit.ts'
import { type Operation, queryNames, type ResponseJudge } from './operation.ts'

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

const checkResponse: ResponseJudge['check'] = (list, { query, hasTag }) => {
  if (!Array.isArray(list)) return [brokenRule('list.array', 'The body is not an array', { part: list })]
  const limit = statedLimit(query)
  const isTooLong = limit !== undefined && list.length > limit
  return [
    ...firstInvalidElement(list, hasTag),
    ...(isTooLong ? [brokenRule('list.limit', `The list has ${list.length} plants, more than limit=${limit}`)] : []),
  ]
}

/** Returns `undefined` for a repeated or non-integer limit, which the contract leaves open (contract.md, 4.2.4). */
export const statedLimit = (query: string): number | undefined => {
  const [limit, ...others] = limitsIn(query)
  return others.length > 0 ? undefined : limit?.digits
}

const firstInvalidElement = (elements: readonly unknown[], hasTag: (element: unknown) => boolean): BrokenRule[] => {
  for (const [index, part] of elements.entries()) {
    if (shownPlantViolations(part).length === 0) continue
    const [first] = shownPlantViolations(part, !hasTag(part))
    if (first !== undefined) return [brokenRule('list.elements', `Element ${index}: ${first}`, { part })]
  }
  return []
}

export const listPlants = {
  method: 'GET',
  path: '/plants',
  section: '4.2',
  summary: 'List the plants that the caller may access',
  sample: { path: '/plants?limit=10' },
  effect: 'lists',
  checkRequest,
  response: { bodyRule: 'list.array', typeRule: 'list.json', check: checkResponse },
} satisfies Operation
