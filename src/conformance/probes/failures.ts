import type { Assumptions } from '../../assumptions/registry.ts'
import { isJsonObject } from '../../util/json.ts'
import { type Find, findInRefusals, other, unseen } from '../finding.ts'
import { succeeded, type TestResponse } from '../send-request.ts'
import { createRequest, listRequest } from '../test-request.ts'

/** Two kinds of failure, because a gateway in front of the service often checks the tokens. */
export const findErrorBody: Find<Assumptions['error.body']> = ({ client }) =>
  findInRefusals(
    client,
    [
      ['without a token', listRequest('?limit=1', 'anonymous')],
      ['for a bad limit', listRequest('?limit=abc')],
    ],
    formatOf,
  )

/** A value of `error.body`, or the media type with the names of the fields. */
const formatOf = ({ headers, text, json, redact }: TestResponse) => {
  const type = headers.get('content-type') ?? ''
  if (text === '') return 'empty'
  if (type.startsWith('application/problem+json')) return 'problem'
  if (isJsonObject(json) && Object.keys(json).sort().join() === 'error,message') return 'json'
  if (type.startsWith('text/plain')) return 'text'
  const fields = isJsonObject(json) ? ` with ${Object.keys(json).join(', ')}` : ''
  return other(`${type || 'no Content-Type'}${redact(fields)}`)
}

export const findInvalidStatus: Find<Assumptions['error.invalidStatus']> = ({ client, samples }) =>
  findInRefusals(
    client,
    [
      ['wrong types', createRequest(samples.invalidBody())],
      ['half an object', createRequest('{"name":"x"')],
      ['a bad limit', listRequest('?limit=abc')],
    ],
    ({ status }) => ([400, 422] as const).find((known) => known === status) ?? other(String(status)),
  )

/** Smallest first, in bytes. */
const bodySizes = [
  [16 * 1024, '16KiB'],
  [1024 * 1024, '1MiB'],
] as const

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
    if (tooLarge.status === 413) return (await send(size)).status === 413 ? other(`under ${value}${accepted}`) : value
    accepted = `, over ${value}`
  }
  return other('a body over 1 MiB is not refused with 413')
}
