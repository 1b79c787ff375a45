import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redactHeader, redactor, secretsIn } from '../../../src/core/http/redact.ts'
import { replaceDecoded } from '../../../src/util/decoded-text.ts'
import { hex, plain } from '../../support/encodings.ts'

const token = 'a1B2c3D4-e5.F6_g7~H8+i9/J0=='
const redact = redactor(() => new Map([[token, 'caller-1']]))
/** The ways in which software writes a character of a token. */
const forms: readonly ((character: string) => string)[] = [
  (character) => character,
  encodeURIComponent,
  (character) => `%${hex(character)}`,
  (character) => `%25${hex(character).toUpperCase()}`,
  (character) => `%2525${hex(character)}`,
  (character) => `\\u${hex(character, 4)}`,
  (character) => `\\\\u${hex(character, 4).toUpperCase()}`,
  (character) => `%5Cu${hex(character, 4)}`,
  (character) => (character === '/' ? '\\/' : character),
  (character) => (character === '+' ? ' ' : character),
  (character) => `&#${character.charCodeAt(0)};`,
  (character) => `&#x${hex(character)};`,
]

describe('a token in any text', () => {
  it('is found in every mixture of percent-encoding and JSON escapes', () => {
    const around = fc.string({ unit: 'grapheme', maxLength: 20 })
    const written = fc
      .array(fc.nat(forms.length - 1), { minLength: token.length, maxLength: token.length })
      .map((choices) => choices.map((choice, index) => forms[choice]?.(token[index] ?? '')).join(''))
    fc.assert(
      fc.property(around, written, around, (before, text, after) => {
        const shown = plain(redact(`${before} ${text} ${after}`))
        expect([shown.includes(token), shown.includes(token.replaceAll('+', ' '))]).toEqual([false, false])
      }),
    )
  })

  it.each([
    ['as it is', token, 'caller-1'],
    ['in a longer word', `id-${token}-x`, 'id-caller-1-x'],
    ['several times', `${token} ${token}`, 'caller-1 caller-1'],
    ['in a path', `/plants/${encodeURIComponent(token)}?limit=1`, '/plants/caller-1?limit=1'],
    ['with other text that is encoded', `/a%20b/${token}%20c\\u0041`, '/a%20b/caller-1%20c\\u0041'],
  ])('is replaced %s', (_, text, expected) => {
    expect(redact(text)).toBe(expected)
  })

  it('that begins another token does not leave the rest of it', () => {
    const both = redactor(
      () =>
        new Map([
          [token, 'caller-1'],
          [`${token}xyz`, 'caller-2'],
        ]),
    )
    expect(both(`${token}xyz ${token}`)).toBe('caller-2 caller-1')
  })

  it.each([
    's%3Aq7Yk3vTn7LmB2wRf8Yp4cZx.9xKb3vTnabc',
    String.raw`a\u0041bcdefgh\/ijklmnop`,
    'aBcd&efgh#ijkl%mnop<qrst>',
    'aBcd+efgh+ijkl+mnop',
  ])('that looks encoded, or has characters that end a value, is found in every form: %s', (secret) => {
    const hide = redactor(() => new Map([[secret, '…']]))
    const decoded = secret.replaceAll(/%3A|\\u0041|\\\//g, (code) => JSON.parse(`"${code.replace('%', '\\u00')}"`))
    for (const text of [secret, decoded]) {
      const lower = encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase())
      const written = [text, encodeURIComponent(text), lower, JSON.stringify(text), new URLSearchParams([['', text]])]
      for (const form of written) expect(hide(`x ${form} y`)).toMatch(/^x =?"?…"? y$/)
    }
  })

  it('that only a registry knows gets its name', () => {
    const nameOf = (text: string) => (text === 'token-of-somebody-else' ? 'caller-9' : undefined)
    expect(redactor(() => new Map(), nameOf)('/x/token-of-somebody-else/y')).toBe('/x/caller-9/y')
  })
})

describe('what looks like a secret', () => {
  const jwt = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl'
  it.each([
    ['a JWT', `name ${jwt}!`, 'name …!'],
    ['an unsigned JWT', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.', '…'],
    ['a JWT in a word', `x${jwt}`, 'x…'],
    ['an encoded JWT', jwt.replaceAll('.', '%2E').replace('e', '\\u0065'), '…'],
    ['access_token', '/a?access_token=abc&limit=3', '/a?access_token=…&limit=3'],
    ['an encoded name', '/a?access%5Ftoken=abc&%74oken=x', '/a?access%5Ftoken=…&%74oken=…'],
    ['token', '/a?token=abc', '/a?token=…'],
    ['id_token and refresh_token', 'id_token=a&refresh_token=b', 'id_token=…&refresh_token=…'],
    ['api_key', '/a?api_key=abc#f', '/a?api_key=…#f'],
    [
      'apiKey, jwt, key, client_secret',
      '?apiKey=1&jwt=2&key=3&client_secret=4',
      '?apiKey=…&jwt=…&key=…&client_secret=…',
    ],
    ['a list of tokens', '?token[]=a&tokens=b', '?token[]=…&tokens=…'],
    [
      'an address in an address',
      '?to=https%3A%2F%2Fx%2F%3Faccess_token%3Dabc',
      '?to=https%3A%2F%2Fx%2F%3Faccess_token%3D…',
    ],
    ['an encoded ampersand in the value', '?token=a%26b&x=1', '?token=…&x=1'],
    ['a header in a message', 'sent authorization: Bearer abcdefghijklmnop4q.', 'sent authorization: Bearer …'],
    ['JSON', '{"access_token":"a\\"b","name":"n"}', '{"access_token":"…","name":"n"}'],
    ['JSON with an escaped name', '{"access\\u005ftoken":"ab"}', '{"access\\u005ftoken":"…"}'],
    ['JSON in JSON', '{"body":"{\\"token\\":\\"abc\\",\\"x\\":1}"}', '{"body":"{\\"token\\":\\"…\\",\\"x\\":1}"}'],
    ['an array in JSON', '{"tokens":["a","b"],"x":1}', '{"tokens":"…","x":1}'],
    ['an object in JSON', '{"token":{"v":{"w":1}},"x":1}', '{"token":"…","x":1}'],
    ['a value with punctuation', "?token=a,b;c'd&x=1", '?token=…&x=1'],
    ['a password in an address', 'GET http://u:pass@host/x', 'GET http://u:…@host/x'],
    ['JSON in a query', `?f=${encodeURIComponent('{"token":"a \\"b\\" c"}')}`, '?f=%7B%22token%22%3A%22…%22%7D'],
    ['a JWT after another eyJ', `GreyJasmine${jwt}`, 'GreyJasmine…'],
    ['a JWT with a long name in its header', `${btoa(`{"https://example.com/${'n'.repeat(82)}":1}`)}.e30.`, '…'],
    ['an opaque token after a scheme', '{"note":"Bearer 9f8a-XbT2q_7Lm04kRz"}', '{"note":"Bearer …"}'],
    ['a UUID after a scheme', 'token 550e8400-e29b-41d4-a716-446655440000', 'token …'],
    ['Basic credentials', 'Basic YWxpY2U6cGFzc3dvcmQ=', 'Basic …'],
    ['words after Authorization', 'Authorization: Bearer words-of-a-secret', 'Authorization: Bearer …'],
    ['a number in JSON', '{"token":12345,"x":1}', '{"token":"…","x":1}'],
  ])('is hidden: %s', (_, text, expected) => {
    expect(redact(text)).toBe(expected)
  })

  it.each([
    '/plants?limit=3',
    'A list has no query parameter token; it has limit.',
    'Send the header Authorization: Bearer <token>.',
    '{"name":"Token of love","tag":"secret garden","id":7}',
    '{"token":null}',
    'Basic photosynthesis-guide',
    'bearer chrysanthemum-morifolium',
    'Basic succulent-starter-2',
    'Bearer Monstera-Albo-4L',
    'Token strawberry-plant-2024',
    'Negotiate sunflower-Seeds-2000',
    'Basic JapaneseMapleBonsai',
    'GreyJasmine.potted.large',
    'www.heyJupiter.co.uk',
    'eyJ1bmlwZXI.eyJ1bmlwZXI.x',
    'sort-key=1&cache-key=2&x-primary-key=3&foreign_key=4&partition-keys=5',
    'assumption; names="list.order"',
    '100 % \\o/ %zz',
  ])('does not include %s', (text) => {
    expect(redact(text)).toBe(text)
  })

  // From some 5 MiB on, a quantifier without a bound overflows the stack.
  it.each([
    ...['A', '%41', 'a/'].map((pattern) => [8, pattern] as const),
    ...['\\u0041', '25', '.', 'Ab', 'token ', 'eyJ', '+', ' '].map((pattern) => [1, pattern] as const),
  ])('is found after and before %i MiB of %j', (mebibytes, pattern) => {
    const long = pattern.repeat((mebibytes * 1024 * 1024) / pattern.length)
    expect(redact(`${long} ${token} ${long}`) === `${long} caller-1 ${long}`).toBe(true)
  })

  it('is found among a thousand secrets', () => {
    const secrets = Array.from({ length: 1_000 }, (_, number) => `secret+number-${number}-0123456789`)
    const ofMany = redactor(() => new Map(secrets.map((secret, number) => [secret, `caller-${number + 1}`])))
    const text = 'QUJD'.repeat(64 * 1024)
    const shown = ofMany(`${text} ${secrets[7]} ${secrets[700]?.replace('+', ' ')} ${text}`)
    expect(shown === `${text} caller-8 caller-701 ${text}`).toBe(true)
  })

  it('hides a text that cannot be searched', () => {
    const failing = redactor(() => {
      throw new RangeError('Maximum call stack size exceeded')
    })
    expect(failing('/plants')).toBe('…')
  })

  it('is found in time, whatever the text', () => {
    const patterns = [
      '\\',
      '%25',
      '"',
      'eyJ',
      '=',
      '"token":"',
      'token ',
      'a/',
      '%',
      '\\u',
      'eyJ.',
      ':"',
      'token=',
      'a_token=b',
      '//:',
      '"token":{',
      '"token":"\\"',
    ]
    for (const pattern of patterns) {
      const text = pattern.repeat(200_000)
      const began = process.cpuUsage()
      redact(text)
      redact(`${text}.a.b`)
      const { user } = process.cpuUsage(began)
      expect([pattern, user < 5_000_000]).toEqual([pattern, true])
    }
  })
})

describe('the value of a member or parameter that is named as a secret', () => {
  const secret = 'Zq9xK3vTn7LmB2wRf8Yp4c'

  it.each([
    '{"credentials":{"a":"}","b":"S"}}',
    '{"tokens":["]","x","S"]}',
    String.raw`{"text":"{\"tokens\":[\"]\",\"S\"]}"}`,
    String.raw`{"text":"{\u0022access_token\u0022:\u0022S\u0022}"}`,
    '{&quot;access_token&quot;:&quot;S&quot;}',
    '{&#34;access_token&#34;: &#34;S&#34;}',
    'f=%7B%22access_token%22%20%3A%20%22S%22%7D',
    'f=%7B%22access_token%22+%3A+%22S%22%7D',
    'user[password]=S',
    'user%5Bpassword%5D=S',
    'access_token[a]=S',
    '{"secretKey":"S"}',
    '{"authKey":"S"}',
    '{"access token":"S"}',
    '{"$token":"S"}',
    `{"${'a'.repeat(80)}_token":"S"}`,
  ])('is hidden in %s', (text) => {
    expect(redact(text.replace('S', secret))).not.toContain(secret)
  })

  it('ends where its brackets end, and hides no more', () => {
    expect(redact('{"tokens":["]","x"],"name":"fern"}')).toBe('{"tokens":"…","name":"fern"}')
    expect(redact(String.raw`{"text":"{\"tokens\":[\"]\"],\"name\":\"fern\"}"}`)).toContain('fern')
  })
})

describe('secrets of a message', () => {
  it.each([
    ['sid=1; Domain=plants.example.com; Path=/api/plants/catalogue; Expires=Wed, 21 Oct 2026 07:28:00 GMT', []],
    ['sid=secret-0123456789; Domain=plants.example.com', ['secret-0123456789']],
    ['a=1; Domain=plants.example.com, sid=secret-0123456789; Path=/x', ['secret-0123456789']],
  ])('are in Set-Cookie %s: %j', (value, secrets) => {
    expect(secretsIn(['Set-Cookie', value])).toEqual(secrets)
  })

  it('may have any length', () => {
    const long = 'QUJD'.repeat(2 * 1024 * 1024)
    expect(secretsIn(['X-Api-Key', long], `token=${long}=`).map(({ length }) => length)).toEqual([
      long.length,
      long.length + 1,
      long.length + 1,
    ])
  })

  it('are found in headers and query', () => {
    const headers = [
      ...['Authorization', 'Bearer first-token-0123456789, Bearer second-token-0123456789'],
      ...['Authorization', 'Custom third-token-0123456789'],
      ...['Cookie', 'sid=cookie-value-0123456789; theme=dark'],
      ...['X-Auth-Token', 'header-value-0123456789'],
      ...['Idempotency-Key', 'no-secret-0123456789'],
      ...['User-Agent', 'Mozilla/5.0-0123456789'],
    ]
    expect(secretsIn(headers, 'api%5Fkey=query%2Dvalue-0123456789&limit=1')).toEqual([
      'first-token-0123456789',
      'second-token-0123456789',
      'third-token-0123456789',
      'cookie-value-0123456789',
      'header-value-0123456789',
      'query-value-0123456789',
      'query-value-0123456789',
    ])
  })

  it.each([
    ['authorization', 'Bearer abc', 'Bearer caller-1'],
    ['authorization', 'abc', '…'],
    ['authorization', 'secret word', '…'],
    ['x-api-key', 'abc', '…'],
    ['x-csrf-token', 'abc', '…'],
    ['client-secret', 'abc', '…'],
    ['proxy-authorization', 'Basic abc', '…'],
    ['set-cookie', 'a=b', '…'],
    ['sec-websocket-protocol', 'abc', '…'],
    ['idempotency-key', 'abc', 'abc'],
    ['content-type', 'application/json', 'application/json'],
    ['plant-mock-session', 'test-7', 'test-7'],
  ])('are hidden in the header %s: %s', (name, value, shown) => {
    expect(redactHeader(name, value, 'caller-1', redact)).toBe(shown)
  })
})

describe('parts of a text that are found in its decoded form', () => {
  it('are replaced where they are written, and nothing else changes', () => {
    const find = (decoded: string) =>
      [...decoded.matchAll(/ab/g)].map(({ index }) => ({ start: index, end: index + 2, by: '-' }))
    expect(replaceDecoded('x%61bx\\u0061\\u0062%20ab', find)).toBe('x-x-%20-')
  })

  it('may be the whole text or none of it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('%', '2', '5', '6', '1', '\\', 'u', '0', 'a', '/', ' ') }),
        (text) => {
          expect(replaceDecoded(text, () => [])).toBe(text)
          expect(replaceDecoded(text, ({ length }) => (length === 0 ? [] : [{ start: 0, end: length, by: '-' }]))).toBe(
            text === '' ? '' : '-',
          )
        },
      ),
    )
  })
})
