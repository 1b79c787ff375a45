import type { AssumptionId, Assumptions, AssumptionValue } from '../assumptions/registry.ts'
import { isJsonObject } from '../util/json.ts'
import { InconclusiveError } from './client.ts'
import { agreement, type Find, findInRefusals, other, otherStatus, outcomeOf, statusOf, unseen } from './finding.ts'
import { findDuplicateId, findMaxBodySize, findRequired, findVisibility } from './probes/creates.ts'
import { findDefaultLimit, findInvalidLimit, findMaxLimit, findOrder, findZeroLimit } from './probes/lists.ts'
import { requireCreated } from './sample-plants.ts'
import { succeeded, type TestResponse } from './send-request.ts'
import { createRequest, listRequest } from './test-request.ts'

type IsUnion<T, All = T> = true extends (T extends unknown ? ([All] extends [T] ? false : true) : never) ? true : false

/** The assumptions that have alternatives. */
type VariableId = { [Id in AssumptionId]: IsUnion<Assumptions[Id]> extends true ? Id : never }[AssumptionId]

/** A service may use another status for a list, even though the registry has no alternative. */
type ProbedId = VariableId | 'list.status'

/** A refused list shows something only where a valid list succeeds. */
const ifListsSucceed =
  <Value extends AssumptionValue>(find: Find<Value>): Find<Value> =>
  async (context) =>
    succeeded(await context.client.send(listRequest('?limit=1'))) ? find(context) : unseen('no list succeeds')

/** A refused create shows something only where a valid create succeeds. */
const ifCreatesSucceed =
  <Value extends AssumptionValue>(find: Find<Value>): Find<Value> =>
  async (context) => {
    requireCreated(await context.samples.first())
    return find(context)
  }

/** A value of `error.body`, or the media type with the names of the fields. */
const bodyFormatOf = ({ headers, text, json, redact }: TestResponse) => {
  const type = headers.get('content-type') ?? ''
  if (text === '') return 'empty'
  if (type.startsWith('application/problem+json')) return 'problem'
  if (isJsonObject(json) && Object.keys(json).sort().join() === 'error,message') return 'json'
  if (type.startsWith('text/plain')) return 'text'
  const fields = isJsonObject(json) ? ` with ${Object.keys(json).join(', ')}` : ''
  return other(`${type || 'no Content-Type'}${redact(fields)}`)
}

const invalidStatusOf = ({ status }: TestResponse) =>
  ([400, 422] as const).find((known) => known === status) ?? other(String(status))

/** How often a request of `caller` must have been sent before a rate limit of one in ten shows for certain. */
const minRequestsForRate = 20

/**
 * The probes, in the order in which they run (the order of insertion, since no id is an integer): those that need many
 * plants come last. An assumption that gets an alternative does not compile without a probe.
 */
export const probes: { readonly [Id in ProbedId]: Find<Assumptions[Id]> } = {
  'list.status': async ({ client }) => statusOf(await client.send(listRequest('?limit=1')), 200),
  'json.contentType': async ({ client }) => {
    const response = await client.send(listRequest('?limit=1'))
    if (!succeeded(response)) return unseen('no list succeeds')
    const type = response.headers.get('content-type') ?? 'missing'
    if (type === 'application/json') return 'bare'
    return /^application\/json; ?charset="?utf-8"?$/i.test(type) ? 'charset' : other(`it is ${type}`)
  },
  'auth.status': async ({ client }) => statusOf(await client.send(listRequest('?limit=1', 'anonymous')), 401, 403),
  'auth.tokens': ifListsSucceed(async ({ client }) =>
    outcomeOf(await client.send(listRequest('?limit=1', 'unknown')), 'any', 'listed'),
  ),
  // Two kinds of failure, because a gateway in front of the service often checks the tokens.
  'error.body': ({ client }) =>
    findInRefusals(client, bodyFormatOf, [
      ['without a token', listRequest('?limit=1', 'anonymous')],
      ['for a bad limit', listRequest('?limit=abc')],
    ]),
  'error.invalidStatus': ({ client, samples }) =>
    findInRefusals(client, invalidStatusOf, [
      ['wrong types', createRequest(samples.invalidBody())],
      ['half an object', createRequest('{"name":"x"')],
      ['a bad limit', listRequest('?limit=abc')],
    ]),
  // PROPFIND is safe (RFC 4918, 9.1); PUT, PATCH or DELETE might change something.
  'operation.other': async ({ client }) =>
    statusOf(await client.send({ ...listRequest(), method: 'PROPFIND' }), 405, 404),
  'body.maxSize': findMaxBodySize,
  'list.zeroLimit': ifListsSucceed(findZeroLimit),
  'create.status': async ({ samples }) => statusOf(await samples.first(), 201, 200),
  'json.keyOrder': async ({ samples }) => {
    const creation = await samples.first()
    const keys = isJsonObject(creation.json) ? Object.keys(creation.json) : []
    const [name, tag] = [keys.indexOf('name'), keys.indexOf('tag')]
    if (!succeeded(creation) || name === -1 || tag === -1) return unseen('no create response has both keys')
    return name < tag ? 'name-tag' : 'tag-name'
  },
  'create.contentType': ifCreatesSucceed(async ({ client, samples }) => {
    const response = await client.send(createRequest(samples.newPlant(), { headers: {} }))
    if (succeeded(response)) return 'ignore'
    return response.status === 415 ? 'require' : otherStatus(response)
  }),
  'create.unknownFields': ifCreatesSucceed(async ({ client, samples }) =>
    outcomeOf(await client.send(createRequest({ ...samples.newPlant(), colour: 'green' })), 'ignore', 'reject'),
  ),
  'create.emptyStrings': ifCreatesSucceed(async ({ client, samples }) => {
    const tag = await client.send(createRequest({ ...samples.newPlant(), tag: '' }))
    const name = await client.send(createRequest({ ...samples.newPlant(), name: '' }))
    return agreement([
      ['an empty tag', outcomeOf(tag, 'accept', 'reject')],
      ['an empty name', outcomeOf(name, 'accept', 'reject')],
    ])
  }),
  'create.required': ifCreatesSucceed(findRequired),
  'create.visibility': findVisibility,
  'create.duplicateId': findDuplicateId,
  'list.order': findOrder,
  'list.invalidLimit': ifListsSucceed(findInvalidLimit),
  'list.maxLimit': ifListsSucceed(findMaxLimit),
  'list.defaultLimit': findDefaultLimit,
  // Counts the requests of the whole check, and sends only those that are missing.
  'rate.limit': async ({ client }) => {
    const { rateLimited } = client
    try {
      while (rateLimited.length < minRequestsForRate) await client.send(listRequest('?limit=1'))
    } catch (error) {
      if (!(error instanceof InconclusiveError && rateLimited.includes(true))) throw error
    }
    const numbers = rateLimited.flatMap((isLimited, i) => (isLimited ? [i + 1] : []))
    const [first] = numbers
    if (first === undefined) return 'none'
    const isEveryTenth = first <= 10 && numbers.every((number, i) => number === first + 10 * i)
    return isEveryTenth ? 'every-tenth' : other(`${numbers.length} of ${rateLimited.length} requests got 429`)
  },
}
