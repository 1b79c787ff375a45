import { shownPlantViolations } from '../../contract/schemas.ts'
import type { ViolationFinding } from '../../contract/violation.ts'
import type { Operation } from '../operation.ts'
import { queryNames } from '../query.ts'

const section = '4.2'

/** Violations in a list request (contract.md, 4.2). */
export const checkRequest: Operation['checkRequest'] = ({ query, body }) => {
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
export const checkResponse: Operation['checkResponse'] = (body, { query }) => {
  if (!Array.isArray(body)) return [{ section, detail: 'The body is not an array.' }]
  const findings = firstInvalidElement(body)
  const limit = new URLSearchParams(query).get('limit')
  if (limit !== null && /^\d+$/.test(limit) && body.length > Number(limit))
    findings.push({
      section: `${section}, 8`,
      detail: `The list has ${body.length} plants, more than limit=${limit}.`,
    })
  return findings
}

/** One finding represents all, because elements usually share their fault. */
const firstInvalidElement = (elements: readonly unknown[]): ViolationFinding[] => {
  for (const [index, element] of elements.entries()) {
    const [first] = shownPlantViolations(element)
    if (first !== undefined) return [{ section: `2.2, ${section}`, detail: `Element ${index}: ${first}.` }]
  }
  return []
}
