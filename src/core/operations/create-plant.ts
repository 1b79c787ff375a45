import { isJsonObject, jsonOrUndefined, parseJson } from '../../util/json.ts'
import { sentPlantViolations, shownPlantViolations } from '../contract/schemas.ts'
import type { ViolationFinding } from '../contract/violation.ts'
import { contentCoding, isJsonType } from '../http/media-type.ts'
import { type CheckedRequest, type Operation, queryNames } from './operation.ts'

const section = '4.1'

const checkRequest: Operation['checkRequest'] = (request) => [
  ...queryNames(request.query).map((name) => ({ section, detail: `A create has no query parameter ${name}.` })),
  ...contentTypeFindings(request.header('content-type')),
  ...bodyFindings(request),
]

const contentTypeFindings = (contentType: string | undefined): readonly ViolationFinding[] => {
  if (isJsonType(contentType)) return []
  const sent = contentType === undefined ? 'none was sent' : `it is ${contentType}`
  return [{ section, detail: `Content-Type must be application/json; ${sent}.` }]
}

const bodyFindings = (request: CheckedRequest): readonly ViolationFinding[] => {
  const coding = contentCoding(request)
  if (coding !== undefined)
    return [{ section, detail: `The body must be JSON; it has the Content-Encoding ${coding}.` }]
  if (typeof request.body === 'symbol') return []
  const parsed = parseJson(request.body ?? '')
  if ('error' in parsed) return [{ section, detail: 'The body must be a JSON object; it is not JSON.' }]
  return sentPlantViolations(parsed.value).map((detail) => ({ section: `2, ${section}`, detail }))
}

/** Violations in the response of a create: exactly `name` and `tag`, as sent (contract.md, 2.1 and 4.1). */
const checkResponse: Operation['checkResponse'] = (plant, request) => {
  const sent = typeof request.body === 'string' ? jsonOrUndefined(request.body) : undefined
  const mayLackTag = request.isRepeated || (isJsonObject(sent) && sent.tag === undefined)
  const violations = shownPlantViolations(plant, mayLackTag)
  const findings = violations.map((detail) => ({ section: '2.1, 4.1', detail: `${detail}.` }))
  if (findings.length > 0 || request.isRepeated || !isJsonObject(sent)) return findings
  return ['name', 'tag'].flatMap((field) =>
    sent[field] === undefined || sent[field] === (plant as Record<string, unknown>)[field]
      ? []
      : [{ section, detail: `${field} differs from the request.` }],
  )
}

export const createPlant: Operation = {
  method: 'POST',
  path: '/plants',
  section: '4.1',
  summary: 'Add a plant to the store',
  sample: { path: '/plants', body: '{ "id": 900, "name": "Rosa gallica", "tag": "flower" }' },
  effect: 'adds',
  checkRequest,
  checkResponse,
}
