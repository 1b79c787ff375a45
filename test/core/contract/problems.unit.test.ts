import { expect, it } from 'vitest'
import { problemDocument } from '../../../src/core/contract/problems.ts'

it('a problem document has errors only where fields or parameters are invalid', () => {
  expect(problemDocument('not-found', 404, 'x')).toEqual({
    type: 'urn:problem-type:plant-mock:not-found',
    title: 'Nothing exists at this path',
    status: 404,
    detail: 'x',
  })
  const error = { code: 'too-small', parameter: 'limit', detail: 'limit must be at least 1.' } as const
  const { code: _, ...shown } = error
  expect(problemDocument('invalid-limit', 400, 'x', [error]).errors).toEqual([shown])
})
