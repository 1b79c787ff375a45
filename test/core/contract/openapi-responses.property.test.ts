import { once } from 'node:events'
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { type Assume, type Assumptions, assumptionRegistry } from 'plant-mock'
import { openApiDocument, valuesOf } from 'plant-mock/contract'
import { startPlantMock } from 'plant-mock/node'
import { afterAll, describe, expect, it } from 'vitest'
import { mostly } from '../../support/http-fuzz.ts'
import { runs } from '../../support/runs.ts'

type Media = { readonly schema: object }
type Operation = {
  readonly parameters?: readonly { readonly name: string; readonly schema: object }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

type Sent = {
  readonly method: string
  readonly query: string
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer
}
type Received = { readonly status: number; readonly contentType: string | undefined; readonly body: string }

/** Returns the first contradiction between responses and the OpenAPI document; `undefined` without a contradiction. */
const responseChecker = (assumptions: Assumptions) => {
  const document = openApiDocument(assumptions)
  const paths = document.paths as Paths
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'document')
  const compiled = new Map<string, ValidateFunction>()
  const validate = (value: unknown, ...path: readonly string[]): string | undefined => {
    const pointer = path
      .map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
      .join('')
    const valid = compiled.get(pointer) ?? ajv.compile({ $ref: `document#${pointer}` })
    compiled.set(pointer, valid)
    return valid(value) ? undefined : ajv.errorsText(valid.errors)
  }

  const responseFault = (method: string, { status, contentType, body }: Received): string | undefined => {
    const response = paths['/plants']?.[method]?.responses[status]
    if (response === undefined) return `the status ${status} is not in the document`
    if (response.content === undefined)
      return contentType === undefined && body === '' ? undefined : `a body of type ${contentType}`
    if (contentType === undefined || !(contentType in response.content))
      return `the type ${contentType} is not in the document for ${status}`
    const value = contentType.startsWith('text/') ? body : (JSON.parse(body) as unknown)
    const pointer = ['paths', '/plants', method, 'responses', String(status), 'content', contentType, 'schema']
    return validate(value, ...pointer)
  }

  const isAllowed = ({ method, query, headers, body }: Sent): boolean => {
    if (!/^bearer +[\w\-.~+/]+=*$/i.test(String(headers.authorization ?? ''))) return false
    if (method === 'get') {
      const limits = new URLSearchParams(query).getAll('limit')
      const limit = limits.map((text) => (/^\d+$/.test(text) ? Number(text) : text))
      return (
        limits.length === 0 ||
        (limits.length === 1 &&
          validate(limit[0], 'paths', '/plants', 'get', 'parameters', '0', 'schema') === undefined)
      )
    }
    const type = String(headers['content-type'] ?? '').toLowerCase()
    if (!/^application\/json *(?:;|$)/.test(type)) return false
    const pointer = ['paths', '/plants', 'post', 'requestBody', 'content', 'application/json', 'schema']
    return validate(decodeJson(body), ...pointer) === undefined
  }

  return (sent: Sent, received: Received): string | undefined => {
    const fault = responseFault(sent.method, received)
    if (fault !== undefined) return fault
    const isAccepted = received.status < 300
    // A schema cannot express lenient assumptions, or a status that depends on the state, a rate or the tokens.
    const stateStatuses = [
      assumptions['create.duplicateStatus'],
      413,
      429,
      ...(assumptions['auth.tokens'] === 'listed' ? [assumptions['auth.status']] : []),
    ]
    if (isAllowed(sent))
      return isAccepted || stateStatuses.includes(received.status) ? undefined : 'a valid request is refused'
    const isLenient =
      sent.method === 'get'
        ? assumptions['list.invalidLimit'] === 'ignore'
        : assumptions['create.contentType'] === 'ignore'
    return isAccepted && !isLenient ? 'an invalid request is accepted' : undefined
  }
}

const decodeJson = (body: Buffer): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown
  } catch {
    return undefined
  }
}

const visible = fc.string({ unit: fc.constantFrom(...'abcXYZ019 -._~+/=,;:"\'()<>@?{}[]'), maxLength: 20 })
const authorization = mostly<string | undefined>(
  fc.constantFrom('Bearer alice', 'Bearer bob', 'bearer  carol', 'Bearer aZ09-._~+/=='),
  fc.constantFrom(undefined, '', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearers alice', 'Bearer alice,bob'),
  visible.map((text) => `Bearer ${text}`),
)
const contentType = mostly<string | undefined>(
  fc.constantFrom('application/json', 'application/json; charset=utf-8', 'Application/JSON'),
  fc.constantFrom(undefined, 'text/plain', 'application/jsonp', 'application/problem+json'),
  visible,
)
const limitText = fc.oneof(
  fc.integer({ min: -3, max: 130 }).map(String),
  fc.constantFrom('', '00', '1.0', '1e2', '+1', '99999999999999999999', 'abc', '%', '%ZZ', '%31', ' 1', '1&limit=2'),
  fc.string({ unit: 'binary', maxLength: 4 }).map((text) => encodeURIComponent(text.toWellFormed())),
)
const query = mostly(
  limitText.map((limit) => `limit=${limit}`),
  fc.constant(''),
  fc.tuple(fc.webQueryParameters(), limitText).map(([other, limit]) => `${other}&limit=${limit}`),
)
const field = fc.oneof(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 1 }))
const id = fc.oneof(fc.integer({ min: 0, max: 30 }), fc.maxSafeInteger(), fc.double({ noNaN: true }))
const plant = fc.record({
  name: fc.string({ unit: 'grapheme' }),
  id: mostly(fc.integer(), id),
  tag: fc.string(),
})
const nearlyPlant = fc.record({ name: field, id: field, tag: field, colour: field }, { requiredKeys: [] })
const bytes = (text: string): Buffer => Buffer.from(text)
const body = mostly<Buffer>(
  plant.map((plant) => bytes(JSON.stringify(plant))),
  nearlyPlant.map((plant) => bytes(JSON.stringify(plant))),
  fc.json().map(bytes),
  fc.string().map(bytes),
  fc.uint8Array().map((array) => Buffer.from(array)),
  fc
    .tuple(plant, fc.constantFrom(16_000, 17_000, 1_100_000))
    .map(([plant, size]) => bytes(JSON.stringify({ ...plant, name: 'x'.repeat(size) }))),
)
const anyRequest: fc.Arbitrary<Sent> = fc
  .record({ method: fc.constantFrom('get', 'post'), query, authorization, contentType, body })
  .map(({ method, query, authorization, contentType, body }) => ({
    method,
    query: method === 'get' ? query : '',
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(method === 'post' && contentType !== undefined && { 'content-type': contentType }),
    },
    body: method === 'post' ? body : Buffer.alloc(0),
  }))

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
afterAll(() => agent.destroy())

const send = async (url: string, { method, query, headers, body }: Sent): Promise<Received> => {
  const path = query === '' ? '/plants' : `/plants?${query.replaceAll(' ', '%20')}`
  const length = method === 'post' && { 'content-length': body.length }
  const outgoing = request(`${url}${path}`, {
    agent,
    method: method.toUpperCase(),
    headers: { ...headers, ...length },
  })
  outgoing.end(body)
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  return {
    status: response.statusCode ?? 0,
    contentType: response.headers['content-type'],
    body: await text(response),
  }
}

const assumptionSets = fc.sample(
  fc
    .tuple(...assumptionRegistry.map((row) => fc.constantFrom(...valuesOf(row)).map((value) => [row.id, value])))
    .map((entries) => Object.fromEntries(entries) as Assume),
  { numRuns: 6, seed: 4 },
)
const totalRuns = runs(8_000)
const cases: readonly (readonly [name: string, assume: Assume])[] = [
  ['by default', {}],
  ...assumptionSets.map((assume, i) => [`under random assumptions (${i + 1})`, assume] as const),
]

describe('an independent validator', () => {
  it.each(cases)('finds no fault in the responses of the server, %s', async (_, assume) => {
    const tokens = ['alice', 'bob', 'carol', 'aZ09-._~+/==']
    const assumed = { 'auth.tokens': 'any', ...assume } as const
    const { url, mock, close } = await startPlantMock({ assume: assumed, tokens, fixtures: ['crowded'] })
    const faultOf = responseChecker(await mock.assumptions())
    const statuses = new Set<number>()
    const property = fc.asyncProperty(anyRequest, async (sent) => {
      const received = await send(url, sent)
      statuses.add(received.status)
      expect(faultOf(sent, received)).toBeUndefined()
    })
    await fc.assert(property, { numRuns: Math.ceil(totalRuns / cases.length), seed: 1 })
    await close()
    const {
      'create.status': created,
      'error.invalidStatus': invalid,
      'auth.status': unknown,
    } = await mock.assumptions()
    expect([...statuses]).toEqual(expect.arrayContaining([created, 200, invalid, unknown]))
  })
})
