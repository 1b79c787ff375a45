import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTraffic } from '../../../src/core/recording/traffic.ts'
import { recordedBodies } from '../../../src/server/files/har-text.ts'
import { PlantMockError } from '../../../src/util/errors.ts'
import { readRecording } from '../../../src/verify/sources/recording.ts'

const token = 'eyJhbGciOiJub25lIn0.c2VjcmV0LXRva2Vu.x-1'
const url = 'https://api.example/v1/plants'
const json = { name: 'Content-Type', value: 'application/json' }
const authorization = { name: 'Authorization', value: `Bearer ${token}` }
const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64')

type Changes = { request?: object; response?: object; [name: string]: unknown }

const entry = ({ request, response, ...rest }: Changes = {}) => ({
  startedDateTime: '2026-11-20T10:00:00.000Z',
  time: 20,
  request: { method: 'GET', url, headers: [authorization], ...request },
  response: {
    status: 200,
    headers: [json],
    content: { size: 2, mimeType: 'application/json', text: '[]' },
    ...response,
  },
  ...rest,
})

const har = (...entries: readonly unknown[]): string => JSON.stringify({ log: { version: '1.2', entries } })
const readText = (text: string, file = 'traffic.har') => readTraffic(JSON.parse(text), file, recordedBodies(file))
const read = (...entries: readonly unknown[]) => readText(har(...entries))
const bodyOf = (content: object) => read(entry({ response: { content } })).exchanges[0]?.body
const sentBody = (postData: object, ...headers: readonly object[]) =>
  read(entry({ request: { method: 'POST', headers, postData } }), entry()).exchanges[0]?.requestBody
const plant = '{"name":"Fern","id":1,"tag":"a"}'
const notesOf = (...entries: readonly unknown[]) => read(...entries).notes.map(({ place, text }) => `${place} ${text}`)

describe('reads what each producer writes', () => {
  it('of Chromium, with the pseudo-headers of HTTP/2', () => {
    const headers = [{ name: ':authority', value: 'api.example' }, authorization, json]
    const { exchanges, notes, unit, isSanitised } = read(
      entry({
        _resourceType: 'fetch',
        request: { method: 'POST', headers, postData: { mimeType: 'application/json', text: plant } },
        response: { status: 201, content: { size: 25, text: '{"name":"Fern","tag":"a"}' } },
      }),
    )
    expect(exchanges).toEqual([
      {
        method: 'POST',
        url: '/plants',
        requestHeaders: { authorization: 'Bearer caller-1', 'content-type': 'application/json' },
        requestBody: plant,
        status: 201,
        responseHeaders: { 'content-type': 'application/json' },
        body: '{"name":"Fern","tag":"a"}',
        startedAt: Date.parse('2026-11-20T10:00:00Z'),
        endedAt: Date.parse('2026-11-20T10:00:00.020Z'),
        place: 1,
      },
    ])
    expect({ notes, unit, isSanitised }).toEqual({ notes: [], unit: 'entry', isSanitised: false })
  })

  it('of Chromium without sensitive data, as one caller, and says what that leaves open', () => {
    const sanitised = { request: { headers: [json] } }
    const { exchanges, isSanitised, notes } = read(
      entry(sanitised),
      entry({ ...sanitised, response: { status: 401, content: {} } }),
    )
    expect(isSanitised).toBe(true)
    expect(exchanges.map(({ requestHeaders, status }) => [requestHeaders.authorization, status])).toEqual([
      ['Bearer caller-1', 200],
    ])
    expect(notes.at(-1)?.text).toContain('every auth.* point stays open')
  })

  it.each([
    'Bearer ***',
    'REDACTED',
    '[redacted]',
    'Bearer xxxxx',
    'Bearer <REDACTED>',
    'Bearer eyJh***',
    'bearer ...',
  ])('of programs that write %s for each token, as one caller', (value) => {
    const masked = { request: { headers: [{ name: 'authorization', value }, json] } }
    const { exchanges, isSanitised, notes } = read(
      entry({ ...masked, response: { status: 401, content: {} } }),
      entry(masked),
      entry({ request: { headers: [] } }),
      entry({ request: { headers: [{ name: 'authorization', value: 'Basic dXNlcjpwYXNz' }] } }),
    )
    expect(isSanitised).toBe(true)
    expect(exchanges.map(({ requestHeaders }) => requestHeaders.authorization)).toEqual(
      Array.from({ length: 2 }, () => 'Bearer caller-1'),
    )
    expect(notes.at(-1)?.text).toContain('every auth.* point stays open')
  })

  it('of a client whose token begins like a mask', () => {
    const headers = [{ name: 'authorization', value: 'Bearer hidden-0123456789abcdef' }]
    const { exchanges, isSanitised } = read(
      entry({ request: { headers }, response: { content: { text: '"hidden-0123456789abcdef"' } } }),
    )
    expect({ isSanitised, exchanges }).toMatchObject({ isSanitised: false, exchanges: [{ body: '"caller-1"' }] })
  })

  it('of a client that sent no token, if nothing succeeded', () => {
    const { exchanges, isSanitised } = read(entry({ request: { headers: [] }, response: { status: 401 } }))
    expect({ isSanitised, exchanges }).toMatchObject({ isSanitised: false, exchanges: [{ status: 401 }] })
  })

  it.each([
    ['a text', { text: plant }, plant],
    ['a text beside params, as Firefox', { text: plant, params: [] }, plant],
    ['base64', { text: base64(plant), encoding: 'base64' }, plant],
  ])('a sent body as %s', (_, postData, expected) => {
    expect(sentBody(postData)).toBe(expected)
  })

  it.each([
    ['base64, as Playwright and Proxyman', { text: base64('["ä"]'), encoding: 'base64', size: 6 }, '["ä"]'],
    ['compressed bytes', { text: base64(gzipSync('[1]')), encoding: 'base64', compression: -20 }, '[1]'],
    ['compressed bytes that are cut', { text: base64(gzipSync('[1]').subarray(0, 15)), encoding: 'base64' }, undefined],
    ['no text for an empty body', { size: 0 }, ''],
    ['no text for a body that was not kept', { size: 900 }, undefined],
    ['no text, as Playwright writes a body that the page did not read', { size: -1 }, undefined],
    ['text that Firefox has cut', { size: 2_000_000, text: '[{"name":' }, undefined],
  ])('a received body as %s', (_, content, expected) => {
    expect(bodyOf(content)).toBe(expected)
  })

  it.each([
    ['br', brotliCompressSync(plant)],
    ['deflate', deflateSync(plant)],
    ['deflate', deflateRawSync(plant)],
    ['x-gzip', gzipSync(plant)],
    ['br', Buffer.from(plant)],
    ['deflate', Buffer.from(plant)],
  ])('bodies in both directions, with Content-Encoding %s', (value, bytes) => {
    const headers = [authorization, { name: 'Content-Encoding', value }]
    const encoded = { text: base64(bytes), encoding: 'base64' }
    const { exchanges } = read(
      entry({ request: { method: 'POST', headers, postData: encoded }, response: { headers, content: encoded } }),
    )
    expect(exchanges).toMatchObject([{ requestBody: plant, body: plant }])
  })

  it('of this mock: the journal, without faults', () => {
    const line = {
      id: 7,
      time: '2026-11-20T10:00:00.000Z',
      milliseconds: 1,
      method: 'GET',
      url: '/plants?limit=1',
      status: 200,
      source: 'contract',
      request: { headers: { authorization: 'Bearer caller-1' } },
      response: { headers: { 'content-type': 'application/json' }, body: '[]' },
    }
    const text = JSON.stringify({ requests: [line, { ...line, id: 8, status: 500, fault: 'status' }] })
    const { exchanges, notes, unit } = readText(text, 'journal.json')
    expect(exchanges).toMatchObject([{ url: '/plants?limit=1', status: 200, body: '[]', place: 7 }])
    expect({ unit, notes }).toMatchObject({ unit: 'request', notes: [{ place: 'journal.json: request 8' }] })
  })
})

describe('leaves out', () => {
  const html = { status: 404, headers: [{ name: 'Content-Type', value: 'text/html' }] }
  const emptied = (length: object) =>
    entry({ request: { method: 'POST', headers: [json, length], postData: { text: '' } } })

  it.each([
    ['an aborted request', entry({ response: { status: 0 } }), 'without a response'],
    ['one that Playwright saw fail', entry({ response: { status: -1 } }), 'without a response'],
    ['a preflight', entry({ request: { method: 'OPTIONS' } }), 'a preflight (OPTIONS)'],
    ['304', entry({ response: { status: 304 } }), 'from the cache'],
    ['the cache of Chromium', entry({ _fromCache: 'memory' }), 'from the cache'],
    [
      'a list that Chromium revalidated',
      entry({ request: { headers: [{ name: 'If-None-Match', value: '"1"' }] }, response: { headers: [] } }),
      'from the cache',
    ],
    ['the cache of Firefox', entry({ cache: { afterRequest: { eTag: 'x' } } }), 'from the cache'],
    ['a create whose body is missing', entry({ request: { method: 'POST', bodySize: 40 } }), "content: 'embed'"],
    ['a create whose body is empty', emptied({ name: 'Content-Length', value: '40' }), "content: 'embed'"],
    [
      'a create of a form without its text',
      entry({ request: { method: 'POST', postData: { params: [{}] } } }),
      'bodies',
    ],
    ['a list whose body is missing', entry({ response: { content: { size: 900 } } }), 'bodies'],
    ['an entry without address', entry({ request: { url: 'plants' } }), 'for other paths'],
    ['no entry', null, 'for other paths'],
    ['an entry without method', entry({ request: { method: 5 } }), 'without a response or a method'],
    ['an entry without status', entry({ response: { status: '200' } }), 'without a response or a method'],
    [
      'a page',
      entry({ request: { headers: [{ name: 'Accept', value: 'text/html' }] }, response: html }),
      'pages and prefetches',
    ],
    ['a delete', entry({ request: { method: 'DELETE', url: `${url}/7` } }), 'plants that the recording did not create'],
    ['other paths', entry({ request: { url: 'https://api.example/app.js' } }), 'for other paths'],
    [
      'the service with fewer exchanges',
      entry({ request: { url: 'https://other.example/plants' } }),
      'of another service, https://other.example, not of https://api.example/v1',
    ],
  ])('%s, and says so', (_, left, reason) => {
    expect(read(left, entry(), entry()).exchanges).toHaveLength(2)
    expect(notesOf(left, entry(), entry())).toEqual([expect.stringContaining(reason)])
    expect(notesOf(left, entry(), entry())[0]).toMatch(/^traffic\.har: entry 1 /)
  })
})

describe('counts a request of a page and its service worker once', () => {
  const at = (milliseconds: number) => new Date(Date.parse('2026-11-20T10:00:00Z') + milliseconds).toISOString()
  const create = { method: 'POST', headers: [json], postData: { text: plant } }
  const page = { startedDateTime: at(0), request: create, response: { status: 201 } }
  const worker = {
    startedDateTime: at(5),
    request: { ...create, headers: [authorization, json] },
    response: { status: 201, content: { text: '' } },
  }
  const both = (inPage: Changes, inWorker: Changes) => [
    entry({ ...worker, ...inWorker }),
    entry({ ...page, ...inPage }),
  ]

  it.each([
    ['Playwright', both({}, { _serviceWorkerRef: 'worker@1' })],
    ['Chromium', both({ response: { status: 201, _fetchedViaServiceWorker: true } }, {})],
  ])('if %s recorded it', (_, entries) => {
    const { exchanges, notes } = read(...entries)
    expect(exchanges).toMatchObject([{ place: 2, requestHeaders: { authorization: 'Bearer caller-1' }, body: '[]' }])
    expect(notes).toMatchObject([{ text: expect.stringContaining('forwarded by its service worker') }])
  })

  it.each([
    ['no entry has a mark', both({}, {})],
    ['it was sent later', both({}, { startedDateTime: at(25), _serviceWorkerRef: 'worker@1' })],
    [
      'the bodies differ',
      both({ request: { ...create, postData: { text: '{}' } } }, { _serviceWorkerRef: 'worker@1' }),
    ],
  ])('but not if %s', (_, entries) => {
    expect(read(...entries).exchanges).toHaveLength(2)
  })
})

it('orders exchanges by their start; those of the same time stay in the order of the file', () => {
  const early = entry({ startedDateTime: '2026-11-20T09:00:00Z' })
  expect(read(entry(), early, entry(), early).exchanges.map(({ place }) => place)).toEqual([2, 4, 1, 3])
})

it('takes the service with lists, creates and tokens, not the one with more requests', () => {
  const shop = { method: 'GET', url: 'https://shop.example/plants', headers: [] }
  const pages = Array.from({ length: 3 }, () => entry({ request: shop, response: { content: { text: '{}' } } }))
  const loaded = entry({ _resourceType: 'document', request: shop, response: { headers: [] } })
  const { exchanges, notes } = read(...pages, loaded, entry())
  expect(exchanges.map(({ place }) => place)).toEqual([5])
  expect(notes.map(({ text }) => text)).toEqual([
    '3 exchanges left out: of another service, https://shop.example, not of https://api.example/v1',
    '1 exchange left out: pages and prefetches of a browser',
  ])
})

it.each([
  ['_', ['?_=1', '?limit=2&_=7'], ['/plants', '/plants?limit=2']],
  ['times', ['?t=1764327721000', '?t=1764327722000'], ['/plants', '/plants']],
  ['what never changes a list', ['', '?v=2', '+', '', '?v=2'], Array.from({ length: 4 }, () => '/plants')],
  ['but no filter', ['', '?tag=a', '?tag=b', ''], ['/plants', '/plants?tag=a', '/plants?tag=b', '/plants']],
  ['but no filter by time', ['?since=1764327721000', '-'], ['/plants?since=1764327721000', '/plants']],
])('ignores parameters against caches: %s', (_, queries, expected) => {
  let plants = 1
  const entries = queries.map((query) => {
    if (query === '+') plants++
    if (query === '+') return entry({ request: { method: 'POST', postData: { text: plant } } })
    const text = JSON.stringify(Array.from({ length: query === '-' ? 5 : plants }, () => ({ name: 'a', tag: 'b' })))
    return entry({ request: { url: `${url}${query.replace('-', '')}` }, response: { content: { text } } })
  })
  const lists = read(...entries).exchanges.filter(({ method }) => method === 'GET')
  expect(lists.map((one) => one.url)).toEqual(expected)
})

describe('replaces tokens before anything is kept', () => {
  const other = 'another-secret-token-0123456789'
  const jwt = (id: number): string =>
    `e30.${Buffer.from(JSON.stringify({ iss: 'x', sub: 'ann', id })).toString('base64url')}.aaaa`

  it.each([
    [
      'names callers in the order in which they appear, and keeps the scheme',
      [`Bearer ${token}`, `bearer ${other}`, `Bearer ${token}`],
      ['Bearer caller-1', 'bearer caller-2', 'Bearer caller-1'],
    ],
    [
      'takes tokens of one user as one caller',
      [`Bearer ${jwt(1)}`, `Bearer ${jwt(2)}`],
      ['Bearer caller-1', 'Bearer caller-1'],
    ],
    ['keeps that a header is malformed', ['Basic dXNlcjpwYXNzd29yZA==', 'Bearer', token], ['Basic …', '…', '…']],
  ])('%s', (_, values, callers) => {
    const { exchanges } = read(
      ...values.map((value) => entry({ request: { headers: [{ name: 'authorization', value }] } })),
    )
    expect(exchanges.map(({ requestHeaders }) => requestHeaders.authorization)).toEqual(callers)
  })

  it('in addresses, bodies and other headers, wherever a file has them', () => {
    const cookie = 'session=0123456789abcdef0123'
    const text = JSON.stringify({ error: `${token} and 0123456789abcdef0123` })
    const traffic = read(
      entry({
        request: { url: `${url}?access_token=query-secret-0123456789`, headers: [authorization] },
        response: { status: 403, headers: [{ name: 'Set-Cookie', value: cookie }], content: { text } },
      }),
      entry({ response: { content: { text: '"query-secret-0123456789"' } } }),
    )
    expect(JSON.stringify(traffic)).not.toMatch(/secret-0|c2VjcmV0|0123456789abcdef/)
    expect(traffic.exchanges[0]?.body).toBe('{"error":"caller-1 and …"}')
  })
})

describe('refuses in one line', () => {
  it.each([
    ['another document', '{"openapi":"3.1.0"}', 'traffic.har has neither the list log.entries'],
    [
      'no exchange with plants',
      har(entry({ request: { url: 'https://a.example/' } })),
      'no request of an API for a path',
    ],
    [
      'two services with as many requests',
      har(entry(), entry({ request: { url: 'https://b.example/plants' } })),
      'shows two services equally: https://api.example/v1 and https://b.example. Record one',
    ],
  ])('%s', (_, text, expected) => {
    expect(() => readText(text)).toThrow(expected)
    expect(() => readText(text)).toThrow(PlantMockError)
  })

  it('any text, and any JSON in the shape of a HAR', () => {
    const odd = fc.oneof(
      fc.json().map((text): unknown => JSON.parse(text)),
      fc.string(),
      fc.integer(),
      fc.constant(null),
    )
    const headers = fc.oneof(fc.array(fc.record({ name: fc.string(), value: fc.string() })), odd)
    const oddEntry = fc.record({
      startedDateTime: odd,
      time: odd,
      cache: odd,
      request: fc.record({
        method: fc.constantFrom('GET', 'POST', 'PUT'),
        url: fc.oneof(fc.constant(url), fc.webUrl(), fc.string()),
        headers,
        postData: fc.record({ text: fc.oneof(fc.string(), odd), params: fc.oneof(fc.array(odd), odd), encoding: odd }),
      }),
      response: fc.record({
        status: fc.oneof(fc.constantFrom(200, 201, 400, 401, 409, 429), fc.integer(), fc.double()),
        headers,
        content: fc.record({ text: odd, size: odd, encoding: fc.constantFrom('base64', null) }),
      }),
    })
    const text = fc.oneof(
      fc.json(),
      fc.array(fc.oneof(oddEntry, odd)).map((all) => har(...all)),
    )
    fc.assert(
      fc.property(text, (input) => {
        try {
          readRecording(JSON.parse(input), 'x.har')
        } catch (error) {
          expect(error).toBeInstanceOf(PlantMockError)
        }
      }),
    )
  })
})
