import type { Assumptions } from '../../../core/assumptions/registry.ts'
import { namedTemplates } from '../../../core/assumptions/template.ts'
import { type ProblemType, problemUri } from '../../../core/contract/problems.ts'
import { isJsonLikeType } from '../../../core/http/media-type.ts'
import { isJsonObject } from '../../../util/json.ts'
import { templateOf } from '../../read/failure-form.ts'
import { maxFailureText, textTemplateOf } from '../../read/failure-text.ts'
import { known, other, otherStatus, type ProbeFinding, partial, unseen, valueIn } from '../../read/finding.ts'
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

/** The form that all refusals share. `isVaried` says whether the refused requests differ. */
export const formOf = (refusals: readonly TestResponse[], jsonType: string, isVaried?: boolean): ProbeFinding<Form> => {
  const [first] = refusals
  if (first === undefined) return unseen('no invalid request is refused')
  const kinds = groupBy(refusals, (refusal) => kindOf(refusal, jsonType))
  const [kind = '', ...otherKinds] = kinds.keys()
  if (otherKinds.length > 0) return other([...kinds.keys()].join(', or '), nearestIn(kinds, jsonType))
  if (!kind.startsWith(jsonObjects) && (!kind.includes('/') || isJsonLikeType(kind))) return known('error.body', kind)
  const size = Math.max(...refusals.map(({ text }) => text.length))
  if (size > maxFailureText) return other(`${kind} of ${size} characters, more than ${maxFailureText}`)
  return kind.startsWith(jsonObjects)
    ? jsonFormOf(refusals, jsonType)
    : textFormOf(refusals, kind, isVaried ?? areVaried(refusals))
}

const groupBy = (
  refusals: readonly TestResponse[],
  keyOf: (refusal: TestResponse) => string,
): ReadonlyMap<string, readonly TestResponse[]> => {
  const groups = new Map<string, TestResponse[]>()
  for (const refusal of refusals) groups.set(keyOf(refusal), [...(groups.get(keyOf(refusal)) ?? []), refusal])
  return groups
}

/** The form of the largest group. */
const nearestIn = (groups: ReadonlyMap<string, readonly TestResponse[]>, jsonType: string) => {
  const [largest = []] = [...groups.values()].toSorted((a, b) => b.length - a.length)
  return groups.size > 1 ? valueIn(formOf(largest, jsonType)) : undefined
}

/** The members of a JSON value, with their types. */
const shapeOf = (json: unknown): string => {
  if (Array.isArray(json)) return `[${json.slice(0, 1).map(shapeOf)}]`
  if (!isJsonObject(json)) return json === null ? 'null' : typeof json
  return `{${Object.keys(json)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${shapeOf(json[key])}`)}}`
}

/** An object that matches no registered value becomes a template. */
const jsonFormOf = (refusals: readonly TestResponse[], jsonType: string): ProbeFinding<Form> => {
  const merged = templateOf(refusals.map(({ json, ...refusal }) => ({ ...refusal, value: json })))
  const members = new Set(refusals.map(({ json, redact }) => redact(Object.keys(json as object).join('+'))))
  if (merged === undefined) {
    const nearest = nearestIn(
      groupBy(refusals, ({ json }) => shapeOf(json)),
      jsonType,
    )
    return other(`${jsonObjects} whose fields differ in presence or type: ${[...members].join(' beside ')}`, nearest)
  }
  return templateIn(refusals, errorTypeOf(refusals[0] as TestResponse, jsonType), merged)
}

const textFormOf = (refusals: readonly TestResponse[], type: string, isVaried: boolean): ProbeFinding<Form> => {
  // A template cannot repeat bytes in an encoding other than UTF-8.
  const isText = refusals.every(({ text }) => !text.includes('\ufffd'))
  const merged = isText ? textTemplateOf(refusals, type, isVaried) : undefined
  if (merged === undefined) return other(`${type} that differs in more than status, title and detail`)
  return templateIn(refusals, type, merged)
}

const areVaried = (refusals: readonly TestResponse[]): boolean => new Set(refusals.map(({ curl }) => curl)).size > 1

const templateIn = (
  [first]: readonly TestResponse[],
  type: string | undefined,
  merged: unknown,
): ProbeFinding<Form> => {
  const json = first?.redact(JSON.stringify(merged)) ?? ''
  if (json.length > maxTemplate) return other(`a body with over ${maxTemplate} characters`)
  const text = type === undefined ? json : `${type} ${json}`
  const [named = text] = Object.entries(namedTemplates).find(([, template]) => template === text) ?? []
  return known('error.body', named, `${type ?? 'JSON'}: ${json}`)
}

const jsonObjects = 'JSON objects'
/** The maximum length of a template, in characters. */
const maxTemplate = 4_000
/** The kind of a refusal: a value of `error.body` without parameters, `JSON objects`, or the media type. */
const kindOf = (response: TestResponse, jsonType: string): string => {
  const { text, json: body } = response
  const type = response.headers.get('content-type') ?? ''
  if (text === '') return 'empty'
  if (!type.includes('/')) return type === '' ? 'a body without a Content-Type' : `the Content-Type ${type}`
  if (!isJsonObject(body)) return type
  if (type === 'application/problem+json' && isOwnProblem(body)) return 'problem'
  const errorType = errorTypeOf(response, jsonType)
  if (errorType !== undefined) return `${jsonObjects} as ${errorType}`
  const isOwnForm =
    Object.keys(body).sort().join() === 'error,message' && /^[a-z]+(?:-[a-z]+)+$/.test(String(body.error))
  return isOwnForm ? 'json' : jsonObjects
}

const isOwnProblem = ({ type }: Readonly<Record<string, unknown>>): boolean =>
  typeof type === 'string' && type.startsWith(problemUri('' as ProblemType))

/** The Content-Type of a refusal; `undefined` if it equals the type of other JSON responses, ignoring the charset. */
const errorTypeOf = ({ headers }: TestResponse, jsonType: string): string | undefined => {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').split(';').map((part) => part.trim())
  const isUsual = type.toLowerCase() === jsonType && parameters.every((parameter) => /^charset=/i.test(parameter))
  return isUsual ? undefined : [type, ...parameters].join('; ')
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
