import { PlantMockError } from '../../util/errors.ts'
import { isNestedTooDeep, jsonOrUndefined } from '../../util/json.ts'
import { sectionsIn } from '../contract/violation.ts'
import { headerValue, type RawHeaders } from '../http/headers.ts'
import { contentCoding } from '../http/media-type.ts'
import { type Reply, reply } from '../http/reply.ts'
import { callMeta, type ResolvedRequest } from './call.ts'
import { type ResponseCheck, requestViolations } from './violations.ts'

const violatesHeader = 'Plant-Mock-Violates'

/**
 * Marks a response of an override that violates the contract on purpose: no test fails for the violation. Sets the
 * header `Plant-Mock-Violates`, which frameworks without `Response` can set directly.
 * @param section A section of the contract, or several: `8`, `2.2, 4.2`.
 * @throws PlantMockError if `response` has no headers to set.
 * @example
 * server.use(http.get('https://api.example.com/plants', () => allowViolation('2', HttpResponse.json([{ name: 'Aloe
 * vera' }]))))
 */
export const allowViolation = <R extends Response>(section: string, response: R): R => {
  if (typeof response?.headers?.set !== 'function')
    throw new PlantMockError('allowViolation() needs a response, such as HttpResponse.json([]).')
  response.headers.set(violatesHeader, section)
  return response
}

export type OverrideResponse = Omit<Reply, 'meta'>

export const overrideReply = (
  call: ResolvedRequest,
  { status, headers, body }: OverrideResponse,
  check: ResponseCheck,
  areTagged: boolean,
): Reply => {
  const { received, operation } = call
  const inRequest = requestViolations(received, operation)
  // Parses even a body whose headers name a coding, because a handler's body may be captured before compression.
  const isText =
    body !== undefined && !isNestedTooDeep(body) && (!isCoded(headers) || jsonOrUndefined(body) !== undefined)
  const response = { status, contentType: headerValue(headers, 'content-type'), body: body ?? '' }
  const inResponse = operation !== undefined && isText ? check(call, operation, response, areTagged) : []
  const marks = sectionsIn(headerValue(headers, violatesHeader.toLowerCase()) ?? '')
  const violations = [...inRequest, ...inResponse.filter(({ section }) => !isMarked(section, marks))]
  return reply(status, headers, body, { ...callMeta(call), forwarded: { by: 'handlers', violations } })
}

const isCoded = (headers: RawHeaders): boolean =>
  contentCoding({ header: (name) => headerValue(headers, name) }) !== undefined

/** A test that allows `2` also allows violations of `2.2`; with `4.2.1`, also one that cites all of `4.2`. */
const isMarked = (citation: string, marks: readonly string[]): boolean =>
  sectionsIn(citation).some((cited) =>
    marks.some((mark) => `${cited}.`.startsWith(`${mark}.`) || mark.startsWith(`${cited}.`)),
  )
