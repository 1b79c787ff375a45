import { describe, expect, it } from 'vitest'
import { fetchFailure } from '../../src/util/errors.ts'
import { shellQuote, shellWord, windowsWord } from '../../src/util/shell.ts'
import { shorten } from '../../src/util/text.ts'
import { messageOf, plural, suggestion } from '../../src/util/words.ts'

describe('words in messages', () => {
  it('have a plural for every count but one', () => {
    expect([0, 1, 2].map((count) => plural(count, 'plant'))).toEqual(['0 plants', '1 plant', '2 plants'])
  })

  it.each([
    ['limt', ' Did you mean "limit"?'],
    ['limti', ' Did you mean "limit"?'],
    ['LIMIT', ' Did you mean "limit"?'],
    ['lxmxt', ''],
    ['x', ''],
    ['', ''],
    ['assumptonsed', ' Did you mean "assumptions"?'],
  ])('suggest what a word such as %s means, if it is close: "%s"', (word, expected) => {
    expect(suggestion(word, ['limit', 'assumptions'])).toBe(expected)
  })

  it('are shortened only beyond the maximum length', () => {
    expect([shorten('1234', 4), shorten('12345', 4)]).toEqual(['1234', '123…'])
  })

  it('are the message of an error, or the text of anything else that was thrown', () => {
    expect([messageOf(new Error('why')), messageOf('text'), messageOf(undefined)]).toEqual(['why', 'text', 'undefined'])
  })

  it.each([
    ['no cause', new Error('fetch failed'), 'fetch failed'],
    ['a cause', new Error('fetch failed', { cause: new Error(' refused ') }), 'refused'],
    [
      'a cause with a code only',
      new Error('fetch failed', { cause: Object.assign(new Error(' '), { code: 'EPIPE' }) }),
      'EPIPE',
    ],
    ['a cause that is no error', new Error('fetch failed', { cause: 'x' }), 'fetch failed'],
    ['no error', 'text', 'text'],
  ])('give the reason of a fetch that failed: %s', (_, error, reason) => {
    expect(fetchFailure(error)).toBe(reason)
  })

  it.each([
    ['a-Z_0.9/@%+=:,', 'a-Z_0.9/@%+=:,'],
    ['', "''"],
    ['a b', "'a b'"],
    ['a;', "'a;'"],
    [';a', "';a'"],
    ["it's", "'it'\\''s'"],
    ["\u0003it's\n\\", "$'\\x03it\\'s\\x0a\\\\'"],
    ['\u009Bm\u202Ea', "$'\\xc2\\x9bm\\xe2\\x80\\xaea'"],
  ])('are quoted for a shell where they must be: %s', (word, quoted) => {
    expect(shellWord(word)).toBe(quoted)
  })

  it('may be quoted in any case', () => {
    expect(shellQuote('a')).toBe("'a'")
  })
})

it.each([
  ['vitest', 'vitest'],
  ['C:\\tools\\npm.cmd', 'C:\\tools\\npm.cmd'],
  ['a b', '"a b"'],
  ['', '""'],
  ['a&b', '"a&b"'],
  ['say "hi"', '"say ""hi"""'],
  ['a \\"b\\', '"a \\\\""b\\\\"'],
])('quotes %s for cmd.exe as %s', (word, quoted) => {
  expect(windowsWord(word)).toBe(quoted)
})
