import { describe, expect, it } from 'vitest'
import { redactHeader, redactor, secretSet, secretsIn } from '../../../src/core/http/redact.ts'

const token = 'a1B2c3D4-e5.F6_g7~H8+i9/J0=='
const names = new Map([
  [token, 'caller-1'],
  [`${token}xyz`, 'caller-2'],
])

const redactorOf = (secrets: Iterable<string>, minLength?: number) => {
  const set = secretSet(minLength)
  for (const secret of secrets) set.add(secret)
  return redactor(
    () => [set],
    (secret) => names.get(secret),
  )
}
const redact = redactorOf(names.keys())

const secondsOf = (work: () => unknown): number => {
  const began = process.cpuUsage()
  work()
  return process.cpuUsage(began).user / 1_000_000
}

describe('a token in any text', () => {
  const inUrl = encodeURIComponent(token)

  it.each([
    ['as it is', token, 'caller-1'],
    ['in a longer word', `id-${token}-x`, 'id-caller-1-x'],
    ['several times', `${token} ${token}`, 'caller-1 caller-1'],
    ['percent-encoded', `/plants/${inUrl}?limit=1`, '/plants/caller-1?limit=1'],
    ['percent-encoded in lower case', inUrl.replaceAll(/%../g, (code) => code.toLowerCase()), 'caller-1'],
    ['percent-encoded apart from the slashes', inUrl.replace('%2F', '/'), 'caller-1'],
    ['as a form encodes it', String(new URLSearchParams({ q: token })), 'q=caller-1'],
    ['as a form decodes it', token.replace('+', ' '), 'caller-1'],
    ['with the slashes escaped in JSON', `"${token.replace('/', '\\/')}"`, '"caller-1"'],
    ['as .NET escapes it in JSON', `"${token.replaceAll('+', '\\u002B')}"`, '"caller-1"'],
    ['as Gson escapes it in JSON', `"${token.replaceAll('=', '\\u003d')}"`, '"caller-1"'],
    ['after half of an escape', `%2${token} \\${token}`, '%2caller-1 \\caller-1'],
  ])('is replaced %s', (_, text, expected) => {
    expect(redact(text)).toBe(expected)
  })

  it('that begins another token does not leave the rest of it', () => {
    expect(redact(`${token}xyz ${token}`)).toBe('caller-2 caller-1')
  })

  it('that overlaps another one is hidden with it', () => {
    expect(redactorOf(['0123456789abcdefg', 'abcdefg0123456789'])('x0123456789abcdefg0123456789x')).toBe('x…x')
  })

  it('that has characters of JSON is replaced as JSON escapes it', () => {
    const secret = 'quoted"and\\backslash'
    expect(redactorOf([secret])(JSON.stringify({ note: secret }))).toBe('{"note":"…"}')
  })

  it('of fewer than 16 characters stays, unless shorter ones are asked for', () => {
    expect(redactorOf(['x'.repeat(15)])('x'.repeat(15))).toBe('x'.repeat(15))
    expect(redactorOf(['abc', 'ab'], 3)('ab abcd')).toBe('ab …d')
  })

  it.each(['QUJD', '%41', '\\', '.', ' '])('is replaced before and after 6 MiB of %j', (pattern) => {
    const long = pattern.repeat((6 * 1024 * 1024) / pattern.length)
    expect(redact(`${long} ${token} ${long}`) === `${long} caller-1 ${long}`).toBe(true)
  })
})

describe('ten thousand tokens', () => {
  it.each([
    ['begin', (number: number) => `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1.${number}`],
    ['end', (number: number) => `${number}.eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1`],
  ])('that %s alike are found in 1 MiB, in time', (_, tokenOf) => {
    const tokens = Array.from({ length: 10_000 }, (_, number) => tokenOf(number + 10_000))
    const text = tokens.join(' ').repeat(3)
    const ofMany = redactorOf(tokens)
    let shown = ''
    expect(secondsOf(() => (shown = ofMany(text)))).toBeLessThan(2)
    expect(shown.replaceAll(/[ …]/g, '')).toBe('')
  })

  it('are the most that are known', () => {
    const tokens = Array.from({ length: 10_001 }, (_, number) => `token-of-a-caller-${number + 10_000}`)
    expect(redactorOf(tokens)(tokens.slice(-2).join(' '))).toBe('… token-of-a-caller-20000')
  })
})

describe('a text that cannot be searched in time', () => {
  it('is hidden as a whole', () => {
    const ending = 'x'.repeat(16)
    const hostile = redactorOf(Array.from({ length: 2_000 }, (_, length) => 'y'.repeat(length) + ending))
    let shown = ''
    expect(secondsOf(() => (shown = hostile('x'.repeat(1024 * 1024))))).toBeLessThan(2)
    expect(shown).toBe('…')
  })
})

describe('headers', () => {
  it('have secrets in the values of credentials and keys, without attributes of cookies', () => {
    const headers = [
      ...['Authorization', 'Bearer first-token-0123456789, Bearer second-token-0123456789=='],
      ...['Proxy-Authorization', 'Basic third-token-0123456789'],
      ...['Cookie', 'sid=cookie-value-0123456789; theme=dark'],
      ...['Set-Cookie', 'a=1; Domain=plants.example.com, sid=set-cookie-0123456789; Path=/api/plants/catalogue'],
      ...['X-Auth-Token', 'header-value-0123456789'],
      ...['Idempotency-Key', 'no-secret-0123456789'],
      ...['User-Agent', 'Mozilla/5.0-0123456789'],
    ]
    expect(secretsIn(headers).filter(({ length }) => length >= 16)).toEqual([
      'first-token-0123456789',
      'second-token-0123456789',
      'third-token-0123456789',
      'cookie-value-0123456789',
      'set-cookie-0123456789',
      'header-value-0123456789',
    ])
  })

  it.each([
    ['authorization', 'Bearer abc', 'Bearer caller-1'],
    ['authorization', 'abc', '…'],
    ['authorization', 'secret word', '…'],
    ['proxy-authorization', 'Basic abc', '…'],
    ['cookie', 'a=b', '…'],
    ['set-cookie', 'a=b', '…'],
    ['x-api-key', 'abc', '…'],
    ['apikey', 'abc', '…'],
    ['x-csrf-token', 'abc', '…'],
    ['client-secret', 'abc', '…'],
    ['plant-mock-control-key', 'abc', '…'],
    ['idempotency-key', 'abc', 'abc'],
    ['x-monkey', 'abc', 'abc'],
    ['content-type', 'application/json', 'application/json'],
    ['plant-mock-session', 'test-7', 'test-7'],
    ['x-note', `see ${token}`, 'see caller-1'],
  ])('show %s: %s as %s', (name, value, shown) => {
    expect(redactHeader(name, value, 'caller-1', redact)).toBe(shown)
  })
})
