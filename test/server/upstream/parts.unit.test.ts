import { describe, expect, it } from 'vitest'
import { isOrigin } from '../../../src/core/http/address.ts'
import { holdBody } from '../../../src/server/upstream/handler.ts'
import {
  describeFailure,
  isLoop,
  parseTarget,
  requestHeadersToForward,
  responseHeadersToForward,
  targetName,
  type UpstreamConnection,
  UpstreamTimeout,
} from '../../../src/server/upstream/send.ts'
import { originCheck } from '../../../src/server/upstream/upstream.ts'

describe('an address of the upstream in a response', () => {
  it.each([
    [
      'https://real.example/api',
      '',
      'Location',
      'https://real.example/api/login?next=%2Fa#top',
      '/login?next=%2Fa#top',
    ],
    ['https://real.example/api', '/v1', 'Location', '/api/login', '/v1/login'],
    ['https://real.example/', '', 'Location', '//real.example/login', '/login'],
    ['https://real.example', '', 'Location', '//real.example//evil.example/x', '/.//evil.example/x'],
    ['https://real.example', '', 'Location', '/x/..//evil.example/x', '/.//evil.example/x'],
    ['https://real.example', '/v1', 'Location', 'https://real.example//evil.example', '/v1//evil.example'],
    ['https://real.example/api', '', 'Location', 'https://REAL.example:443/api', '/'],
    ['https://real.example/api', '', 'Location', 'https://real.example/apis', 'https://real.example/apis'],
    ['https://real.example', '', 'Location', 'https://id.example/login', 'https://id.example/login'],
    ['https://real.example', '', 'Location', 'next?page=2', 'next?page=2'],
    ['https://real.example', '', 'Location', 'http://[', 'http://['],
    ['https://real.example/api', '', 'Content-Location', '/api/plants', '/plants'],
    ['https://real.example', '', 'Set-Cookie', 'sid=a; Domain=.real.example; HttpOnly', 'sid=a; HttpOnly'],
    ['https://real.example/api', '', 'Set-Cookie', 'domain=x; domain = real.example', 'domain=x'],
    ['https://real.example/api', '', 'Set-Cookie', 'sid=a; path=/api/; Secure', 'sid=a; Path=/; Secure'],
    ['https://real.example/api', '/v1', 'Set-Cookie', 'sid=a; Path=/api/user', 'sid=a; Path=/v1/user'],
    ['https://real.example/api', '', 'Set-Cookie', 'sid=a; Path=/other', 'sid=a; Path=/'],
    [
      'https://real.example',
      '',
      'Link',
      '<https://real.example/x>; rel="next"',
      '<https://real.example/x>; rel="next"',
    ],
  ])('%s, base path %j: %s: %s', (target, basePath, name, value, expected) => {
    expect(responseHeadersToForward(200, [name, value], { target: new URL(target), basePath })).toEqual([
      name,
      expected,
    ])
  })
})

describe('the headers that are forwarded', () => {
  const headers = [
    'Connection',
    'close, X-Mine , Host, content-length',
    'x-mine',
    '1',
    'Host',
    'h',
    'Content-Length',
    '2',
  ]

  it('leave out those of the connection, and those that Connection names', () => {
    expect(
      responseHeadersToForward(200, [...headers, 'TE', 't', 'Plant-Mock-Source', 's', 'X', 'x'], {
        target: new URL('http://real.example'),
        basePath: '',
      }),
    ).toEqual(['Host', 'h', 'Content-Length', '2', 'X', 'x'])
  })

  it('name this mock in Via, after those before', () => {
    expect(requestHeadersToForward(['Plant-Mock-Session', 's', 'X', 'x'], 'me')).toEqual(['X', 'x', 'via', '1.1 me'])
    expect(requestHeadersToForward(['Via', '1.0 a', 'via', '1.1 b'], 'me')).toEqual(['via', '1.0 a, 1.1 b, 1.1 me'])
  })

  it.each([
    ['1.1 me', true],
    ['1.0 other,  1.1   me (comment)', true],
    ['1.1 other', false],
    ['me', false],
  ])('show a loop by Via: %s', (via, expected) => {
    expect(isLoop(['Via', via], 'me')).toBe(expected)
    expect(isLoop([], 'me')).toBe(false)
  })
})

describe('a body of the upstream', () => {
  const mebi = 1024 * 1024
  async function* chunks(count: number, size: number) {
    for (let index = 0; index < count; index++) yield new Uint8Array(size)
  }

  it('is held up to 16 MiB; the rest can still be read', async () => {
    const held = await holdBody(chunks(16, mebi))
    expect([held.bytes.length, held.rest]).toEqual([16 * mebi, undefined])
    const { bytes, rest } = await holdBody(chunks(19, mebi))
    expect(bytes.length).toBe(17 * mebi)
    let more = 0
    for await (const chunk of rest ?? []) more += chunk.length
    expect(more).toBe(2 * mebi)
  })
})

describe('a failure of the connection', () => {
  const failure = (error: unknown) =>
    describeFailure(error, { target: new URL('http://up'), timeout: 1_500, route: {} } as UpstreamConnection)
  const withCode = (code: string) => failure(Object.assign(new Error('why'), { code }))

  it('is a timeout, with the option for a longer one', () => {
    const timeout = {
      problem: 'upstream-timeout',
      detail: 'http://up did not respond within 1.5 s. Allow more with --timeout.',
    }
    expect(failure(new UpstreamTimeout())).toEqual(timeout)
    expect(withCode('ERR_UPSTREAM_UPGRADE_TIMEOUT')).toEqual(timeout)
  })

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT'])('is an upstream that cannot be reached for %s', (code) => {
    expect(withCode(code)).toEqual({
      problem: 'upstream-unreachable',
      detail: `http://up cannot be reached (${code}: why).`,
    })
  })

  it.each(['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'])(
    'is a certificate that is not trusted: %s',
    (code) => {
      expect(withCode(code)).toMatchObject({ problem: 'upstream-unreachable', detail: expect.stringContaining(code) })
      expect(withCode(`X_${code}`).problem).toBe('upstream-broken')
    },
  )

  it('has its code and its message', () => {
    expect(withCode('ECONNRESET')).toEqual({
      problem: 'upstream-broken',
      detail: 'http://up closed the connection (ECONNRESET: why).',
    })
    expect(failure(new Error('why')).detail).toBe('http://up closed the connection (why).')
  })
})

describe('the target', () => {
  it('is shown without a slash at its end', () => {
    const names = ['http://up', 'http://up/', 'https://up:8443/a/b//'].map((url) => targetName(parseTarget(url)))
    expect(names).toEqual(['http://up', 'http://up', 'https://up:8443/a/b'])
  })

  it.each(['xhttp://up', 'httpx://up', 'http://u@up', 'http://:p@up', 'http://up/#a', 'http://up/?a', 'up'])(
    'is not %s',
    (url) => {
      expect(() => parseTarget(url)).toThrow(/upstream/)
    },
  )
})

describe('the origin of a page', () => {
  it.each([
    ['https://app.example.com', true],
    ['https://app.example.com:8443', true],
    ['chrome-extension://abc', true],
    ['web3://app', true],
    ['https://app.example.com?a', false],
    ['https://a@b', false],
    [' https://a', false],
    ['https://', false],
    ['http://a:99999', false],
    ['1http://a', false],
  ])('%s is one: %s', (text, expected) => {
    expect(isOrigin(text)).toBe(expected)
  })

  const refused = (headers: Record<string, string>, allowed: readonly string[] = [], bound = '127.0.0.1') =>
    originCheck(allowed, bound)((name) => headers[name]) !== undefined

  it.each<[string, Record<string, string>, boolean]>([
    ['a page without an origin', { origin: 'null' }, true],
    ['a name that begins like loopback', { origin: 'http://127.0.0.1.evil.example' }, true],
    ['a name after a user', { origin: 'http://localhost@evil.example' }, true],
    ['an origin without a host', { origin: 'https://' }, true],
    ['a page under the name of a mock on loopback', { origin: 'http://evil.example', host: 'evil.example' }, true],
    ['an image', { 'sec-fetch-site': 'cross-site', referer: 'https://evil.example/page' }, true],
    ['an image of a hidden page', { 'sec-fetch-site': 'cross-site' }, true],
    ['a link', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, false],
    ['a frame', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }, true],
    ['a fetch', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'document' }, true],
  ])('decides: %s', (_, headers, expected) => {
    expect(refused(headers)).toBe(expected)
  })

  it.each([
    ['its site, another origin', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }, true],
    ['a Referer alone, as over HTTP', { referer: 'http://evil.example/page' }, true],
    ['its own Referer', { referer: 'http://mock.example:4010/page' }, false],
    ['a Referer on this machine', { referer: 'http://localhost:5173/page' }, false],
    ['its own origin', { 'sec-fetch-site': 'same-origin', referer: 'http://mock.example:4010/' }, false],
    ['an address that was typed', { 'sec-fetch-site': 'none' }, false],
    ['neither, as no browser does', {}, false],
  ] as const)('is recognised where other machines reach the mock, without Origin, by %s', (_, headers, expected) => {
    expect(refused({ host: 'mock.example:4010', ...headers }, [], '0.0.0.0')).toBe(expected)
  })

  it('is not allowed with null, if it has a scheme of its own or an empty Host', () => {
    expect(refused({ origin: 'null', host: '' }, ['null'])).toBe(true)
    expect(refused({ origin: 'xhttps://evil.example' }, ['null'])).toBe(true)
  })

  it('is named in the refusal, with the option that allows it', () => {
    const detail = (origin: string) => originCheck([], '127.0.0.1')((name) => (name === 'origin' ? origin : undefined))
    expect(detail('https://A.example')).toBe(
      'Pages of the origin "https://A.example" may not reach the upstream. If they should, start with --allow-origin https://a.example.',
    )
    expect(detail('nonsense')).toMatch(/--allow-origin ORIGIN\.$/)
  })
})
