import { describe, expect, it } from 'vitest'
import { parseFilter } from '../../../src/core/journal/filter.ts'

describe('a request filter', () => {
  it('is the same in a query, where all values are text, and in a body', () => {
    const filter = { operation: 'createPlant', method: 'POST', status: 409, caller: 'alice', violating: true }
    expect(parseFilter(filter)).toEqual(filter)
    expect(parseFilter({ ...filter, status: '409', violating: 'true', session: 'a' })).toEqual(filter)
    expect(parseFilter({ violating: 'false' })).toEqual(parseFilter({ violating: false }))
    expect(parseFilter({ violating: 'false' })).toEqual({ violating: false })
  })

  it.each([
    ['operation', 'retrievePlant'],
    ['method', 7],
    ['status', '409x'],
    ['status', 'x409'],
    ['status', ''],
    ['status', [409]],
    ['caller', null],
    ['source', 'mock'],
    ['violating', 'yes'],
    ['violating', 1],
  ])('refuses the value of %s: %j', (name, value) => {
    expect(() => parseFilter({ [name]: value })).toThrow(`The filter ${name} cannot be ${JSON.stringify(value)}. Use `)
  })
})
