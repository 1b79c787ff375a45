import type { Plant } from '../contract/schemas.ts'
import { isJsonObject } from '../util/json.ts'
import { shorten } from '../util/words.ts'
import { badInputs } from './bad-inputs.ts'
import { type CheckContext, requireArray, requireCreated } from './sample-plants.ts'
import { lengthOf, namesOf, refused, succeeded, type TestResponse } from './send-request.ts'
import { createRequest, listRequest } from './test-request.ts'

export type Verdict =
  | { readonly outcome: 'passed' }
  | { readonly outcome: 'skipped'; readonly reason: string }
  /** `curl` repeats the request that shows the failure, with `$TOKEN` for the token. */
  | { readonly outcome: 'failed'; readonly reason: string; readonly curl: string }

/** A statement of the contract that every service must keep. */
export type Rule = {
  readonly id: string
  /** The sections of the contract that state it; empty for robustness, which the contract does not mention. */
  readonly section: string
  readonly statement: string
  /** @throws InconclusiveError when the rule cannot be checked. */
  readonly check: (context: CheckContext) => Promise<Verdict>
}

const passed: Verdict = { outcome: 'passed' }
export const skipped = (reason: string): Verdict => ({ outcome: 'skipped', reason })
export const failed = ({ curl }: Pick<TestResponse, 'curl'>, reason: string): Verdict => ({
  outcome: 'failed',
  reason,
  curl,
})
const passedIf = (isKept: boolean, response: TestResponse, reason: string): Verdict =>
  isKept ? passed : failed(response, reason)
const passedIfOk = (response: TestResponse): Verdict => passedIf(succeeded(response), response, describe(response))

const excerpt = (text: string): string => (text === '' ? 'empty' : shorten(text, 80))

const describe = ({ status, headers, text }: TestResponse): string =>
  status >= 300 && status < 400
    ? `it redirects (${status}) to ${headers.get('location') ?? 'nowhere'}, which is not followed`
    : `it responds with ${status}: ${excerpt(text)}`

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

const noNames = skipped('the listed plants show no names')

/** Every statement of the contract that a client can observe, in the order of the check. */
const table: Readonly<Record<string, Omit<Rule, 'id'>>> = {
  'list.succeeds': {
    section: '4.2',
    statement: 'A caller with a bearer token can list plants.',
    // With a limit, because the contract leaves open whether it is optional.
    check: async ({ client }) => passedIfOk(await client.send(listRequest('?limit=1'))),
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
      if (client.canCreate) await samples.first()
      const response = await samples.list()
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
        await samples.listUntil((await samples.create()).plant.name)
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
    check: async ({ samples }) => passedIfOk(await samples.first()),
  },
  'create.shape': {
    section: '2.1, 4.1',
    statement: 'A create returns exactly name and tag, as they were sent.',
    async check({ samples }) {
      const creation = requireCreated(await samples.first())
      const { plant, json, text } = creation
      const isKept = isPlant(json) && json.name === plant.name && json.tag === plant.tag
      return passedIf(isKept, creation, `the body is ${excerpt(text)}`)
    },
  },
  'create.json': {
    section: '1',
    statement: 'A create response has a Content-Type of JSON.',
    check: async ({ samples }) => checkJsonType(requireCreated(await samples.first())),
  },
  'create.stored': {
    section: '4.1',
    statement: 'A created plant is stored with its name and tag: its creator can list it.',
    async check({ samples }) {
      const { plant } = requireCreated(await samples.first())
      const list = await samples.listUntil(plant.name)
      const stored = requireArray(list)
        .filter(isJsonObject)
        .find(({ name }) => name === plant.name)
      if (stored !== undefined) {
        // A missing tag, or one of another type, breaks list.elements instead.
        const isStoredAsSent = typeof stored.tag !== 'string' || stored.tag === plant.tag
        const shown = excerpt(list.redact(JSON.stringify(stored)))
        const reason = `the plant was created with the tag "${plant.tag}", but is listed as ${shown}`
        return passedIf(isStoredAsSent, list, reason)
      }
      await samples.requireComplete(list)
      if (namesOf(list).length < lengthOf(list)) return noNames
      return failed(list, `"${plant.name}" is not among the ${lengthOf(list)} listed plants`)
    },
  },
  'list.access': {
    section: '4.2, 5',
    statement: 'A list returns only plants that the caller may access, and none that another caller added.',
    async check({ samples }) {
      const { plant } = requireCreated(await samples.first())
      const list = await samples.list('other')
      if (namesOf(list).includes(plant.name)) return failed(list, `the other caller sees "${plant.name}"`)
      if (!succeeded(list)) return skipped(`to the other caller, ${describe(list)}`)
      if (namesOf(list).length < lengthOf(list)) return noNames
      await samples.requireComplete(list)
      return passed
    },
  },
  'auth.list': {
    section: '4, 5',
    statement: 'A list requires a bearer token.',
    async check({ client }) {
      const response = await client.send(listRequest('?limit=1', 'anonymous'))
      if (succeeded(response)) return failed(response, `without a token ${describe(response)}`)
      const isListed = succeeded(await client.send(listRequest('?limit=1')))
      return isListed ? passed : skipped('a list does not succeed with a token either')
    },
  },
  'auth.create': {
    section: '4, 5',
    statement: 'A create requires a bearer token, and adds nothing without one.',
    async check({ client, samples }) {
      const plant = samples.newPlant()
      const response = await client.send(createRequest(plant, { as: 'anonymous' }))
      if (succeeded(response)) return failed(response, `without a token ${describe(response)}`)
      if (!succeeded(await samples.first())) return skipped('a create does not succeed with a token either')
      const list = await samples.listUntil(plant.name)
      if (namesOf(list).includes(plant.name)) return failed(response, 'it is refused, but the plant is stored')
      await samples.requireComplete(list)
      return passed
    },
  },
  'robust.refusal': {
    section: '2',
    statement: 'A create whose fields have wrong types is refused.',
    async check({ client, samples }) {
      const response = await client.send(createRequest(samples.invalidBody()))
      if (!refused(response)) return failed(response, describe(response))
      requireCreated(await samples.first())
      return passed
    },
  },
  'robust.input': {
    section: '',
    statement: 'No invalid request causes a server error.',
    async check({ client }) {
      for (const [input, request] of badInputs) {
        // A service may accept an invalid create.
        if (request.method === 'POST' && !client.canCreate) continue
        const response = await client.send(request)
        if (response.status >= 500) return failed(response, `${input}: ${describe(response)}`)
      }
      return passed
    },
  },
}

export const rules: readonly Rule[] = Object.entries(table).map(([id, rule]) => ({ id, ...rule }))
