import { isJsonObject, parseJson } from '../../util/json.ts'
import { brokenRule } from '../contract/rules.ts'
import { sentPlantViolations, shownPlantViolations } from '../contract/schemas.ts'
import type { ViolationFinding } from '../contract/violation.ts'
import { contentCoding, isJsonType } from '../http/media-type.ts'
import { type CheckedRequest, type Operation, queryNames, type ResponseJudge } from './operation.ts'

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

const checkResponse: ResponseJudge['check'] = (plant, { sent, isRepeated }) => {
  const fields = isJsonObject(sent) ? sent : undefined
  const details = shownPlantViolations(withUnstated(plant, fields), isRepeated)
  const differing = ['name', 'tag'].filter(
    (field) => typeof fields?.[field] === 'string' && isJsonObject(plant) && fields[field] !== plant[field],
  )
  const broken = (detail: string, section?: object) => brokenRule('create.shape', detail, { part: plant, ...section })
  return details.length > 0 || isRepeated
    ? details.map((detail) => broken(detail))
    : differing.map((field) => broken(`${field} differs from the request`, { section: '4.1' }))
}

/** Does not judge a field of the response if the request sent no text for it: the contract leaves it open (2.3). */
const withUnstated = (plant: unknown, sent: Readonly<Record<string, unknown>> = { name: '', tag: '' }): unknown =>
  isJsonObject(plant)
    ? { ...plant, ...(typeof sent.name !== 'string' && { name: '' }), ...(typeof sent.tag !== 'string' && { tag: '' }) }
    : plant

export const createPlant = {
  method: 'POST',
  path: '/plants',
  section: '4.1',
  summary: 'Add a plant to the store',
  sample: { path: '/plants', body: '{ "id": 900, "name": "Rosa gallica", "tag": "flower" }' },
  effect: 'adds',
  checkRequest,
  response: { bodyRule: 'create.shape', typeRule: 'create.json', check: checkResponse },
} satisfies Operation
