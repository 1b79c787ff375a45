import type { NewPlant, Plant } from '../contract/schemas.ts'
import { isJsonObject } from '../util/json.ts'
import { shorten } from '../util/words.ts'
import { badInputs } from './bad-inputs.ts'
import type { CheckContext } from './context.ts'
import type { LongList } from './sample-plants.ts'
import { lengthOf, refused, succeeded, type TestResponse } from './send-request.ts'
import { createRequest, listRequest, type TestRequest } from './test-request.ts'

export type Verdict =
  | { readonly outcome: 'passed' }
  | { readonly outcome: 'failed'; readonly reason: string; readonly request: TestRequest }
  | { readonly outcome: 'skipped'; readonly reason: string }

/** A statement of the contract that every service must keep. */
export type Rule = {
  readonly id: string
  /** The sections of the contract that state it; empty for robustness, which the contract does not mention. */
  readonly section: string
  readonly statement: string
  readonly check: (context: CheckContext) => Promise<Verdict>
}

const passed: Verdict = { outcome: 'passed' }
const failed = ({ request }: TestResponse, reason: string): Verdict => ({
  outcome: 'failed',
  reason,
  request,
})
const skipped = (reason: string): Verdict => ({ outcome: 'skipped', reason })
const passedIf = (isKept: boolean, response: TestResponse, reason: string): Verdict =>
  isKept ? passed : failed(response, reason)

const excerpt = (text: string): string => (text === '' ? 'empty' : shorten(text, 80))

const describe = (response: TestResponse): string =>
  response.status >= 300 && response.status < 400
    ? `it redirects (${response.status}) to ${response.headers.get('location') ?? 'nowhere'}, which is not followed`
    : `it responds with ${response.status}: ${excerpt(response.text)}`

const describeType = ({ headers }: TestResponse): string =>
  `Content-Type is ${headers.get('content-type') ?? 'missing'}`

const isPlant = (value: unknown): value is Plant =>
  isJsonObject(value) &&
  Object.keys(value).sort().join() === 'name,tag' &&
  typeof value.name === 'string' &&
  typeof value.tag === 'string'

const isSamePlant = (value: Readonly<Record<string, unknown>>, { name, tag }: NewPlant): boolean =>
  value.name === name && value.tag === tag

/** A type that ends in +json is JSON too (RFC 6839, 3.1). */
const isJson = ({ headers }: TestResponse): boolean =>
  /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(headers.get('content-type') ?? '')

const skippedAsTruncated = ({ length }: LongList): Verdict => skipped(`the list may be truncated at ${length} plants`)

const noList = skipped('no list succeeds')
const noArray = skipped('no list is an array')
const noCreate = skipped('no create succeeds')
const noNames = skipped('the listed plants show no names')

const checkStored = async ({ samples }: CheckContext): Promise<Verdict> => {
  const { plant, response: creation } = await samples.first()
  if (!succeeded(creation)) return noCreate
  const list = await samples.listUntil(plant.name)
  const { names, length, response } = list
  if (!succeeded(response) || !Array.isArray(response.json)) return noArray
  const stored = response.json.filter(isJsonObject).find(({ name }) => name === plant.name)
  if (stored !== undefined) {
    // A missing tag, or one of another type, breaks list.elements instead.
    const isStoredAsSent = typeof stored.tag !== 'string' || isSamePlant(stored, plant)
    return passedIf(
      isStoredAsSent,
      response,
      `the plant was created with the tag "${plant.tag}", but is listed as ${excerpt(response.redact(JSON.stringify(stored)))}`,
    )
  }
  if (await samples.mayBeTruncated(list)) return skippedAsTruncated(list)
  if (names.length < length) return noNames
  return failed(response, `"${plant.name}" is not among the ${length} listed plants`)
}

/** Every statement of the contract that a client can observe, in the order of the check. */
export const rules: readonly Rule[] = [
  {
    id: 'list.succeeds',
    section: '4.2',
    statement: 'A caller with a bearer token can list plants.',
    async check({ client }) {
      // With a limit, because the contract leaves open whether it is optional.
      const response = await client.send(listRequest('?limit=1'))
      return passedIf(succeeded(response), response, describe(response))
    },
  },
  {
    id: 'list.array',
    section: '4.2',
    statement: 'A list is a JSON array.',
    async check({ samples }) {
      const { response } = await samples.list()
      if (!succeeded(response)) return noList
      return passedIf(Array.isArray(response.json), response, `the body is ${excerpt(response.text)}`)
    },
  },
  {
    id: 'list.elements',
    section: '2.2, 4.2',
    statement: 'Each element of a list has exactly name and tag, both strings.',
    async check({ client, samples }) {
      if (client.canCreate) await samples.first()
      const { response } = await samples.list()
      if (!succeeded(response) || !Array.isArray(response.json)) return noArray
      if (response.json.length === 0) return skipped('the list is empty')
      const index = response.json.findIndex((plant) => !isPlant(plant))
      const element = response.redact(String(JSON.stringify(response.json[index])))
      return passedIf(index === -1, response, `element ${index} is ${excerpt(element)}`)
    },
  },
  {
    id: 'list.json',
    section: '1',
    statement: 'A list has a Content-Type of JSON.',
    async check({ client }) {
      const response = await client.send(listRequest('?limit=1'))
      if (!succeeded(response)) return noList
      return passedIf(isJson(response), response, describeType(response))
    },
  },
  {
    id: 'list.limit',
    section: '4.2, 8',
    statement: 'A list never returns more plants than limit.',
    async check({ client, samples }) {
      if (client.canCreate && (await samples.list()).length < 3) {
        await samples.create()
        await samples.create()
        await samples.listUntil((await samples.create()).plant.name)
      }
      const { response: list, length } = await samples.list()
      if (!succeeded(list) || !Array.isArray(list.json)) return noArray
      if (length < 2) return skipped('there are fewer than two plants to list')
      for (const limit of [1, 2, 0]) {
        const response = await client.send(listRequest(`?limit=${limit}`))
        // The contract leaves open whether limit=0 is valid.
        if (!succeeded(response) && limit === 0) continue
        if (!succeeded(response)) return failed(response, describe(response))
        if (lengthOf(response) > limit) return failed(response, `limit=${limit} returns ${lengthOf(response)} plants`)
      }
      return passed
    },
  },
  {
    id: 'create.succeeds',
    section: '4.1',
    statement: 'A caller with a bearer token can add a plant.',
    async check({ samples }) {
      const { response } = await samples.first()
      return passedIf(succeeded(response), response, describe(response))
    },
  },
  {
    id: 'create.shape',
    section: '2.1, 4.1',
    statement: 'A create returns exactly name and tag, as they were sent.',
    async check({ samples }) {
      const { plant, response } = await samples.first()
      if (!succeeded(response)) return noCreate
      const isKept = isPlant(response.json) && isSamePlant(response.json, plant)
      return passedIf(isKept, response, `the body is ${excerpt(response.text)}`)
    },
  },
  {
    id: 'create.json',
    section: '1',
    statement: 'A create response has a Content-Type of JSON.',
    async check({ samples }) {
      const { response } = await samples.first()
      if (!succeeded(response)) return noCreate
      return passedIf(isJson(response), response, describeType(response))
    },
  },
  {
    id: 'create.stored',
    section: '4.1',
    statement: 'A created plant is stored with its name and tag: its creator can list it.',
    check: checkStored,
  },
  {
    id: 'list.access',
    section: '4.2, 5',
    statement: 'A list returns only plants that the caller may access, and none that another caller added.',
    async check({ samples }) {
      const { plant, response: creation } = await samples.first()
      if (!succeeded(creation)) return noCreate
      const list = await samples.list('other')
      const { names, length, response } = list
      if (names.includes(plant.name)) return failed(response, `the other caller sees "${plant.name}"`)
      if (!succeeded(response)) return skipped(`to the other caller, ${describe(response)}`)
      if (names.length < length) return noNames
      return (await samples.mayBeTruncated(list)) ? skippedAsTruncated(list) : passed
    },
  },
  {
    id: 'auth.list',
    section: '4, 5',
    statement: 'A list requires a bearer token.',
    async check({ client }) {
      const response = await client.send(listRequest('?limit=1', 'anonymous'))
      if (succeeded(response)) return failed(response, `without a token ${describe(response)}`)
      return succeeded(await client.send(listRequest('?limit=1')))
        ? passed
        : skipped('a list does not succeed with a token either')
    },
  },
  {
    id: 'auth.create',
    section: '4, 5',
    statement: 'A create requires a bearer token, and adds nothing without one.',
    async check({ client, samples }) {
      const plant = samples.newPlant()
      const response = await client.send(createRequest(plant, { as: 'anonymous' }))
      if (succeeded(response)) return failed(response, `without a token ${describe(response)}`)
      const { response: creation } = await samples.first()
      if (!succeeded(creation)) return skipped('a create does not succeed with a token either')
      const list = await samples.listUntil(plant.name)
      if (list.names.includes(plant.name)) return failed(response, 'it is refused, but the plant is stored')
      return (await samples.mayBeTruncated(list)) ? skippedAsTruncated(list) : passed
    },
  },
  {
    id: 'robust.refusal',
    section: '2',
    statement: 'A create whose fields have wrong types is refused.',
    async check({ client, samples }) {
      const response = await client.send(createRequest(samples.invalidBody()))
      const { response: creation } = await samples.first()
      if (refused(response) && !succeeded(creation)) return noCreate
      return passedIf(refused(response), response, describe(response))
    },
  },
  {
    id: 'robust.input',
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
]
