import { once } from 'node:events'
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { type Assume, type Assumptions, assumptionRegistry, defaultAssumptions } from 'plant-mock'
import { openApiDocument, valuesOf } from 'plant-mock/contract'
import { startPlantMock } from 'plant-mock/node'
import { afterAll, describe, expect, it } from 'vitest'

/** The parts of an OpenAPI document that say what an operation takes and answers. */
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
type Answer = { readonly status: number; readonly contentType: string | undefined; readonly body: string }

/**
 * Says what is wrong with an answer by the document alone, with a validator that is not ours: a status or type
 * that is not in it, a body that its schema refuses, a request that it allows refused, or one that it forbids taken.
 */
const judge = (assumptions: Assumptions) => {
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

  const answerFault = (method: string, { status, contentType, body }: Answer): string | undefined => {
    const response = paths['/plants']?.[method]?.responses[status]
    if (response === undefined) return `the status ${status} is not in the document`
    if (response.content === undefined)
      return contentType === undefined && body === '' ? undefined : `a body of type ${contentType}`
    if (contentType === undefined || !(contentType in response.content))
      return `the type ${contentType} is not in the document for ${status}`
    const value = contentType.startsWith('text/') ? body : (JSON.parse(body) as unknown)
    const at = ['paths', '/plants', method, 'responses', String(status), 'content', contentType, 'schema']
    return validate(value, ...at)
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
    const at = ['paths', '/plants', 'post', 'requestBody', 'content', 'application/json', 'schema']
    return validate(parsed(body), ...at) === undefined
  }

  return (sent: Sent, answer: Answer): string | undefined => {
    const fault = answerFault(sent.method, answer)
    if (fault !== undefined) return fault
    const isTaken = answer.status < 300
    // What the store, the rate or the known tokens decide, no schema shows; nor that bad input is let pass.
    const byState = [
      409,
      413,
      429,
      ...(assumptions['auth.tokens'] === 'listed' ? [assumptions['auth.status']] : []),
    ]
    if (isAllowed(sent)) return isTaken || byState.includes(answer.status) ? undefined : 'it is refused'
    const isLenient =
      sent.method === 'get'
        ? assumptions['list.invalidLimit'] === 'ignore'
        : assumptions['create.contentType'] === 'ignore'
    return isTaken && !isLenient ? 'it is taken' : undefined
  }
}

const parsed = (body: Buffer): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown
  } catch {
    return undefined
  }
}

/** Often this, and now and then one of those. */
const mostly = <T>(usual: fc.Arbitrary<T>, ...others: fc.Arbitrary<T>[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 3 * others.length, arbitrary: usual },
    ...others.map((arbitrary) => ({ weight: 1, arbitrary })),
  )

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
  fc.constantFrom(
    '',
    '00',
    '1.0',
    '1e2',
    '+1',
    '99999999999999999999',
    'abc',
    '%',
    '%ZZ',
    '%31',
    ' 1',
    '1&limit=2',
  ),
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

const send = async (url: string, { method, query, headers, body }: Sent): Promise<Answer> => {
  const path = query === '' ? '/plants' : `/plants?${query.replaceAll(' ', '%20')}`
  const length = method === 'post' && { 'content-length': body.length }
  const asked = request(`${url}${path}`, {
    agent,
    method: method.toUpperCase(),
    headers: { ...headers, ...length },
  })
  asked.end(body)
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return {
    status: response.statusCode ?? 0,
    contentType: response.headers['content-type'],
    body: await text(response),
  }
}

/** Some sets of assumptions, the same each time. */
const sets = fc.sample(
  fc
    .tuple(
      ...assumptionRegistry.map((row) => fc.constantFrom(...valuesOf(row)).map((value) => [row.id, value])),
    )
    .map((entries) => Object.fromEntries(entries) as Assume),
  { numRuns: 6, seed: 4 },
)
const total = 2_000
const cases: readonly (readonly [name: string, assume: Assume])[] = [
  ['by default', {}],
  ...sets.map((assume, i) => [`under random assumptions (${i + 1})`, assume] as const),
]

describe('a validator that is not ours', () => {
  it.each(cases)(
    'finds nothing wrong with what the server answers, %s',
    { timeout: 60_000 },
    async (_, assume) => {
      const tokens = ['alice', 'bob', 'carol', 'aZ09-._~+/==']
      const all = { 'auth.tokens': 'any', ...assume } as const
      const { url, mock, close } = await startPlantMock({ assume: all, tokens, fixtures: ['crowded'] })
      const faultOf = judge(await mock.assumptions())
      const statuses = new Set<number>()
      const property = fc.asyncProperty(anyRequest, async (sent) => {
        const answer = await send(url, sent)
        statuses.add(answer.status)
        expect(faultOf(sent, answer)).toBeUndefined()
      })
      await fc.assert(property, { numRuns: Math.ceil(total / cases.length), seed: 1 })
      await close()
      // What was tried is worth something when much of it is refused, and much is not.
      const {
        'create.status': created,
        'error.invalidStatus': invalid,
        'auth.status': unknown,
      } = await mock.assumptions()
      expect([...statuses]).toEqual(expect.arrayContaining([created, 200, invalid, unknown]))
    },
  )

  const problem = JSON.stringify({ type: 'urn:x', title: 'x', status: 400, detail: 'x.' })
  const right = { status: 201, contentType: 'application/json', body: '{"name":"a","tag":"b"}' }
  const sent: Sent = {
    method: 'post',
    query: '',
    headers: { authorization: 'Bearer alice', 'content-type': 'application/json' },
    body: bytes('{"name":"a","id":1,"tag":"b"}'),
  }
  it.each([
    ['another status', { status: 202 }, /status 202 is not in the document/],
    ['another type', { contentType: 'text/html' }, /type text\/html is not in the document for 201/],
    ['an id', { body: '{"id":1,"name":"a","tag":"b"}' }, /must NOT have additional properties/],
    ['no tag', { body: '{"name":"a"}' }, /must have required property 'tag'/],
    ['a number for a name', { body: '{"name":1,"tag":"b"}' }, /must be string/],
    ['a refusal', { status: 400, contentType: 'application/problem+json', body: problem }, /it is refused/],
  ])('would find %s', (_, wrong, fault) => {
    const faultOf = judge(defaultAssumptions)
    expect(faultOf(sent, right)).toBeUndefined()
    expect(faultOf(sent, { ...right, ...wrong })).toMatch(fault)
  })

  it('would find that bad input is taken', () => {
    expect(judge(defaultAssumptions)({ ...sent, body: bytes('{"name":1}') }, right)).toBe('it is taken')
  })
})
