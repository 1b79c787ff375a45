import { describe, expect, it } from 'vitest'
import { areSameForms, includesForm, templateOf } from '../../src/verify/failure-form.ts'

const samples = (...values: readonly unknown[]) => values.map((value) => ({ value, status: 400 }))

describe('the template of several bodies', () => {
  it.each<readonly [string, readonly unknown[], unknown]>([
    ['the status', [400, 400], '{status}'],
    ['the status as text', ['400', '400'], '{status:text}'],
    ['the reason phrase', ['Bad Request', 'Bad Request'], '{title}'],
    ['the status and another number', [400, 7], 0],
    ['the status as text, and a word', ['400', 'invalid'], '{detail}'],
    ['the reason phrase and a word', ['Bad Request', 'invalid'], '{detail}'],
    ['one word', ['invalid', 'invalid'], 'invalid'],
    ['a placeholder in its own words', ['{400=a|413=b}', '{400=a|413=b}'], '{detail}'],
    ['another one', ['a{status}', 'a{status}'], '{detail}'],
    ['two words', ['invalid', 'missing'], '{detail}'],
    ['a sentence', ['is invalid', 'is invalid'], '{detail}'],
    ['times', ['2026-01-02', '2026-01-03'], '2000-01-01'],
    ['a time and a word', ['2026-01-02', 'never'], '{detail}'],
    ['one number', [7, 7], 7],
    ['two numbers', [7, 8], 0],
    ['one flag', [true, true], true],
    ['two flags', [true, false], null],
    ['null', [null, null], null],
    ['null and a word', [null, 'invalid'], 'invalid'],
    ['a word and a number', ['invalid', 7], undefined],
    ['an object and a word', [{ a: 'x' }, 'x'], undefined],
    [
      'one member of another type',
      [
        { a: 'x', b: 'y' },
        { a: 1, b: 'y' },
      ],
      undefined,
    ],
    ['a tuple', [['FIELD', 'name', 400]], ['FIELD', '{field}', '{status}']],
    ['a list and a word', [['invalid'], 'invalid'], undefined],
    ['a number that a service makes for each response', [{ took: 5 }, { took: 5 }], { took: 0 }],
    ['a member that not all have', [{ a: 'x', b: 1 }, { a: 'x' }], undefined],
    ['no member that all have', [{ a: 'x' }, { b: 'x' }], undefined],
    ['one field', ['name', 'id'], '{field}'],
    ['the path of a field', ['#/name', '#/tag'], '#/{field}'],
    ['two paths', ['/name', 'body.tag'], '{detail}'],
    ['a tuple with a field', [{ loc: ['body', 'name'] }, { loc: ['body', 'id'] }], { loc: ['body', '{field}'] }],
    [
      'a member for each field',
      [{ errors: { name: ['x y'] } }, { errors: { id: ['x'], tag: ['y'] } }],
      { errors: { '{field}': ['{detail}'] } },
    ],
    ['members of another type', [{ a: 'x' }, { a: 1 }], undefined],
    ['the first elements', [[{ a: 'x' }, 7], [{ a: 'y' }]], [{ a: '{detail}' }]],
    ['no elements', [[], []], []],
    ['elements of another type', [['x'], [1]], undefined],
  ])('has %s', (_, values, template) => {
    expect(templateOf(samples(...values))).toEqual(template)
  })

  it('has the sample of an id where the name of the member says so', () => {
    expect(templateOf(samples({ requestId: 'a' }, { requestId: 'b' }))).toEqual({ requestId: '0000000000000000' })
  })
})

describe('a form of failures includes another one', () => {
  it.each<readonly [whole: string, part: string, isIncluded: boolean]>([
    ['{"a":"x"}', '{"a":"x"}', true],
    ['{"a":"{detail}"}', '{"a":"x"}', true],
    ['{"a":"x"}', '{"a":"{detail}"}', false],
    ['{"a":"{detail}"}', '{"a":7}', false],
    ['{"a":0}', '{"a":7}', true],
    ['{"a":7}', '{"a":0}', false],
    ['{"a":null}', '{"a":[1]}', true],
    ['{"a":"x"}', '{"a":"x","b":1}', true],
    ['{"a":"x","b":1}', '{"a":"x"}', false],
    ['{"a":{"b":1}}', '{"a":7}', false],
    ['{"a":[{"b":"x"}]}', '{"a":[{"b":"x"}]}', true],
    ['{"a":[{"b":"x"}]}', '{"a":[{"b":"y"}]}', false],
    ['{"a":[{"b":"x"}]}', '{"a":[]}', true],
    ['{"a":[]}', '{"a":[{"b":"x"}]}', false],
    ['{"a":[]}', '{"a":7}', false],
    ['{"a":["{detail}"],"b":1}', '{"a":["x"],"b":1}', true],
    ['{"a":["x"],"b":"{detail}"}', '{"a":["x"],"b":"y"}', true],
    ['{"a":["x"],"b":"{detail}"}', '{"a":["y"],"b":"y"}', false],
    ['{"a":0}', '{"a":"x"}', false],
    ['{"a":"2000-01-01"}', '{"a":"{detail}"}', true],
    ['{"a":"2000-01-01"}', '{"a":"monday"}', false],
    ['{"a":"2000-01-01"}', '{"a":"2026-01-02"}', true],
    ['application/x+json {"a":"{detail}"}', 'application/x+json {"a":"x"}', true],
    ['application/x+json {"a":"{detail}"}', '{"a":"x"}', false],
    ['text', 'text', true],
    ['text', 'html', false],
    ['null', 'text', false],
    ['{"a":null}', 'text', false],
    ['text', '{"a":"x"}', false],
    ['{"a":"x"}', 'text', false],
  ])('%s, %s: %s', (whole, part, isIncluded) => {
    expect(includesForm(whole, part)).toBe(isIncluded)
  })

  it('and is the same if that includes it too', () => {
    expect(areSameForms('{"a":"2000-01-01"}', '{"a":"2000-01-01T00:00:00Z"}')).toBe(true)
    expect(areSameForms('{"a":"{detail}"}', '{"a":"x"}')).toBe(false)
  })
})

describe('the form of a tuple', () => {
  it.each([
    ['["x",1,true]', '["x",1,true]', true],
    ['["x",1]', '["x"]', false],
    ['["x",1]', '["x","y"]', false],
    ['["{detail}"]', '["a","b"]', true],
  ])('%s and %s: %s', (whole, part, isIncluded) => {
    expect(includesForm(`{"a":${whole}}`, `{"a":${part}}`)).toBe(isIncluded)
  })
})
