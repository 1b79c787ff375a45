import type { Assumptions } from '../../assumptions/registry.ts'
import { isJsonObject } from '../../util/json.ts'
import type { Client } from '../client.ts'
import { templateOf } from '../failure-form.ts'
import { type Find, type Finding, known, other, otherStatus, partial, unseen, valueIn } from '../finding.ts'
import type { CheckContext } from '../sample-plants.ts'
import { refused, succeeded, type TestResponse } from '../send-request.ts'
import { createRequest, listRequest, otherMethod, otherPath, type TestRequest } from '../test-request.ts'
import { createTwice } from './creates.ts'

type Form = Assumptions['error.body']

/** The refusals of requests, apart from creates in a read-only check. A single one is repeated: ids and times differ. */
const refusalsOf = async (client: Client, requests: readonly TestRequest[]): Promise<readonly TestResponse[]> => {
  const refusals: TestResponse[] = []
  let last: TestRequest | undefined
  const send = async (request: TestRequest): Promise<void> => {
    const response = await client.send(request)
    if (!refused(response)) return
    refusals.push(response)
    last = request
  }
  for (const request of requests) if (request.method !== 'POST' || client.canCreate) await send(request)
  if (refusals.length === 1 && last !== undefined) await send(last)
  return refusals
}

/** The form that all refusals share. */
const formOf = (refusals: readonly TestResponse[], jsonType: string): Finding<Form> => {
  const [first] = refusals
  if (first === undefined) return unseen('no invalid request is refused')
  const kinds = [...new Set(refusals.map((refusal) => kindOf(refusal, jsonType)))]
  const types = new Set(refusals.map((refusal) => errorTypeOf(refusal, jsonType)))
  const isJson = refusals.every(({ json }) => isJsonObject(json)) && types.size === 1
  if (kinds.length === 1 && !kinds[0]?.startsWith(jsonObjects)) return known('error.body', kinds[0] ?? '')
  if (!isJson) return other(kinds.join(', or '))
  const merged = templateOf(refusals.map(({ json, status }) => ({ value: json, status })))
  if (merged === undefined) return other(`${jsonObjects} whose fields differ in type`)
  const [type] = types
  const text = first.redact(JSON.stringify(merged))
  if (text.length > maxTemplate) return other(`a body of JSON with over ${maxTemplate} characters`)
  return known(
    'error.body',
    type === undefined ? text : `${type} ${text}`,
    `JSON as ${type || 'no media type'}: ${text}`,
  )
}

/** JSON objects that have no value of their own, and become a template. */
const jsonObjects = 'JSON objects'
const maxTemplate = 1_000

/** A value of `error.body` without a parameter, `JSON objects`, or the media type. */
const kindOf = (response: TestResponse, jsonType: string): string => {
  const { text, json: body } = response
  const type = response.headers.get('content-type') ?? ''
  if (text === '') return 'empty'
  if (mediaType(type) === 'text/plain') return 'text'
  if (mediaType(type) === 'text/html') return 'html'
  if (!isJsonObject(body)) return type === '' ? 'a body without a Content-Type' : type
  if (mediaType(type) === 'application/problem+json' && isProblem(body)) return 'problem'
  const errorType = errorTypeOf(response, jsonType)
  if (errorType !== undefined) return `${jsonObjects} as ${errorType || 'no media type'}`
  const isOwnForm =
    Object.keys(body).sort().join() === 'error,message' && /^[a-z]+(?:-[a-z]+)+$/.test(String(body.error))
  return isOwnForm ? 'json' : jsonObjects
}

/** Whether a body has the members of the mock's problem documents, and no other. */
const isProblem = ({ type, title, status, detail, errors = [], ...rest }: Readonly<Record<string, unknown>>): boolean =>
  [type, title, detail].every((text) => typeof text === 'string') &&
  typeof status === 'number' &&
  Array.isArray(errors) &&
  Object.keys(rest).length === 0

const mediaType = (type: string): string => (type.split(';', 1)[0] ?? '').trim().toLowerCase()

/** The Content-Type of a refusal in one form; `undefined` for that of other JSON responses, whatever the charset. */
const errorTypeOf = ({ headers }: TestResponse, jsonType: string): string | undefined => {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').split(';').map((part) => part.trim())
  const isUsual = type.toLowerCase() === jsonType && parameters.every((parameter) => /^charset=/i.test(parameter))
  return isUsual ? undefined : [type.toLowerCase(), ...parameters].join('; ')
}

/** The media type that a mock sends with JSON. */
const jsonTypeIn = ({ findings }: CheckContext): string => {
  const found = String(valueIn(findings.get('json.contentType')) ?? 'bare')
  return found.startsWith('application/') ? mediaType(found) : 'application/json'
}

/** Bodies that are not JSON. */
const malformed = '{"name":"x"'
const alsoMalformed = '{"tag":}'

export const findBody: Find<Form> = async (context) => {
  const { client, samples } = context
  const refusals = await refusalsOf(client, [
    listRequest('?limit=abc'),
    listRequest('?limit=-1'),
    createRequest(samples.invalidBody()),
  ])
  return partial(formOf(refusals, jsonTypeIn(context)), client.canCreate ? undefined : 'lists')
}

/** The form of these refusals; `same` if that is the one of `error.body`. */
const ownFormOf = async (context: CheckContext, refusals: readonly TestResponse[]): Promise<Finding<OwnForm>> => {
  const found = formOf(refusals, jsonTypeIn(context))
  if (typeof found === 'object') return found
  const rest = context.findings.get('error.body') ?? (await findBody(context))
  // Creates stopped before that form was seen, so it may be the same.
  if (context.client.createsStopped !== undefined && typeof rest === 'object' && 'unseen' in rest) return rest
  return found === valueIn(rest) ? 'same' : found
}

type OwnForm = Assumptions['error.authBody']

/** A gateway in front of the service often checks the tokens. */
export const findAuthBody: Find<OwnForm> = async (context) =>
  ownFormOf(
    context,
    await refusalsOf(context.client, [
      listRequest('?limit=1', 'anonymous'),
      listRequest('?limit=1', 'unknown'),
      listRequest('?limit=1', 'anonymous', { authorization: 'Basic eDp5' }),
    ]),
  )

/** The parser of a framework often writes these bodies. */
export const findSyntaxBody: Find<OwnForm> = async (context) =>
  ownFormOf(context, await refusalsOf(context.client, [createRequest(malformed), createRequest(alsoMalformed)]))

/** The router of a framework often writes these bodies. */
export const findPathBody: Find<OwnForm> = async (context) =>
  ownFormOf(context, await refusalsOf(context.client, [otherPath('caller'), otherMethod('caller')]))

export const findDuplicateBody: Find<OwnForm> = async (context) => {
  const { first, response } = await createTwice(context)
  if (!refused(response)) return unseen('a second create with the same id is not refused')
  const third = createRequest({ ...context.samples.newPlant(), id: first.id })
  return ownFormOf(context, [response, ...(await refusalsOf(context.client, [third]))])
}

/** The status of refusals, apart from those of a body that is not JSON. */
export const findInvalidStatus: Find<Assumptions['error.invalidStatus']> = async ({ client, samples }) => {
  const refusals: string[] = []
  const statuses = new Set<number>()
  for (const [input, request] of [
    ['wrong types', createRequest(samples.invalidBody())],
    [badLimit, listRequest('?limit=abc')],
  ] as const) {
    if (request.method === 'POST' && !client.canCreate) continue
    const response = await client.send(request)
    if (!refused(response)) continue
    statuses.add(response.status)
    refusals.push(`${input}: ${response.status}`)
  }
  const [status] = statuses
  if (status === undefined) return unseen('no invalid request is refused')
  const found = statuses.size > 1 ? other(refusals.join('; ')) : known('error.invalidStatus', status)
  return partial(found, client.canCreate ? undefined : badLimit)
}

const badLimit = 'a bad limit'

export const findSyntaxStatus: Find<Assumptions['error.syntaxStatus']> = async (context) => {
  const response = await context.client.send(createRequest(malformed))
  if (succeeded(response)) return other('it succeeds')
  if (!refused(response)) return otherStatus(response)
  const meaning = context.findings.get('error.invalidStatus') ?? (await findInvalidStatus(context))
  return valueIn(meaning) === response.status ? 'same' : known('error.syntaxStatus', response.status)
}
