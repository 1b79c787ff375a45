import { describe, expect, it } from 'vitest'
import { errorMessage, lineInFile } from '../../../src/vary/suite/error-text.ts'

describe('errorMessage', () => {
  it.each([
    [new Error('bad'), 'bad'],
    [new Error('\u001B[31mred\u001B[39m'), 'red'],
    ['text', 'text'],
    [undefined, 'undefined'],
    [{ message: 'of another realm' }, 'of another realm'],
    [{}, '[object Object]'],
    [Object.assign(new Error(''), { stack: 'Error\n at x' }), 'Error\n at x'],
    [new Error('x'.repeat(9_999)), `${'x'.repeat(3_999)}…`],
  ])('of %o', (error, message) => {
    expect(errorMessage(error)).toBe(message)
  })
})

describe('lineInFile', () => {
  it.each([
    ['at f (/b.js:1:2)\n at g (/a.js:12:3)\n at /a.js:20:1', 12],
    ['at file:///a.js:7:1', 7],
    [`at Context.<anonymous> (elsewhere/a.js:5:1)`, undefined],
    ['at f (/b.js:1:2)', undefined],
  ])('in %j', (stack, line) => {
    expect(lineInFile({ stack }, '/a.js')).toBe(line)
  })

  it('recognises paths relative to the working directory, as Mocha has them', () => {
    expect(lineInFile({ stack: 'at Context.<anonymous> (test/a.js:5:1)' }, `${process.cwd()}/test/a.js`)).toBe(5)
  })

  it('is absent for values without a stack', () => {
    expect(lineInFile('text', '/a.js')).toBeUndefined()
  })
})
