import { describe, expect, it } from 'vitest'
import { allowedMethods, findOperation, isContractPath } from '../../../src/core/operations/operations.ts'

describe('the operation of a request', () => {
  it.each([
    ['GET', '/plants', 'listPlants'],
    ['HEAD', '/plants', 'listPlants'],
    ['POST', '/plants', 'createPlant'],
    ['DELETE', '/plants', undefined],
    ['GET', '/plants/', undefined],
    ['POST', '/other', undefined],
  ])('%s %s is %s', (method, path, operation) => {
    expect(findOperation({ method, path })).toBe(operation)
  })

  it('has a path of the contract, with its methods', () => {
    expect([isContractPath('/plants'), isContractPath('/other')]).toEqual([true, false])
    expect(allowedMethods('/plants')).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST'])
    expect(allowedMethods('/other')).toEqual(['OPTIONS'])
  })
})
