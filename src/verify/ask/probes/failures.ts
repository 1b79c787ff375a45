import type { Assumptions } from '../../../core/assumptions/registry.ts'
import { known, other, otherStatus, type ProbeFinding, partial, unseen, valueIn } from '../../read/finding.ts'
import { formOf } from '../../read/forms.ts'
import { refused, succeeded, type TestResponse } from '../../read/response.ts'
import {
  createRequest,
  isCreate,
  listRequest,
  otherMethod,
  otherPath,
  type TestRequest,
} from '../../read/test-request.ts'
import type { CheckContext, Find } from '../check-context.ts'
import type { Client } from '../client.ts'
import { bytesOf, createOfSize, createTwice } from './creates.ts'

type Form = Assumptions['error.body']

/**
 * The refusals of requests; read-only checks send no creates. A single refused request is sent twice, to see which
 * parts differ, such as ids and times.
 */
const refusalsOf = async (client: Client, requests: readonly TestRequest[]): Promise<readonly TestResponse[]> => {
  const refusals: TestResponse[] = []
  let last: TestRequest | undefined
  const send = async (request: TestRequest): Promise<void> => {
    const response = await client.send(request)
    if (!refused(response)) return
    refusals.push(response)
    last = request
  }
  for (const request of requests) if (!isCreate(request) || client.canCreate) await send(request)
  if (refusals.length === 1 && last !== undefined) await send(last)
  return refusals
}

/** The media type that a mock sends with JSON. */
const jsonTypeIn = ({ findings }: CheckContext): string => {
  const [type] = /^application\/[^;\s]*/.exec(String(valueIn(findings.get('json.contentType')))) ?? []
  return type?.toLowerCase() ?? 'application/json'
}

const malformed = '{"name":"x"'
const alsoMalformed = '{"tag":}'

const badLimit = listRequest('?limit=abc')
/** Above the maximum limit of any service. */
const hugeLimit = listRequest('?limit=1000000000')
const badLimits = [badLimit, listRequest('?limit=-1')]

export const findBody: Find<Form> = async (context) => {
  const { client, samples } = context
  // Does not mix creates and lists, because different layers often read bodies and limits.
  const body = samples.invalidBody()
  const plants = await refusalsOf(client, [createRequest(body), createRequest({ ...body, name: body.tag })])
  const refusals = plants.length > 0 ? plants : await refusalsOf(client, badLimits)
  return partial(formOf(refusals, jsonTypeIn(context)), client.canCreate ? undefined : 'lists')
}

/** The form of these refusals; `same` if it equals `error.body`. */
const ownFormOf = async (
  context: CheckContext,
  refusals: readonly TestResponse[],
  isVaried?: boolean,
): Promise<ProbeFinding<OwnForm>> => {
  const found = formOf(refusals, jsonTypeIn(context), isVaried)
  if (typeof found === 'object') return found
  const rest = context.findings.get('error.body') ?? (await findBody(context))
  if (isStopped(context, rest)) return rest
  return found === valueIn(rest) ? 'same' : found
}

/** Whether creates stopped before `finding` was observed. The value `same` can then not be excluded. */
const isStopped = (
  { client }: CheckContext,
  finding: ProbeFinding,
): finding is Extract<ProbeFinding, { unseen: string }> =>
  client.createsStopped !== undefined && typeof finding === 'object' && 'unseen' in finding

type OwnForm = Assumptions['error.authBody']

const findOwnForm =
  (requests: readonly TestRequest[]): Find<OwnForm> =>
  async (context) =>
    ownFormOf(context, await refusalsOf(context.client, requests))

/** A gateway in front of the service often checks the tokens. */
export const findAuthBody = findOwnForm([
  listRequest('?limit=1', 'anonymous'),
  listRequest('?limit=1', 'unknown'),
  listRequest('?limit=1', 'anonymous', { authorization: 'Basic eDp5' }),
])

export const findLimitBody = findOwnForm(badLimits)

/** The router of a framework often writes these bodies. */
export const findPathBody = findOwnForm([otherPath('caller'), otherMethod('caller')])

/** The parser of a framework often writes these bodies, also when it refuses a type or size. */
export const findSyntaxBody: Find<OwnForm> = async (context) => {
  const { client, samples } = context
  const refusals = await refusalsOf(client, [createRequest(malformed), createRequest(alsoMalformed)])
  const max = bytesOf(valueIn(context.findings.get('body.maxSize')))
  const byStatus = max === undefined ? [] : await refusalsOf(client, [createOfSize(samples, max + 1)])
  // Not a text type, because some parsers read text types.
  const xml = { headers: { 'content-type': 'application/xml' } }
  const byType = mayRequireType(context) ? await refusalsOf(client, [createRequest(samples.invalidBody(), xml)]) : []
  return ownFormOf(context, [...refusals, ...byType.filter(({ status }) => status === 415), ...byStatus])
}

/** Whether the service may refuse at least some types of content. */
const mayRequireType = ({ findings }: CheckContext): boolean => {
  const found = findings.get('create.contentType')
  return valueIn(found) === 'require' || (typeof found === 'object' && 'other' in found)
}

export const findDuplicateBody: Find<OwnForm> = async (context) => {
  const { first, response } = await createTwice(context)
  if (!refused(response)) return unseen('a second create with the same id is not refused')
  const third = createRequest({ ...context.samples.newPlant(), id: first.id })
  // All requests have the same id, because the text of the failure may contain the id.
  return ownFormOf(context, [response, ...(await refusalsOf(context.client, [third]))], false)
}

/** The status that all of these refusals share; or `other` behaviour if statuses differ. */
const statusIn = <Id extends 'error.invalidStatus' | 'error.limitStatus'>(
  id: Id,
  refusals: readonly TestResponse[],
) => {
  const [status = 0, ...others] = new Set(refusals.map((refusal) => refusal.status))
  return others.length === 0 ? known(id, status) : other([status, ...others].join(', or '))
}

/** The status of creates whose body is not a plant; if no create is refused, of a list with an invalid limit. */
export const findInvalidStatus: Find<Assumptions['error.invalidStatus']> = async ({ client, samples }) => {
  const plant = samples.invalidBody()
  const plants = await refusalsOf(client, [createRequest(plant), createRequest({ tag: plant.tag })])
  const refusals = plants.length > 0 ? plants : await refusalsOf(client, [badLimit])
  if (refusals.length === 0) return unseen('no invalid request is refused')
  return partial(statusIn('error.invalidStatus', refusals), client.canCreate ? undefined : 'a bad limit')
}

const ownStatusOf = async <Id extends 'error.limitStatus' | 'error.syntaxStatus'>(
  id: Id,
  { status }: TestResponse,
  context: CheckContext,
) => {
  const invalid = context.findings.get('error.invalidStatus') ?? (await findInvalidStatus(context))
  if (isStopped(context, invalid)) return invalid
  return valueIn(invalid) === status ? 'same' : known(id, status)
}

export const findLimitStatus: Find<Assumptions['error.limitStatus']> = async (context) => {
  const all = await refusalsOf(context.client, [...badLimits, listRequest('?limit=0'), hugeLimit])
  // Some services respond to an empty list with 404.
  const refusals = all.filter(({ status }) => status !== 404)
  const [refusal] = refusals
  if (refusal === undefined) return unseen('no invalid limit is refused')
  const found = statusIn('error.limitStatus', refusals)
  return typeof found === 'object' ? found : ownStatusOf('error.limitStatus', refusal, context)
}

export const findSyntaxStatus: Find<Assumptions['error.syntaxStatus']> = async (context) => {
  const response = await context.client.send(createRequest(malformed))
  if (succeeded(response)) return other('it succeeds')
  if (!refused(response)) return otherStatus(response)
  return ownStatusOf('error.syntaxStatus', response, context)
}
