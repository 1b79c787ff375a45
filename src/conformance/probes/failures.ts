import type { Assumptions } from '../../assumptions/registry.ts'
import { isReasonPhrase } from '../../http/status.ts'
import { isJsonObject } from '../../util/json.ts'
import type { Client } from '../client.ts'
import { type Find, type Finding, known, other, otherStatus, unseen } from '../finding.ts'
import type { CheckContext } from '../sample-plants.ts'
import { refused, succeeded, type TestResponse } from '../send-request.ts'
import { createRequest, listRequest, otherMethod, otherPath, type TestRequest } from '../test-request.ts'
import { createTwice } from './creates.ts'

type Form = Assumptions['error.body']

/** The refusals of requests, apart from creates in a read-only check. */
const refusalsOf = async (client: Client, requests: readonly TestRequest[]): Promise<readonly TestResponse[]> => {
  const refusals: TestResponse[] = []
  for (const request of requests) {
    if (request.method === 'POST' && !client.canCreate) continue
    const response = await client.send(request)
    if (refused(response)) refusals.push(response)
  }
  return refusals
}

/** The form that all refusals share. */
const formOf = (refusals: readonly TestResponse[]): Finding<Form> => {
  const [first] = refusals
  if (first === undefined) return unseen('no invalid request is refused')
  const forms = [...new Set(refusals.map(kindOf))]
  if (forms.length > 1) return other(forms.join(', or '))
  const [form = ''] = forms
  if (form !== json) return known('error.body', form)
  const merged = merge(refusals.map(({ json, status }) => ({ value: json, status })))
  if (merged === undefined) return other('JSON objects whose fields differ in type')
  const template = JSON.stringify(merged)
  return template.length > maxTemplate
    ? other(`a body of JSON with over ${maxTemplate} characters`)
    : known('error.body', first.redact(template))
}

/** JSON objects that have no value of their own, and become a template. */
const json = 'JSON objects'
const maxTemplate = 1_000

/** A value of `error.body` without a parameter, `json`, or the media type. */
const kindOf = ({ headers, text, json: body }: TestResponse): string => {
  const type = headers.get('content-type') ?? ''
  if (text === '') return 'empty'
  if (type.startsWith('application/problem+json')) return 'problem'
  if (type.startsWith('text/plain')) return 'text'
  if (type.startsWith('text/html')) return 'html'
  if (!isJsonObject(body)) return type === '' ? 'a body without a Content-Type' : type
  const isOwnForm =
    Object.keys(body).sort().join() === 'error,message' && /^[a-z]+(?:-[a-z]+)+$/.test(String(body.error))
  return isOwnForm ? 'json' : json
}

type Sample = { readonly value: unknown; readonly status: number }

/** Text that differs from request to request, such as a time or an id. */
const volatile = /^\d{4}-\d\d-\d\d[T ]\d\d:|^[0-9a-f]{8}-[0-9a-f]{4}-|^[0-9A-Za-z_-]{20,}$/

/**
 * The template of which all samples are instances: what they share, with placeholders for the rest; `undefined` when
 * they differ in type. A sample that is null has no type.
 */
const merge = (all: readonly Sample[]): unknown => {
  const samples = all.filter(({ value }) => value !== null)
  const [first] = samples
  if (first === undefined) return null
  if (samples.every(({ value, status }) => value === status)) return '{status}'
  if (samples.every(({ value }) => typeof value === 'string')) return mergeTexts(samples)
  if (samples.every(({ value }) => isJsonObject(value))) return mergeObjects(samples)
  if (samples.every(({ value }) => Array.isArray(value))) return mergeArrays(samples)
  if (!samples.every(({ value }) => typeof value === typeof first.value)) return undefined
  const isConstant = samples.every(({ value }) => value === first.value) && Number(first.value) < minTimestamp
  return isConstant ? first.value : typeof first.value === 'number' ? 0 : null
}

/** Seconds since 1970; a larger number may be the time. */
const minTimestamp = 1e9

const mergeTexts = (samples: readonly Sample[]): string => {
  if (samples.every(({ value, status }) => isReasonPhrase(value, status))) return '{title}'
  const texts = new Set(samples.map(({ value }) => String(value)))
  const [text = ''] = texts
  return texts.size > 1 || volatile.test(text) || text.includes(' ') ? '{detail}' : text
}

const mergeObjects = (samples: readonly Sample[]): object | undefined => {
  const objects = samples.map(({ value }) => value as Readonly<Record<string, unknown>>)
  const keys = Object.keys(objects[0] ?? {}).filter((key) => objects.every((object) => Object.hasOwn(object, key)))
  const entries = keys.map((key) => [
    key,
    merge(objects.map((object, i) => ({ value: object[key], status: samples[i]?.status ?? 0 }))),
  ])
  return entries.some(([, merged]) => merged === undefined) ? undefined : Object.fromEntries(entries)
}

const mergeArrays = (samples: readonly Sample[]): readonly unknown[] | undefined => {
  const elements = samples.flatMap(({ value, status }) =>
    (value as readonly unknown[]).slice(0, 1).map((element) => ({ value: element, status })),
  )
  if (elements.length === 0) return []
  const merged = merge(elements)
  return merged === undefined ? undefined : [merged]
}

/** Bodies that are not JSON. */
const malformed = '{"name":"x"'
const alsoMalformed = '{"tag":}'

export const findBody: Find<Form> = async ({ client, samples }) =>
  formOf(
    await refusalsOf(client, [
      listRequest('?limit=abc'),
      listRequest('?limit=-1'),
      createRequest(samples.invalidBody()),
    ]),
  )

/** The form of these refusals; `same` if that is the one of `error.body`. */
const ownFormOf = async (context: CheckContext, refusals: readonly TestResponse[]): Promise<Finding<OwnForm>> => {
  const found = formOf(refusals)
  if (typeof found === 'object') return found
  const rest = context.findings.get('error.body') ?? (await findBody(context))
  // Creates stopped before that form was seen, so it may be the same.
  if (context.client.createsStopped !== undefined && typeof rest === 'object' && 'unseen' in rest) return rest
  return found === rest ? 'same' : found
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
    ['a bad limit', listRequest('?limit=abc')],
  ] as const) {
    const [refusal] = await refusalsOf(client, [request])
    if (refusal === undefined) continue
    statuses.add(refusal.status)
    refusals.push(`${input}: ${refusal.status}`)
  }
  const [status] = statuses
  if (status === undefined) return unseen('no invalid request is refused')
  return statuses.size > 1 ? other(refusals.join('; ')) : known('error.invalidStatus', status)
}

export const findSyntaxStatus: Find<Assumptions['error.syntaxStatus']> = async (context) => {
  const response = await context.client.send(createRequest(malformed))
  if (succeeded(response)) return other('it succeeds')
  if (!refused(response)) return otherStatus(response)
  const meaning = context.findings.get('error.invalidStatus') ?? (await findInvalidStatus(context))
  return meaning === response.status ? 'same' : known('error.syntaxStatus', response.status)
}
