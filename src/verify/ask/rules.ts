import type { RuleId } from '../../core/contract/rules.ts'
import type { NewPlant } from '../../core/contract/schemas.ts'
import { isRecognisable, lengthOf, refused, succeeded, type TestResponse } from '../read/response.ts'
import { createRequest, isCreate, listRequest, namePrefix, type TestRequest } from '../read/test-request.ts'
import { describe, failed, isNoVerdict, passed, passedIfOk, type RuleVerdict, skipped } from '../read/verdict.ts'
import { type Creation, isAboutPlant, requireCreated } from './sample-creates.ts'
import { requireArray } from './sample-lists.ts'
import type { CheckContext } from './sample-plants.ts'
import { InconclusiveError, insteadOf, NoResponseError } from './send-request.ts'

export const ruleChecks: Readonly<Record<RuleId, (context: CheckContext) => Promise<RuleVerdict>>> = {
  // Sends a limit, because the contract leaves open whether the limit is optional.
  'list.succeeds': async ({ client, first }) => passedIfOk(first ?? (await client.send(listRequest('?limit=1')))),
  async 'list.array'({ samples }) {
    return succeeded(await samples.list()) ? passed : skipped('no list succeeds')
  },
  async 'list.elements'({ client, samples }) {
    const creation = client.canCreate ? await samples.first() : undefined
    const isCreated = creation !== undefined && succeeded(creation)
    const response = isCreated ? await samples.listUntil(creation.plant) : await samples.list()
    return requireArray(response).length === 0 ? skipped('the list is empty') : passed
  },
  async 'list.json'({ client }) {
    const list = await client.send(listRequest('?limit=1'))
    if (!succeeded(list)) return skipped('no list succeeds')
    return list.text === '' ? skipped('the body is empty') : passed
  },
  async 'list.limit'({ client, samples }) {
    if (client.canCreate && lengthOf(await samples.list()) < 3) {
      await samples.create()
      await samples.create()
      await samples.listUntil((await samples.create()).plant)
    }
    const plants = requireArray(await samples.list()).length
    if (plants < 2) return skipped('there are fewer than two plants to list')
    let isLimited = false
    for (const limit of [1, 2, 0]) isLimited = succeeded(await client.send(listRequest(`?limit=${limit}`))) || isLimited
    return isLimited ? passed : skipped('no list with a limit succeeds')
  },
  async 'create.succeeds'({ samples }) {
    const creation = await samples.first()
    if (isAboutPlant(creation)) return skipped(describe(creation))
    if (!succeeded(creation)) return passedIfOk(creation)
    const { creations, crash } = await samples.delicate()
    if (crash !== undefined) return failed(crash, crash.message)
    return passedIfOk(creations.find(({ status }) => status >= 500) ?? creation)
  },
  async 'create.shape'(context) {
    await createdPlants(context)
    return passed
  },
  async 'create.json'({ samples }) {
    return requireCreated(await samples.first()).text === '' ? skipped('the body is empty') : passed
  },
  async 'create.stored'(context) {
    const { client, samples } = context
    const plants = (await createdPlants(context)).map(({ plant }) => plant)
    const lost = await samples.findMissing(plants)
    if (lost !== undefined) return failed(lost.list, `"${lost.label}" is not among the ${lost.length} listed plants`)
    const moved = plants.find((plant) => samples.idOf(plant) === undefined)
    if (moved === undefined) return passed
    const { id } = samples.newPlant()
    if (!succeeded(await client.send(createRequest({ ...moved, id })))) return passed
    const twin = await samples.findMissing([moved], { copies: 2 }).catch(insteadOf(undefined, InconclusiveError))
    return twin
      ? failed(twin.list, 'of two created plants with the same name and tag, the list shows only one')
      : passed
  },
  async 'list.access'({ client, samples }) {
    const { plant } = requireCreated(await samples.first())
    const label = samples.labelOf(plant)
    const own = await samples.listUntil(plant)
    const list = await samples.list('other')
    // Lists with and without a limit, because some services check the caller in only one of the two.
    const unlimited = await unlessSilent(client.send(listRequest('', 'other')))
    for (const response of [list, unlimited])
      if (response !== undefined && succeeded(response) && mentions(response, samples.keyOf(plant)))
        return failed(response, `the other caller sees "${label}"`)
    if (!succeeded(list)) return skipped(`the service shows the other caller no list: ${describe(list)}`)
    requireArray(own)
    requireArray(list)
    if (!samples.shows(own, plant)) {
      await samples.requireComplete(own)
      return skipped(`the caller that created "${label}" does not see it either`)
    }
    await samples.requireComplete(list)
    return passed
  },
  async 'auth.list'({ client }) {
    const response = await unlessSilent(client.send(listRequest('?limit=1', 'anonymous')))
    if (response === undefined) return skipped(silence)
    if (!isRefusedWithoutToken(response)) return skipped(`without a token ${describe(response)}`)
    const isListed = succeeded(await client.send(listRequest('?limit=1')))
    return isListed ? passed : skipped('a list with a token does not succeed either')
  },
  async 'auth.create'({ samples }) {
    const response = await unlessSilent(samples.sendChanged((plant) => plant, { as: 'anonymous' }))
    if (response === undefined) return skipped(silence)
    const { plant } = response
    const isOk = response.status >= 200 && response.status < 300
    if (!isOk && !isRefusedWithoutToken(response)) return skipped(`without a token ${describe(response)}`)
    // Waits until a list shows a plant created later: such a list also shows the refused plant if it was stored.
    const later = await samples.create()
    if (!succeeded(later)) return skipped('a create does not succeed with a token either')
    const list = await samples.listUntil(later.plant)
    if (samples.shows(list, plant)) return failed(response, 'the create is refused, but the plant is stored')
    if (isOk) return skipped(`without a token ${describe(response)}`)
    if (samples.shows(list, later.plant)) return passed
    await samples.requireComplete(list)
    return skipped(`the caller that created "${samples.labelOf(later.plant)}" does not see it either`)
  },
  // Counts as advice, because the contract defines neither failures nor valid values (sections 2.4, 4 and 7).
  async 'robust.refusal'({ samples }) {
    const { plant: valid } = requireCreated(await samples.first())
    for (const [field, wrong] of wrongValues) {
      const change = (plant: NewPlant) => ({ ...plant, [field]: wrong(plant) })
      if (!isRecognisable(change(valid))) continue
      const response = await samples.sendChanged(change)
      if (refused(response)) continue
      const reason = `${field} is ${JSON.stringify(wrong(response.plant))}, and ${describe(response)}`
      return isNoVerdict(response) ? skipped(reason) : failed(response, reason)
    }
    return passed
  },
  async 'robust.input'({ client }) {
    let verdict = passed
    for (const [input, request] of badInputs) {
      if (isCreate(request) && !client.canCreate) continue
      const found: RuleVerdict = await client.send(request).then(withoutServerError, (error) => causeOf(error, request))
      if (found.outcome === 'failed') return { ...found, reason: `${input}: ${found.reason}` }
      if (found.outcome === 'skipped') verdict = skipped(`${input}: ${found.reason}`)
      if (client.stopReason !== undefined) return skipped(client.stopReason)
    }
    return verdict
  },
}

const createdPlants = async ({ samples }: CheckContext): Promise<readonly Creation[]> => {
  const first = requireCreated(await samples.first())
  const { creations } = await samples.delicate()
  return [first, ...creations.filter(succeeded)]
}

const silence = 'without a token there is no response'

const mentions = ({ text }: TestResponse, key: string | undefined): boolean =>
  key !== undefined && text.toLowerCase().replaceAll(/\s+/g, ' ').includes(key)

const isRefusedWithoutToken = (response: TestResponse): boolean =>
  (response.status >= 300 && response.status < 400) || refused(response)

/** Resolves to `undefined` without a response, because a gateway may drop requests without a token. */
const unlessSilent = <Response>(response: Promise<Response>): Promise<Response | undefined> =>
  response.catch(insteadOf(undefined, NoResponseError))

const withoutServerError = (response: TestResponse): RuleVerdict => {
  if (response.status < 500) return passed
  return isNoVerdict(response) ? skipped(describe(response)) : failed(response, describe(response))
}

const causeOf = (error: unknown, { as }: TestRequest): RuleVerdict => {
  if (error instanceof InconclusiveError) return skipped(error.message)
  if (!(error instanceof NoResponseError)) throw error
  return as === 'anonymous' ? skipped(error.message) : failed(error, error.message)
}

const wrongValues: readonly (readonly [field: keyof NewPlant, wrong: (plant: NewPlant) => unknown])[] = [
  ['name', () => 1],
  ['tag', () => 2],
  ['id', () => 'three'],
  ['id', ({ id }) => String(id)],
]

const withAuthorization = (authorization: string): TestRequest => listRequest('', 'anonymous', { authorization })

type BadInput = readonly [input: string, request: TestRequest]

/** Contains `namePrefix` in each valid JSON body: users must recognise a plant that a careless service stores. */
const badInputs: readonly BadInput[] = [
  ['half an object', createRequest('{"name":"x"')],
  ['unclosed arrays, 2,000 deep', createRequest('['.repeat(2_000))],
  ['a control character', createRequest(`{"name":"${namePrefix} \u0000","id":"x","tag":1}`)],
  ['wrong types', createRequest({ name: 1, id: namePrefix, tag: `${namePrefix} of wrong types` })],
  ['an object for a name', createRequest({ name: {}, id: {}, tag: `${namePrefix} of wrong types` })],
  ['a number beyond double precision', createRequest(`{"name":"${namePrefix}","id":1e999,"tag":2}`)],
  ['a limit in words', listRequest('?limit=abc')],
  ['a negative limit', listRequest('?limit=-1')],
  ['a limit beyond 64 bits', listRequest('?limit=99999999999999999999999')],
  ['a limit with a broken escape', listRequest('?limit=%ZZ')],
  ['no token', listRequest('?limit=1', 'anonymous')],
  ['a token with spaces', withAuthorization('Bearer a b')],
  ['a scheme alone', withAuthorization('Bearer')],
  ['a long token', withAuthorization(`Bearer ${'x'.repeat(4_000)}`)],
]
