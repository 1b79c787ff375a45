import { newPlantViolations } from '../contract/schemas.ts'
import type { Exchange, Violation } from '../http/exchange.ts'
import { isJson } from '../operations/create-plant/handle.ts'
import { allowedMethods, type OperationId, operations, plantsPath } from '../operations/operations.ts'
import { authenticate } from './authenticate.ts'

/** What of a request is looked at. A body that is not known as text is taken to be right. */
type Request = Pick<Exchange, 'method' | 'path' | 'query' | 'header'> & {
  readonly body: string | undefined
  readonly hasBody: boolean
}

/**
 * Compares a request with what the contract shows of requests. Points that the contract leaves open, such as which
 * fields are required, are no violations.
 */
export const requestViolationsIn = (
  request: Request,
  operation: OperationId | undefined,
): readonly Violation[] => {
  const found = operation === undefined ? outside(request) : inside(request, operation)
  return found.map(({ section, detail }) => ({ section, detail, in: 'request' }))
}

type Found = Omit<Violation, 'in'>

const inside = (request: Request, operation: OperationId): readonly Found[] => [
  ...credentials(request),
  ...(operation === 'createPlant' ? create(request) : list(request)),
]

/** OPTIONS asks what there is; it is HTTP's own (RFC 9110, 9.3.7). */
const outside = ({ method, path }: Request): readonly Found[] => {
  if (path !== plantsPath)
    return [{ section: '4', detail: `The contract has no path ${path}; it has ${plantsPath}.` }]
  if (allowedMethods.split(', ').includes(method)) return []
  return [{ section: '4.3', detail: `The contract shows no ${method} of ${path}; it shows GET and POST.` }]
}

const credentials = (request: Request): readonly Found[] => {
  const found = authenticate(request.header('authorization'))
  return 'detail' in found ? [{ section: '5', detail: found.detail }] : []
}

const create = (request: Request): readonly Found[] => {
  const { section } = operations.createPlant
  const violations: Found[] = queryNames(request).map((name) => ({
    section,
    detail: `A create has no query parameter ${name}.`,
  }))
  const contentType = request.header('content-type')
  if (!isJson(contentType))
    violations.push({
      section,
      detail: `Content-Type is to be application/json; ${contentType === undefined ? 'there was none' : `it was ${contentType}`}.`,
    })
  return [...violations, ...body(request)]
}

const body = ({ body, hasBody }: Request): readonly Found[] => {
  if (body === undefined && hasBody) return []
  const { section } = operations.createPlant
  const parsed = parse(body)
  if (parsed === undefined) return [{ section, detail: 'The body is to be a JSON object; it is not JSON.' }]
  return newPlantViolations(parsed.value).map((detail) => ({ section: `2, ${section}`, detail }))
}

const parse = (body: string | undefined): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(body ?? '') as unknown }
  } catch {
    return undefined
  }
}

const list = (request: Request): readonly Found[] => {
  const { section } = operations.listPlants
  const violations: Found[] = []
  for (const name of queryNames(request))
    if (name !== 'limit')
      violations.push({ section, detail: `A list has no query parameter ${name}; it has limit.` })
  const limits = new URLSearchParams(request.query).getAll('limit')
  if (limits.length > 1 || limits.some((limit) => !/^\d+$/.test(limit)))
    violations.push({
      section,
      detail: `limit is to be one number; it was ${limits.map((limit) => JSON.stringify(limit)).join(' and ')}.`,
    })
  if (request.hasBody && request.body !== '')
    violations.push({ section, detail: 'A list has no request body.' })
  return violations
}

const queryNames = ({ query }: Request): readonly string[] => [...new Set(new URLSearchParams(query).keys())]
