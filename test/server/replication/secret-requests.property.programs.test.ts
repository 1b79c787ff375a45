import fc from 'fast-check'
import { type Assume, createPlantMock, type PlantMock, type RecordedViolation } from 'plant-mock'
import { garden } from 'plant-mock/fixtures'
import { type StartedPlantMock, startPlantMock } from 'plant-mock/node'
import { sharedState } from 'plant-mock/redis'
import { describe, expect, it } from 'vitest'
import { skipsRedis, startRedis } from '../../support/redis-server.ts'
import { runs } from '../../support/runs.ts'
import { useServers } from '../../support/start.ts'

const { closers } = useServers()

/** These names replace tokens after redaction, and have a meaning in JSON, a query, a field or a path. */
const callers = {
  true: 'tru3-0123456789-abcdef',
  limit: 'token-of-limit-0123456789',
  name: 'token-of-name-0123456789',
  plants: 'token-of-plants-0123456789',
}
const others = [
  'a-token-of-somebody-0123456789',
  'aB+cD/eF1234567890==',
  '1234567890123456',
  '1e0000000000000016',
  '1.2345678901234567',
]
const secrets = [...Object.values(callers), ...others]
/** Each text is a secret in a cookie, and public elsewhere. */
const words = ['application/json', 'content-encoding', 'a-name-as-long-as-a-secret', 'a-tag-as-long-as-a-secret']

const secret = fc.constantFrom(...secrets)
const text = fc.oneof({ weight: 3, arbitrary: secret }, fc.constantFrom(...words))
const joined = (...parts: readonly (string | readonly string[] | fc.Arbitrary<string>)[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      ...parts.map((part) =>
        part instanceof fc.Arbitrary ? part : fc.constantFrom(...(typeof part === 'string' ? [part] : part)),
      ),
    )
    .map((texts) => texts.join(''))
const often = <T>(usual: T, other: fc.Arbitrary<T>) => fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, other)

const sentHeaders = fc
  .record({
    authorization: fc.oneof(
      { weight: 4, arbitrary: joined(['Bearer ', 'Bearer ', 'bearer '], secret) },
      joined(['Basic ', '', 'Bearer x ', 'Bearer  '], secret),
      fc.constant('Bearer alice'),
    ),
    'content-type': often('application/json', joined(['', 'text/', 'application/json; a=', 'application/json '], text)),
    'content-encoding': often('identity', text),
    prefer: often('a=1', joined(['code=503; a=', 'code=404, a=', 'a=1, code="418", b=', 'code=', 'delay=1, a='], text)),
    cookie: joined('a=', text),
    'x-api-key': text,
    other: text,
    name: text.filter((name) => /^[\w.-]+$/.test(name) && name !== 'content-encoding'),
  })
  .chain(({ other, name, ...headers }) => fc.subarray(Object.entries({ ...headers, [name]: other })))
const headers = sentHeaders.map((entries) => Object.fromEntries(entries))

const parameter = fc.oneof(
  joined(['limit=', 'limit=2', 'limit=0x', 'limit=%20', 'of='], text.map(encodeURIComponent)),
  joined(text.map(encodeURIComponent), ['=1', '=x']),
  fc.constantFrom('limit=2', 'limit=1.0', 'limit=1e1'),
)
const query = fc.array(parameter, { maxLength: 2 }).map((parameters) => parameters.join('&'))

const quoted = text.map((value) => JSON.stringify(value))
const value = fc.oneof(
  quoted,
  text,
  joined('{', quoted, ':[', quoted, ']}'),
  fc.constantFrom('1', '1.5', '-0', '1e999', '12345678901234567890', 'null', '[[]]', '{}', '""', 'true'),
)
const member = fc.oneof(
  joined(['"id":', '"name":', '"tag":', '"5":', '"…":', '"__proto__":'], value),
  joined(quoted, ':', value),
)
const object = (members: readonly string[]): string => `{${members.join(',')}}`
const plant = fc
  .tuple(fc.nat(9), fc.constantFrom('Fern', ...words), fc.array(member, { maxLength: 2 }))
  .map(([id, name, more]) => object([`"id":${id}`, `"name":"${name}"`, `"tag":"a-tag-as-long-as-a-secret"`, ...more]))
const body = fc.oneof(
  { weight: 4, arbitrary: plant },
  fc.array(member, { maxLength: 3 }).map(object),
  value,
  joined(['{"token":', '{\n"token":\n', '['], text, ['}', ']', '']),
)

const path = fc.oneof(fc.constant('/plants'), joined(['/', '/plants/'], text))
const method = fc.constantFrom('PUT', 'OPTIONS', 'GET', 'a-token-of-somebody-0123456789')
const request = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ method: fc.constant('POST'), path: fc.constant('/plants'), query, headers, body }),
  },
  { weight: 3, arbitrary: fc.record({ method: fc.constant('GET'), path: fc.constant('/plants'), query, headers }) },
  { weight: 2, arbitrary: fc.record({ method, path, query, headers }) },
)
type Sent = typeof request extends fc.Arbitrary<infer T> ? T & { readonly body?: string } : never

const assume: fc.Arbitrary<Assume> = fc.record(
  {
    'create.contentType': fc.constantFrom('ignore', 'require', 'invalid'),
    'create.unknownFields': fc.constantFrom('ignore', 'reject'),
    'create.required': fc.constantFrom('none', 'name+id+tag'),
    'create.emptyStrings': fc.constantFrom('accept', 'reject'),
    'list.limitFormat': fc.constantFrom('digits', 'number', 'prefix'),
    'list.invalidLimit': fc.constantFrom('reject', 'ignore'),
    'list.repeatedLimit': fc.constantFrom('same', 'first', 'last'),
    'list.maxLimit': fc.constantFrom('none', 'clamp', 'reject'),
    'operation.other': fc.constantFrom(404, 405),
    'auth.scope': fc.constantFrom('operations', 'path', 'everywhere'),
  },
  { requiredKeys: [] },
)

const masked = (text: string): string => {
  let shown = text.replaceAll(/sha256\.[\w-]{43}|caller-\d+|…|%E2%80%A6|(?<=not )(?:Infinity|0\.5)/g, '')
  for (const [name, token] of Object.entries(callers)) shown = shown.replaceAll(token, name)
  for (const hidden of [...others, ...words])
    for (const form of [hidden, hidden.replaceAll('/', '~1')])
      shown = shown.replaceAll(form, '').replaceAll(encodeURIComponent(form), '')
  // A caller may have the name of a path in the contract; then only one of the two paths gets the hint.
  return shown.replace(/ Is \S* ?the path of the base URL\? .*? with msw\./, '')
}

const send = async (mock: PlantMock, { path, query, ...init }: Sent) => {
  const response = await mock.fetch(query === '' ? path : `${path}?${query}`, init)
  const { status, headers } = response
  const names = [
    'plant-mock-source',
    'content-type',
    'allow',
    'www-authenticate',
    'accept-encoding',
    'preference-applied',
  ]
  return [status, ...names.map((name) => masked(headers.get(name) ?? '')), masked(await response.text())]
}

const observed = async (mock: PlantMock) => ({
  plants: await mock.plants.all(),
  journal: await mock.requests.all(),
  violations: await mock.violations(),
})

const maskedViolation = ({ request, section, detail }: RecordedViolation) => [request, section, masked(detail)]

const isStored = (text: string, requests: readonly Sent[]): boolean =>
  requests.some(({ body = '' }) =>
    [`"id":${text}`, `"name":"${text}"`, `"tag":"${text}"`].some((field) => body.includes(field)),
  )

describe.skipIf(skipsRedis)('a request full of secrets', () => {
  it('is answered as in memory, by equal replicas, and leaves no secret in the store', async () => {
    const redis = await startRedis()
    closers.push(redis.close)
    let count = 0
    const property = fc.asyncProperty(
      fc.array(request, { minLength: 1, maxLength: 30, size: 'max' }),
      assume,
      fc.boolean(),
      async (requests, assume, hasSnapshots) => {
        const fixtures = garden.slice(0, 4)
        const any = { ...assume, 'auth.tokens': 'any' } as const
        const options = { fixtures, callers, tokens: others, assume: any, onNotice: () => undefined }
        await redis.command('FLUSHALL')
        const alone = createPlantMock(options)
        const store = { url: redis.url, name: `test-${++count}`, maxLogSize: hasSnapshots ? 2_000 : 8_000_000 }
        const start = () => startPlantMock({ ...options, store: sharedState(store) })
        const replicas = [await start(), await start()]
        try {
          for (const [index, sent] of requests.entries()) {
            const { mock } = replicas[index % 2] as StartedPlantMock
            expect([sent, await send(mock, sent)]).toEqual([sent, await send(alone, sent)])
          }
          replicas.push(await start())
          const [first, ...rest] = await Promise.all(replicas.map(({ mock }) => observed(mock)))
          for (const other of rest) expect(other).toEqual(first)
          expect(first?.violations.map(maskedViolation)).toEqual((await alone.violations()).map(maskedViolation))
          const stored = await redis.everything()
          const hidden = secrets.filter((secret) => !isStored(secret, requests))
          expect(hidden.filter((secret) => stored.includes(secret))).toEqual([])
        } finally {
          await Promise.all(replicas.map(({ close }) => close()))
        }
      },
    )
    await fc.assert(property, { numRuns: runs(100) })
  })
})
