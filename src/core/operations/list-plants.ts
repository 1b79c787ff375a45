import { isJsonObject } from '../../util/json.ts'
import { shownPlantViolations } from '../contract/schemas.ts'
import type { ViolationFinding } from '../contract/violation.ts'
import { type Operation, queryNames } from './operation.ts'

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
const checkResponse: Operation['checkResponse'] = (body, { query, hasTag }) => {
  if (!Array.isArray(body)) return [{ section, detail: 'The body is not an array.' }]
  const findings = firstInvalidElement(body, hasTag)
  // The contract leaves open which of several limits counts.
  const [limit = '', ...others] = new URLSearchParams(query).getAll('limit')
  if (others.length === 0 && /^\d+$/.test(limit) && body.length > Number(limit))
    findings.push({ section: `${section}, 8`, detail: `The list has ${body.length} plants, more than limit=${limit}.` })
  return findings
}

/** Reports only the first invalid element, because invalid elements usually share one mistake. */
const firstInvalidElement = (
  elements: readonly unknown[],
  hasTag: (name: unknown) => boolean = () => false,
): ViolationFinding[] => {
  for (const [index, element] of elements.entries()) {
    const [first] = shownPlantViolations(element, !(isJsonObject(element) && hasTag(element.name)))
    if (first !== undefined) return [{ section: `2.2, ${section}`, detail: `Element ${index}: ${first}.` }]
  }
  return []
}

export const listPlants: Operation = {
  method: 'GET',
  path: '/plants',
  section: '4.2',
  summary: 'List the plants that the caller may access',
  sample: { path: '/plants?limit=10' },
  effect: 'lists',
  checkRequest,
  checkResponse,
}
