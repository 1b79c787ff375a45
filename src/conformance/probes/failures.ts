import type { Assumptions } from '../../assumptions/registry.ts'
import { isJsonObject } from '../../util/json.ts'
import { agreement, type Find, type Observation, unseen } from '../finding.ts'
import { refused, succeeded, type TestResponse } from '../send-request.ts'
import { createRequest, listRequest } from '../test-request.ts'

/** Two kinds of failure, because a gateway in front of the service often checks the tokens. */
export const findErrorBody: Find<Assumptions['error.body']> = async ({ client }) => {
  const failures = [
    ['without a token', await client.send(listRequest('?limit=1', 'anonymous'))],
    ['for a bad limit', await client.send(listRequest('?limit=abc'))],
  ] as const
  const observations = failures
    .filter(([, response]) => refused(response))
    .map(([input, response]): Observation => [input, formatOf(response)])
  if (observations.length === 0) return unseen('no invalid request is refused')
  return agreement(observations, 'problem', 'json', 'text', 'empty')
}

/** A value of `error.body`, or the media type with the names of the fields. */
const formatOf = ({ headers, text, json, redact }: TestResponse): string => {
  const type = headers.get('content-type') ?? ''
  if (text === '') return 'empty'
  if (type.startsWith('application/problem+json')) return 'problem'
  if (isJsonObject(json) && Object.keys(json).sort().join() === 'error,message') return 'json'
  if (type.startsWith('text/plain')) return 'text'
  const fields = isJsonObject(json) ? ` with ${Object.keys(json).join(', ')}` : ''
  return `${type || 'no Content-Type'}${redact(fields)}`
}

export const findInvalidStatus: Find<Assumptions['error.invalidStatus']> = async ({ client, samples }) => {
  const requests = [
    ['wrong types', createRequest(samples.invalidBody())],
    ['half an object', createRequest('{"name":"x"')],
    ['a bad limit', listRequest('?limit=abc')],
  ] as const
  const observations: Observation[] = []
  for (const [input, request] of requests) {
    if (request.method === 'POST' && !client.canCreate) continue
    const response = await client.send(request)
    if (refused(response)) observations.push([input, response.status])
  }
  return observations.length === 0 ? unseen('no invalid request is refused') : agreement(observations, 400, 422)
}

/** Smallest first, in bytes. */
const bodySizes = [
  [16 * 1024, '16KiB'],
  [1024 * 1024, '1MiB'],
] as const satisfies readonly (readonly [number, Assumptions['body.maxSize']])[]

/** The bodies have wrong types, so that a service refuses them at any size and creates nothing. */
export const findMaxBodySize: Find<Assumptions['body.maxSize']> = async ({ client, samples }) => {
  const send = (size: number) => {
    const body = { ...samples.invalidBody(), padding: '' }
    return client.send(createRequest({ ...body, padding: 'x'.repeat(size - JSON.stringify(body).length) }))
  }
  let accepted = ''
  for (const [size, value] of bodySizes) {
    const tooLarge = await send(size + 1)
    if (succeeded(tooLarge)) return unseen('a create with wrong types is accepted, so no larger one was sent')
    if (tooLarge.status === 413)
      return (await send(size)).status === 413 ? { other: `under ${value}${accepted}` } : { value }
    accepted = `, over ${value}`
  }
  return { other: 'a body over 1 MiB is not refused with 413' }
}
