import fc from 'fast-check'

export const mostly = <T>(usual: fc.Arbitrary<T>, ...others: fc.Arbitrary<T>[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 4 * others.length, arbitrary: usual }, ...others)

const latin1Text = (maxLength: number): fc.Arbitrary<string> =>
  fc.uint8Array({ maxLength }).map((array) => Buffer.from(array).toString('latin1'))

const utf8 = (text: string): string => Buffer.from(text).toString('latin1')

const method = mostly(
  fc.constantFrom('GET', 'POST'),
  fc.constantFrom('HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'CONNECT', 'PRI', 'PROPFIND'),
  fc.constantFrom('', 'get', 'GET\t', 'G ET', '__proto__', 'X'.repeat(5_000)),
  latin1Text(6),
)

const target = mostly(
  fc.constantFrom('/plants', '/plants?limit=1', '/plants?limit=-1', '/plants?limit=1&limit=2', '/plants?limit=%ZZ'),
  fc.constantFrom('', ' ', '*', '/', '//plants', '/plants/', '/./plants', '/../plants', '/%2e%2e/plants', '\\plants'),
  fc.constantFrom('/plants#x', '/pl\0ants', '/plants%00', '/pl\xE4nts', '/__proto__', '/constructor', 'plants'),
  fc.constantFrom('http://127.0.0.1/plants', 'http://evil.example/plants', 'evil.example:80', 'x://', 'http:///'),
  fc.constantFrom('/__plant-mock', '/__plant-mock/state', '/__plant-mock/events', '/__plant-mock/__proto__'),
  fc.constantFrom(
    '/__plant-mock/../plants',
    '/plants/../__plant-mock/state',
    '//__plant-mock/state',
    '/%5f_plant-mock/state',
    '/__plant-mock%2Fstate',
    '/__plant-mock//state',
    'http://evil.example/__plant-mock/state',
  ),
  fc.nat(20_000).map((length) => `/${'x'.repeat(length)}`),
  fc.nat(20_000).map((length) => `/plants?limit=${'9'.repeat(length)}`),
  fc.webPath(),
  latin1Text(12),
)

const version = mostly(
  fc.constant('HTTP/1.1'),
  fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.10', 'HTTP/1.', 'http/1.1', 'HTTP/1.1 ', ''),
)

const authorization = mostly(
  fc.constantFrom('Bearer alice', 'Bearer bob', 'bearer  carol'),
  fc.constantFrom('', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer a b', 'Bearer __proto__', 'Bearer \xE4', 'Bearer ='),
  fc.nat(18_000).map((length) => `Bearer ${'t'.repeat(length)}`),
  latin1Text(20),
)

const contentType = mostly(
  fc.constant('application/json'),
  fc.constantFrom('text/plain', 'application/json; charset=utf-7', 'application/jsonx', ''),
  fc.nat(9_000).map((length) => `application/json${' '.repeat(length)}x`),
)

const session = fc.oneof(
  fc.constantFrom('one', '', ' ', '__proto__', 'constructor', 'a, b', '\xE4'),
  fc.nat(300).map((length) => 's'.repeat(length)),
)

const line = fc.oneof(
  authorization.map((value) => `Authorization: ${value}`),
  session.map((value) => `Plant-Mock-Session: ${value}`),
  fc.constantFrom('Host: 127.0.0.1', 'Host: evil.example', 'Host:', 'Origin: http://evil.example', 'Origin: null'),
  fc.constantFrom(
    'Connection: close',
    'Connection: keep-alive',
    'Connection: Upgrade',
    'Connection: Transfer-Encoding',
  ),
  fc.constantFrom('Upgrade: websocket', 'Upgrade: h2c', 'Expect: 100-continue', 'Expect: nothing', 'TE: trailers'),
  fc.constantFrom('Access-Control-Request-Method: POST', 'Access-Control-Request-Headers: a b', 'Sec-Fetch-Site: none'),
  fc.constantFrom(
    '__proto__: x',
    'constructor: x',
    'X:\r\n folded',
    'X: a\rb',
    'X: a\nb',
    'X: a\0b',
    'X',
    ': x',
    'X : y',
  ),
  fc.nat(18_000).map((length) => `X: ${'y'.repeat(length)}`),
  fc.integer({ min: 1, max: 3_000 }).map((count) => Array.from({ length: count }, (_, i) => `X-${i}: y`).join('\r\n')),
  fc.tuple(latin1Text(6), latin1Text(12)).map(([name, value]) => `${name}: ${value}`),
)

const json = mostly(
  fc
    .record({ id: fc.integer(), name: fc.string({ unit: 'grapheme' }), tag: fc.string() })
    .map((plant) => JSON.stringify(plant)),
  fc.json(),
  fc.constantFrom(
    '{"id":1e999,"name":"a","tag":"b"}',
    `{"id":${'9'.repeat(5_000)},"name":"a","tag":"b"}`,
    '{"id":-0,"name":"\\ud800","tag":"\\u0000"}',
    '{"__proto__":{"polluted":1},"id":1,"name":"a","tag":"b"}',
    '{"constructor":{"prototype":{"polluted":1}},"id":2,"name":"a","tag":"b"}',
    '{"id":{"__proto__":{"polluted":1}},"name":[],"tag":null}',
    `{"id":3,"name":"a","tag":"b","x":${'['.repeat(7_000)}${']'.repeat(7_000)}}`,
    '['.repeat(16_000),
    '{"a":'.repeat(3_000),
    '\uFEFF{"id":4,"name":"a","tag":"b"}',
    '\uFEFF',
    `"${'x'.repeat(17_000)}"`,
  ),
)

const body = mostly(json.map(utf8), latin1Text(40), fc.constantFrom('', '\xFF\xFE', '\xC3', '\xED\xA0\x80'))

const framed = fc
  .tuple(
    body,
    mostly(
      fc.constantFrom('length', 'chunks', 'none'),
      fc.constantFrom('short', 'long', 'twice', 'both', 'identity', 'empty', 'negative', 'list'),
    ),
  )
  .map(([body, framing]) => {
    const { length } = body
    const whole = `${length.toString(16)};a=b\r\n${body}\r\n`
    const chunks = `${length === 0 ? '' : whole}0\r\nX: y\r\n\r\n`
    const framings: Readonly<Record<string, readonly [headers: readonly string[], body: string]>> = {
      length: [[`Content-Length: ${length}`], body],
      chunks: [['Transfer-Encoding: chunked'], chunks],
      none: [[], ''],
      short: [[`Content-Length: ${Math.floor(length / 2)}`], body],
      long: [[`Content-Length: ${length + 5}`], body],
      twice: [[`Content-Length: ${length}`, 'Content-Length: 0'], body],
      both: [[`Content-Length: ${length}`, 'Transfer-Encoding: chunked'], chunks],
      identity: [['Transfer-Encoding: chunked, identity'], chunks],
      empty: [['Content-Length:'], body],
      negative: [['Transfer-Encoding: chunked'], `-1\r\n${body}`],
      list: [[`Content-Length: ${length}, ${length}`], body],
    }
    return framings[framing] ?? [[], body]
  })

const request = fc
  .record({
    method,
    target,
    version,
    type: contentType,
    lines: fc.array(line, { maxLength: 4 }),
    framed,
    end: mostly(fc.constant('\r\n'), fc.constantFrom('\n', '\r')),
  })
  .map(({ method, target, version, type, lines, framed: [framing, body], end }) => {
    const own = ['Host: 127.0.0.1', 'Authorization: Bearer alice', `Content-Type: ${type}`]
    return [`${method} ${target} ${version}`, ...own, ...lines, ...framing, '', body].join(end)
  })

const mutation = fc.record({
  kind: fc.constantFrom('remove', 'repeat', 'replace'),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat(20),
  replacement: latin1Text(4),
})

const mutate = (
  text: string,
  { kind, share, length, replacement }: { kind: string; share: number; length: number; replacement: string },
) => {
  const start = Math.floor(share * text.length)
  const end = start + length
  if (kind === 'remove') return text.slice(0, start) + text.slice(end)
  return kind === 'repeat'
    ? text.slice(0, end) + text.slice(start)
    : text.slice(0, start) + replacement + text.slice(end)
}

export const malformedHttp: fc.Arbitrary<readonly Uint8Array[]> = fc
  .tuple(
    fc.array(mostly(request, latin1Text(60)), { minLength: 1, maxLength: 4 }),
    fc.oneof(fc.array(mutation, { maxLength: 0 }), fc.array(mutation, { maxLength: 3 })),
    fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
  )
  .map(([requests, mutations, cuts]) => splitAt(mutations.reduce(mutate, requests.join('')), cuts))

export const splitAt = (text: string, cuts: readonly number[]): readonly Uint8Array[] => {
  const ends = [...cuts.map((cut) => Math.floor(cut * text.length)), text.length].sort((a, b) => a - b)
  return ends.map((end, i) => Buffer.from(text.slice(ends[i - 1] ?? 0, end), 'latin1'))
}
