import { describe, expect, it } from 'vitest'
import { appendJournal } from '../../src/integrations/test-mock.ts'

const journal = 'Requests to the mock in this test: 1'

describe('appendJournal', () => {
  it('appends to the message, and to the stack behind the message', () => {
    const error = new Error('wrong')
    expect(appendJournal(error, journal)).toBe(true)
    expect(error.message).toBe(`wrong\n\n${journal}`)
    expect(error.stack).toMatch(`Error: wrong\n\n${journal}\n    at `)
  })

  it('takes the errors that a runner has serialized', () => {
    const error = { message: 'wrong' }
    expect(appendJournal(error, journal)).toBe(true)
    expect(error).toEqual({ message: `wrong\n\n${journal}` })
  })

  it.each([
    ['a frozen error', () => Object.freeze(new Error('wrong'))],
    [
      'an error whose stack has a getter alone',
      () => Object.defineProperty(new Error('wrong'), 'stack', { get: () => 'at nowhere' }),
    ],
    [
      'an error whose message throws',
      () =>
        Object.defineProperty(new Error('wrong'), 'message', {
          get: () => {
            throw new Error('no message')
          },
        }),
    ],
    [
      'an error whose stack is without its message',
      () => Object.assign(new Error('wrong'), { stack: 'Error: other\n    at nowhere' }),
    ],
    ['a string', () => 'wrong'],
    ['a plain object', () => ({ a: 1 })],
    ['undefined', () => undefined],
  ])('throws nothing, and says that it does not show, for %s', (_, create) => {
    expect(appendJournal(create(), journal)).toBe(false)
  })

  it('has nothing to show without a journal', () => {
    expect(appendJournal('wrong', '')).toBe(true)
  })
})
