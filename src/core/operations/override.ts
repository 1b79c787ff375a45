import { PlantMockError } from '../../util/errors.ts'
import { isNestedTooDeep, jsonOrUndefined } from '../../util/json.ts'
import type { Assumptions } from '../assumptions/registry.ts'
import { type AssumptionLayer, describeProvenance } from '../assumptions/resolve.ts'
import type { OperationId } from '../contract/operation-ids.ts'
import { requiresTag } from '../contract/schemas.ts'
import { sectionsIn, type Violation } from '../contract/violation.ts'
import { headerValue, type RawHeaders } from '../http/headers.ts'
import { contentCoding, jsonTypeOf } from '../http/media-type.ts'
import { type Reply, reply } from '../http/reply.ts'
import { type Call, callMeta } from './call.ts'
import { operations } from './operations.ts'
import { type ReceivedResponse, type ResponseCheck, requestViolations } from './violations.ts'

const violatesHeader = 'Plant-Mock-Violates'

/**
 * Marks a response of an override that violates the contract on purpose, so that no test fails for it: sets the header
 * `Plant-Mock-Violates`, which frameworks without `Response` can set themselves.
 * @param section The section of the contract, or several: `8`, `2.2, 4.2`.
 * @example
 * server.use(http.get('https://api.example.com/plants', () => violates('2', HttpResponse.json([{ name: 'Aloe vera'
 * }]))))
 */
export const violates = <R extends Response>(section: string, response: R): R => {
  if (typeof response?.headers?.set !== 'function')
    throw new PlantMockError('violates() needs a response, such as HttpResponse.json([]).')
  response.headers.set(violatesHeader, section)
  return response
}

/** A response of another handler to a request for the mock. `body` is missing if its text is unknown. */
export type OverrideResponse = Omit<Reply, 'meta'>

/** @param learned Values from a file. A value is compared only if a service has shown it, and it is in force. */
export const overrideReply = (
  call: Call,
  { status, headers, body }: OverrideResponse,
  check: ResponseCheck,
  learned?: AssumptionLayer,
  inForce?: Assumptions,
): Reply => {
  const { exchange, operation } = call
  const inRequest = requestViolations(exchange, operation)
  const by = 'handlers'
  // The body may be captured before compression.
  const isText =
    body !== undefined && !isNestedTooDeep(body) && (!isCoded(headers) || jsonOrUndefined(body) !== undefined)
  if (operation === undefined || !isText)
    return reply(status, headers, body, { ...callMeta(call), forwarded: { by, violations: inRequest } })
  const received = { status, contentType: headerValue(headers, 'content-type'), body }
  const inResponse = [
    ...check(call, operation, received, inForce === undefined || requiresTag(inForce)),
    ...(learned && inForce ? contradictions(call, operation, received, learned, inForce) : []),
  ]
  const marks = sectionsIn(headerValue(headers, violatesHeader.toLowerCase()) ?? '')
  const violations = [...inRequest, ...inResponse.filter(({ section }) => !isMarked(section, marks))]
  return reply(status, headers, body, { ...callMeta(call), forwarded: { by, violations } })
}

const isCoded = (headers: RawHeaders): boolean =>
  contentCoding({ header: (name) => headerValue(headers, name) }) !== undefined

/** A mark also covers the parts of its section: `2` covers `2.2`, and `4.2.1` covers a violation that cites `4.2`. */
const isMarked = (citation: string, marks: readonly string[]): boolean =>
  sectionsIn(citation).some((cited) =>
    marks.some((mark) => `${cited}.`.startsWith(`${mark}.`) || mark.startsWith(`${cited}.`)),
  )

/** How a successful response contradicts learned values that are in force. */
const contradictions = (
  { exchange }: Call,
  operation: OperationId,
  { status, contentType = 'missing', body }: ReceivedResponse,
  { values, provenance }: AssumptionLayer,
  inForce: Assumptions,
): readonly Violation[] => {
  if (status >= 300 || exchange.method === 'HEAD') return []
  const { statusBy, section, ...row } = operations[operation]
  const all = [
    ...(status === inForce[statusBy] ? [] : [{ by: [statusBy], detail: `The status is ${status}` }]),
    ...(normal(contentType) === normal(jsonTypeOf(inForce))
      ? []
      : [{ by: ['json.contentType'] as const, detail: `Content-Type is ${contentType}` }]),
    ...row.contradictions(jsonOrUndefined(body), exchange, inForce),
  ]
  return all.flatMap(({ by, detail }) => {
    const [first, ...others] = by.map((id) => ({ id, from: provenance(id), isHeld: values[id] === inForce[id] }))
    if (first === undefined) return []
    const isLearned = [first, ...others].every(
      ({ from, isHeld }) => isHeld && from.by === 'file' && from.observed !== undefined,
    )
    const learned = by.map((id) => `${id}=${inForce[id]}`).join(' and ')
    const found = `${detail}; ${learned} was ${describeProvenance(first.from)}.`
    return isLearned ? [{ section, in: 'response', detail: found } as const] : []
  })
}

const normal = (type: string): string => type.toLowerCase().replaceAll(/[\s"]/g, '')
