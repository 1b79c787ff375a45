import { describe, expect, it } from 'vitest'
import { areSameForms, templateOf } from '../../src/verify/read/failure-form.ts'

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

  it.each<readonly [string, readonly (readonly [number, string])[], string]>([
    [
      'words by status',
      [
        [404, 'gone'],
        [405, 'refused'],
      ],
      '{404=gone|405=refused}',
    ],
    [
      'the status in words',
      [
        [404, 'E404'],
        [405, 'E405'],
      ],
      '{404=E404|405=E405}',
    ],
    [
      'numbers that each status repeats',
      [
        [404, 'E17'],
        [405, 'E2'],
        [404, 'E17'],
        [405, 'E2'],
      ],
      '{404=E17|405=E2}',
    ],
    [
      'numbers that may count responses',
      [
        [404, 'c17'],
        [405, 'c18'],
      ],
      '{detail}',
    ],
    [
      'one such number',
      [
        [404, 'E17'],
        [404, 'E17'],
        [405, 'c18'],
      ],
      '{detail}',
    ],
  ])('has, of two statuses, %s', (_, values, template) => {
    expect(templateOf(values.map(([status, value]) => ({ status, value })))).toBe(template)
  })

  it('has the sample of an id where the name of the member says so', () => {
    expect(templateOf(samples({ requestId: 'a' }, { requestId: 'b' }))).toEqual({ requestId: '0000000000000000' })
  })
})

describe('two forms of failures', () => {
  it.each<readonly [a: string, b: string, areSame: boolean]>([
    ['{"a":"x"}', '{"a":"x"}', true],
    ['{"a":"{detail}"}', '{"a":"x"}', false],
    ['{"a":0}', '{"a":7}', false],
    ['{"a":null}', '{"a":[1]}', false],
    ['{"a":"x","b":1}', '{"b":1,"a":"x"}', true],
    ['{"a":"x","b":1}', '{"a":"x"}', false],
    ['{"a":[{"b":"x"}]}', '{"a":[{"b":"x"}]}', true],
    ['{"a":[{"b":"x"}]}', '{"a":[]}', false],
    ['{"a":["x",1]}', '{"a":["x"]}', false],
    ['{"a":"{400=x|413=y}"}', '{"a":"{413=y|400=x}"}', true],
    ['{"a":"2000-01-01"}', '{"a":"{detail}"}', true],
    ['{"a":"2000-01-01"}', '{"a":"monday"}', false],
    ['{"a":"2000-01-01"}', '{"a":"2026-01-02T00:00:00Z"}', true],
    ['application/x+json {"a":"x"}', 'application/X+json {"a":"x"}', true],
    ['application/x+json {"a":"x"}', '{"a":"x"}', false],
    ['text', 'text', true],
    ['text', 'html', false],
    ['text', '{"a":"x"}', false],
  ])('%s, %s are the same: %s', (a, b, areSame) => {
    expect(areSameForms(a, b)).toBe(areSame)
    expect(areSameForms(b, a)).toBe(areSame)
  })
})
