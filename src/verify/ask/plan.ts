import { type AssumptionId, type Assumptions, maxBodySize } from '../../core/assumptions/registry.ts'
import type { NewPlant } from '../../core/contract/schemas.ts'
import { entryOf } from '../read/finding.ts'
import { refused, succeeded } from '../read/response.ts'
import {
  createRequest,
  deleteRequest,
  listRequest,
  otherMethod,
  otherPath,
  type TestRequest,
} from '../read/test-request.ts'
import { createOfSize, createTwice, findDuplicateId, findMaxBodySize, findVisibility } from './create-probes.ts'
import { findDefaultLimit, findMaxLimit, findOtherMethods, findRateLimit, sendOrder } from './list-probes.ts'
import { requireCreated } from './sample-creates.ts'
import type { CheckContext, PlanRow, Probe } from './sample-plants.ts'
import { InconclusiveError } from './send-request.ts'

type IsUnion<T, All = T> = true extends (T extends unknown ? ([All] extends [T] ? false : true) : never) ? true : false

type VariableId = { [Id in AssumptionId]: IsUnion<Assumptions[Id]> extends true ? Id : never }[AssumptionId]

type PlannedId = VariableId | 'list.status'

type Make = (context: CheckContext) => TestRequest

const requests =
  (...all: readonly (TestRequest | Make)[]): PlanRow =>
  async (context) => {
    // Copies the request, because two exchanges with the same request object count as a retry.
    for (const one of all) await context.client.send(typeof one === 'function' ? one(context) : { ...one })
  }

const lists = (...queries: readonly string[]): PlanRow => requests(...queries.map((query) => listRequest(query)))

const createOne: PlanRow = async ({ samples }) => {
  requireCreated(await samples.first())
}

const changed =
  (...changes: readonly ((plant: NewPlant) => object)[]): PlanRow =>
  async (context) => {
    await createOne(context)
    for (const change of changes) await context.samples.tryChanged(change)
  }

const shown =
  (change: (plant: NewPlant) => object): PlanRow =>
  async ({ samples }) => {
    requireCreated(await samples.first())
    const creation = await samples.tryChanged(change)
    if (succeeded(creation)) await samples.listUntil(creation.plant)
  }

const without =
  (field: keyof NewPlant) =>
  (plant: NewPlant): object => ({ ...plant, [field]: undefined })

const withoutToken = listRequest('?limit=1', 'anonymous')
const madeUp = listRequest('?limit=1', 'unknown')
const withAuthorization = (authorization: string) => listRequest('?limit=1', 'anonymous', { authorization })
const basic = withAuthorization('Basic eDp5')

const textsReadAsTwo = ['2abc', '2.0', '2.9', '+2', ' 2', '2 ', '2e0', '0x2']

const malformed = createRequest('{"name":"x"')
const wrongTypes: Make = ({ samples }) => createRequest(samples.invalidBody())

/** Sends several requests: some services check tokens only for creates, others accept every token without `-`. */
const sendTokens: Probe<Assumptions['auth.tokens'], undefined> = async (context) => {
  const { client } = context
  const isRefused = refused(await client.send(madeUp))
  if (!isRefused && !client.canCreate) return { value: 'any', evidence: 'lists' }
  if (isRefused) await client.send(withAuthorization('Bearer plant_mock_check'))
  else await requests((context) => ({ ...wrongTypes(context), as: 'unknown' }), wrongTypes)(context)
  return undefined
}

/** Sends malformed JSON, a large body and another media type, because body parsers have their own error formats. */
const sendSyntax: PlanRow = async (context) => {
  const { client, samples, findings } = context
  await createOne(context)
  await client.send(malformed)
  await client.send(createRequest('{"tag":}'))
  const max = findings.get('body.maxSize')?.value as Assumptions['body.maxSize'] | undefined
  if (max !== undefined && max !== 'none')
    await client.send(createOfSize(samples, maxBodySize({ 'body.maxSize': max }) + 1))
  await client.send(createRequest(samples.invalidBody(), { headers: { 'content-type': 'application/xml' } }))
}

const sendDuplicates: PlanRow = async (context) => {
  const { client, samples } = context
  const { first, response } = await createTwice(context)
  if (refused(response)) await client.send(createRequest({ ...samples.newPlant(), id: first.id }))
}

/** Throws if the service accepts a repeated id, because a DELETE could then remove somebody else's plant. */
const deleteListed = async (context: CheckContext): Promise<TestRequest> => {
  const { samples, findings } = context
  requireCreated(await samples.first())
  const onDuplicate = entryOf(findings.get('create.duplicateId') ?? (await findDuplicateId(context))).value
  if (onDuplicate === undefined || onDuplicate === 'accept')
    throw new InconclusiveError('the service may ignore ids, so no plant is deleted')
  // A service may not find a plant that its lists do not show yet.
  const list = await samples.list()
  const plant = samples.created.findLast((one) => samples.shows(list, one)) ?? samples.created.at(-1)
  if (plant === undefined) throw new InconclusiveError('no plant was created')
  return deleteRequest(plant.id)
}

/** Steps that delete plants. They run last, because the other steps expect their plants in lists. */
export const finalPlan = {
  'operation.delete': async (context) => requests(await deleteListed(context))(context),
  'delete.missingStatus': async (context) => {
    const request = await deleteListed(context)
    if (succeeded(await context.client.send(request))) await requests(request)(context)
  },
} satisfies Partial<Record<AssumptionId, PlanRow>>

export const plan: {
  readonly [Id in Exclude<PlannedId, keyof typeof finalPlan>]: PlanRow | Probe<Assumptions[Id], undefined>
} = {
  'list.status': lists('?limit=1'),
  'json.contentType': lists('?limit=1'),
  'auth.status': requests(withoutToken),
  'auth.tokens': sendTokens,
  'auth.unknownStatus': requests(madeUp),
  'auth.malformedStatus': requests(basic, withAuthorization('Bearer'), withAuthorization('Bearer @')),
  'error.body': requests(wrongTypes, ({ samples }) => {
    const body = samples.invalidBody()
    return createRequest({ ...body, name: body.tag })
  }),
  'error.authBody': requests(withoutToken, madeUp, basic),
  'error.limitBody': lists('?limit=abc', '?limit=-1'),
  'error.invalidStatus': requests(wrongTypes, ({ samples }) => createRequest({ tag: samples.invalidBody().tag })),
  'error.limitStatus': lists('?limit=abc', '?limit=-1', '?limit=1000000000'),
  'error.syntaxStatus': requests(malformed),
  'operation.other': findOtherMethods,
  'body.maxSize': findMaxBodySize,
  'list.zeroLimit': async ({ client, samples }) => {
    if (client.canCreate) await samples.listUntil((await samples.first()).plant)
    await client.send(listRequest('?limit=0'))
    await client.send(listRequest())
  },
  'create.status': createOne,
  'json.keyOrder': createOne,
  // Some services read a body without Content-Type as JSON, but refuse other media types.
  'create.contentType': async (context) => {
    await createOne(context)
    for (const headers of [{}, { 'content-type': 'text/plain' }])
      await context.samples.tryChanged((plant) => plant, { headers })
  },
  'error.syntaxBody': sendSyntax,
  'create.idRange': async () => {
    throw new InconclusiveError('the check creates only ids of the range that it announces')
  },
  'create.unknownFields': changed((plant) => ({ ...plant, colour: 'green' })),
  'create.emptyStrings': changed(
    (plant) => ({ ...plant, name: '' }),
    (plant) => ({ ...plant, tag: '' }),
  ),
  'create.required': changed(without('name'), without('id'), without('tag')),
  'create.missingTag': shown(without('tag')),
  'create.nullTag': shown((plant) => ({ ...plant, tag: null })),
  'create.visibility': findVisibility,
  'create.duplicateId': findDuplicateId,
  'create.duplicateStatus': sendDuplicates,
  'error.duplicateBody': sendDuplicates,
  'list.order': sendOrder,
  'list.limitFormat': lists('', ...textsReadAsTwo.map((text) => `?limit=${encodeURIComponent(text)}`)),
  'list.invalidLimit': lists('', '?limit=-1', '?limit=abc', '?limit=1.5', ''),
  'list.repeatedLimit': lists('?limit=1&limit=2', ''),
  'list.maxLimit': findMaxLimit,
  'list.defaultLimit': findDefaultLimit,
  'rate.limit': findRateLimit,
  // `auth.scheme` and later rows follow `rate.limit`, because a rate limit may not count requests with unusual tokens.
  'auth.scheme': requests({ ...listRequest('?limit=1'), scheme: 'bearer' }, basic),
  'auth.scope': requests(
    withoutToken,
    ...[otherMethod, otherPath].flatMap((request) => [request('anonymous'), request('caller')]),
  ),
  'error.pathBody': requests(otherPath('caller'), otherMethod('caller')),
}
