import type { NewPlant, Plant } from '../contract/schemas.ts'
import { isJsonObject } from '../util/json.ts'
import { badInputs, intrusiveInputs } from './bad-inputs.ts'
import { InconclusiveError } from './client.ts'
import { type CheckContext, type Creation, isAboutPlant, requireArray, requireCreated } from './sample-plants.ts'
import { isPage, lengthOf, NoResponseError, refused, succeeded, type TestResponse } from './send-request.ts'
import { listRequest, type TestRequest } from './test-request.ts'
import {
  describe,
  excerpt,
  failed,
  isNoVerdict,
  passed,
  passedIf,
  passedIfOk,
  skipped,
  type Verdict,
} from './verdict.ts'

/** A statement of the contract that every service must keep. */
export type Rule = {
  readonly id: string
  /** The sections of the contract that state it; empty for robustness, which the contract does not mention. */
  readonly section: string
  readonly statement: string
  /** Whether the rule is checked again at the end, because it may be broken after a while. */
  readonly isRepeated?: true
  /** Whether refused creates show that it is kept, which they do only if a later valid create succeeds. */
  readonly reliesOnRefusals?: true
  /** @throws InconclusiveError when the rule cannot be checked. */
  readonly check: (context: CheckContext) => Promise<Verdict>
}

/** A type that ends in +json is JSON too (RFC 6839, 3.1). */
const checkJsonType = (response: TestResponse): Verdict => {
  const type = response.headers.get('content-type') ?? 'missing'
  const isJson = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)
  return passedIf(isJson, response, `Content-Type is ${type}`)
}

const isPlant = (value: unknown): value is Plant =>
  isJsonObject(value) &&
  Object.keys(value).sort().join() === 'name,tag' &&
  typeof value.name === 'string' &&
  typeof value.tag === 'string'

/** Whether a request without a token was refused. A server error says nothing about tokens. */
const isRefusedWithoutToken = (response: TestResponse): boolean =>
  (response.status >= 300 && response.status < 400) || refused(response)

/** A success that is not just a page of HTML, such as a login. */
const isGrantedWithoutToken = (response: TestResponse): boolean => succeeded(response) && !isPage(response)

/** `undefined` for no response, with which a gateway may refuse requests without a token. */
const unlessSilent = <Response>(response: Promise<Response>): Promise<Response | undefined> =>
  response.catch((error) => {
    if (error instanceof NoResponseError) return undefined
    throw error
  })

/** A refusal of a create says nothing about its names. */
const createdPlants = async ({ samples }: CheckContext): Promise<readonly Creation[]> => {
  const first = requireCreated(await samples.first())
  const { creations } = await samples.delicate()
  return [first, ...creations.filter(succeeded)]
}

/** Whether a response contains a plant, even if it is no array. */
const mentions = ({ text }: TestResponse, key: string | undefined): boolean =>
  key !== undefined && text.toLowerCase().replaceAll(/\s+/g, ' ').includes(key)

/** Every statement of the contract that a client can observe, in the order of the check. */
const table: Readonly<Record<string, Omit<Rule, 'id'>>> = {
  'list.succeeds': {
    section: '4.2',
    statement: 'A caller with a bearer token can list plants.',
    // With a limit, because the contract leaves open whether it is optional.
    check: async ({ client, first }) => passedIfOk(first ?? (await client.send(listRequest('?limit=1')))),
  },
  'list.array': {
    section: '4.2',
    statement: 'A list is a JSON array.',
    async check({ samples }) {
      const response = await samples.list()
      if (!succeeded(response)) return skipped('no list succeeds')
      return passedIf(Array.isArray(response.json), response, `the body is ${excerpt(response.text)}`)
    },
  },
  'list.elements': {
    section: '2.2, 4.2',
    statement: 'Each element of a list has exactly name and tag, both strings.',
    async check({ client, samples }) {
      const creation = client.canCreate ? await samples.first() : undefined
      const isCreated = creation !== undefined && succeeded(creation)
      const response = isCreated ? await samples.listUntil(creation.plant) : await samples.list()
      const plants = requireArray(response)
      if (plants.length === 0) return skipped('the list is empty')
      const index = plants.findIndex((plant) => !isPlant(plant))
      const element = response.redact(String(JSON.stringify(plants[index])))
      return passedIf(index === -1, response, `element ${index} is ${excerpt(element)}`)
    },
  },
  'list.json': {
    section: '1',
    statement: 'A list has a Content-Type of JSON.',
    async check({ client }) {
      const response = await client.send(listRequest('?limit=1'))
      return succeeded(response) ? checkJsonType(response) : skipped('no list succeeds')
    },
  },
  'list.limit': {
    section: '4.2, 8',
    statement: 'A list never returns more plants than limit.',
    async check({ client, samples }) {
      if (client.canCreate && lengthOf(await samples.list()) < 3) {
        await samples.create()
        await samples.create()
        await samples.listUntil((await samples.create()).plant)
      }
      if (requireArray(await samples.list()).length < 2) return skipped('there are fewer than two plants to list')
      for (const limit of [1, 2, 0]) {
        const response = await client.send(listRequest(`?limit=${limit}`))
        // The contract leaves open whether limit=0 is valid.
        if (!succeeded(response) && limit === 0) continue
        if (!succeeded(response)) return passedIfOk(response)
        if (lengthOf(response) > limit) return failed(response, `limit=${limit} returns ${lengthOf(response)} plants`)
      }
      return passed
    },
  },
  'create.succeeds': {
    section: '4.1',
    statement: 'A caller with a bearer token can add a plant.',
    async check({ samples }) {
      const creation = await samples.first()
      // The contract leaves open which values are allowed (2.4).
      if (isAboutPlant(creation)) return skipped(describe(creation))
      if (!succeeded(creation)) return passedIfOk(creation)
      const { creations, crash } = await samples.delicate()
      if (crash !== undefined) return failed(crash, crash.message)
      return passedIfOk(creations.find(({ status }) => status >= 500) ?? creation)
    },
  },
  'create.shape': {
    section: '2.1, 4.1',
    statement: 'A create returns exactly name and tag, as they were sent.',
    async check(context) {
      for (const creation of await createdPlants(context)) {
        const { plant, json, text } = creation
        const isKept = isPlant(json) && json.name === plant.name && json.tag === plant.tag
        if (!isKept) return failed(creation, `the body is ${excerpt(text)}`)
      }
      return passed
    },
  },
  'create.json': {
    section: '1',
    statement: 'A create response has a Content-Type of JSON.',
    async check({ samples }) {
      const creation = requireCreated(await samples.first())
      return creation.text === '' ? skipped('the body is empty') : checkJsonType(creation)
    },
  },
  'create.stored': {
    section: '4.1',
    statement: 'A created plant is stored with its name and tag: its creator can list it.',
    async check(context) {
      const { samples } = context
      for (const { plant } of await createdPlants(context)) {
        const list = await samples.listUntil(plant)
        const stored = requireArray(list)
          .filter(isJsonObject)
          .find((element) => samples.shows({ ...list, json: [element] }, plant))
        if (stored !== undefined) {
          // A missing field, or one of another type, breaks list.elements instead.
          const differs = (['name', 'tag'] as const).find(
            (field) => typeof stored[field] === 'string' && stored[field] !== plant[field],
          )
          if (differs === undefined) continue
          const shown = excerpt(list.redact(JSON.stringify(stored)))
          return failed(
            list,
            `the plant was created with the ${differs} "${plant[differs]}", but is listed as ${shown}`,
          )
        }
        await samples.requireComplete(list)
        return failed(list, `"${samples.labelOf(plant)}" is not among the ${lengthOf(list)} listed plants`)
      }
      return passed
    },
  },
  'list.access': {
    section: '4.2, 5',
    statement: 'A list returns only plants that the caller may access, and none that another caller added.',
    isRepeated: true,
    async check({ client, samples }) {
      const { plant } = requireCreated(await samples.first())
      const label = samples.labelOf(plant)
      const own = await samples.listUntil(plant)
      const list = await samples.list('other')
      // A service may look at the caller only with a limit, or only without one.
      const unlimited = await client.send(listRequest('', 'other')).catch((error) => {
        if (error instanceof NoResponseError) return undefined
        throw error
      })
      for (const response of [list, unlimited])
        if (response !== undefined && succeeded(response) && mentions(response, samples.keyOf(plant)))
          return failed(response, `the other caller sees "${label}"`)
      if (!succeeded(list)) return skipped(`to the other caller, ${describe(list)}`)
      // Whether the other caller may not see the plant, or nobody can: a list may be an object, or show no names.
      requireArray(own)
      requireArray(list)
      if (!samples.shows(own, plant)) {
        await samples.requireComplete(own)
        return skipped(`its creator does not see "${label}" either`)
      }
      await samples.requireComplete(list)
      return passed
    },
  },
  'auth.list': {
    section: '4, 5',
    statement: 'A list requires a bearer token.',
    async check({ client }) {
      const response = await unlessSilent(client.send(listRequest('?limit=1', 'anonymous')))
      if (response === undefined) return skipped(silence)
      if (isGrantedWithoutToken(response)) return failed(response, `without a token ${describe(response)}`)
      if (!isRefusedWithoutToken(response)) return skipped(`without a token ${describe(response)}`)
      const isListed = succeeded(await client.send(listRequest('?limit=1')))
      return isListed ? passed : skipped('a list does not succeed with a token either')
    },
  },
  'auth.create': {
    section: '4, 5',
    statement: 'A create requires a bearer token, and adds nothing without one.',
    async check({ samples }) {
      const response = await unlessSilent(samples.sendChanged((plant) => plant, { as: 'anonymous' }))
      if (response === undefined) return skipped(silence)
      const { plant } = response
      if (isGrantedWithoutToken(response)) return failed(response, `without a token ${describe(response)}`)
      const isOk = response.status >= 200 && response.status < 300
      if (!isOk && !isRefusedWithoutToken(response)) return skipped(`without a token ${describe(response)}`)
      // A list that shows a later plant would show this one too.
      const later = await samples.create()
      if (!succeeded(later)) return skipped('a create does not succeed with a token either')
      const list = await samples.listUntil(later.plant)
      if (samples.shows(list, plant)) return failed(response, 'it is refused, but the plant is stored')
      if (isOk) return skipped(`without a token ${describe(response)}`)
      if (samples.shows(list, later.plant)) return passed
      await samples.requireComplete(list)
      return skipped(`its creator does not see "${samples.labelOf(later.plant)}" either`)
    },
  },
  'robust.refusal': {
    section: '2',
    statement: 'A create whose fields have wrong types is refused.',
    reliesOnRefusals: true,
    async check({ client, samples }) {
      const { plant: valid } = requireCreated(await samples.first())
      for (const [field, wrong] of wrongValues) {
        const change = (plant: NewPlant) => ({ ...plant, [field]: wrong(plant) })
        // Without its name or tag, nobody could tell where a stored plant comes from.
        if (!client.mayCreate(change(valid))) continue
        const response = await samples.sendChanged(change)
        if (refused(response)) continue
        const reason = `${field} is ${JSON.stringify(wrong(response.plant))}, and ${describe(response)}`
        return isNoVerdict(response) ? skipped(reason) : failed(response, reason)
      }
      return passed
    },
  },
  'robust.input': {
    section: '',
    statement: 'No invalid request causes a server error.',
    async check({ client }) {
      let verdict = passed
      for (const [input, request] of client.isIntrusive ? [...badInputs, ...intrusiveInputs] : badInputs) {
        // A service may accept an invalid create.
        if (request.method === 'POST' && !client.canCreate) continue
        const found: Verdict = await client.send(request).then(withoutServerError, (error) => causeOf(error, request))
        if (found.outcome === 'failed') return { ...found, reason: `${input}: ${found.reason}` }
        if (found.outcome === 'skipped') verdict = skipped(`${input}: ${found.reason}`)
        if (client.stopped !== undefined) return skipped(client.stopped)
      }
      return verdict
    },
  },
}

const silence = 'without a token there is no response'

const withoutServerError = (response: TestResponse): Verdict => {
  if (response.status < 500) return passed
  return isNoVerdict(response) ? skipped(describe(response)) : failed(response, describe(response))
}

/** A service that crashes does not respond; nor does a gateway that drops requests without a valid token. */
const causeOf = (error: unknown, { as }: TestRequest): Verdict => {
  if (error instanceof InconclusiveError) return skipped(error.message)
  if (!(error instanceof NoResponseError)) throw error
  return as === 'anonymous' ? skipped(error.message) : failed(error, error.message)
}

/** One field at a time: a service may check some of them only, or convert text to numbers. */
const wrongValues: readonly (readonly [field: keyof NewPlant, wrong: (plant: NewPlant) => unknown])[] = [
  ['name', () => 1],
  ['tag', () => 2],
  ['id', () => 'three'],
  ['id', ({ id }) => String(id)],
]

export const rules: readonly Rule[] = Object.entries(table).map(([id, rule]) => ({ id, ...rule }))
