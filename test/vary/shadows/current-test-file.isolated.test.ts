import { afterEach, describe, expect, it, vi } from 'vitest'
import { currentTestFile } from '../../../src/vary/shadows/current-test-file.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('currentTestFile', () => {
  it('is the file of the worker of Vitest', () => {
    expect(currentTestFile()).toMatch(/current-test-file\.isolated\.test\.ts$/)
  })

  it.each([
    ['Jest', { getState: () => ({ testPath: '/a.test.js' }) }, '/a.test.js'],
    ['another library', { getState: () => undefined }, undefined],
    ['a library with another state', { getState: () => ({ testPath: 7 }) }, undefined],
    ['no runner', undefined, undefined],
  ])('reads the state of %s', (_, expectation, file) => {
    vi.stubGlobal('__vitest_worker__', undefined)
    vi.stubGlobal('expect', expectation)
    const found = currentTestFile()
    vi.unstubAllGlobals()
    expect(found).toBe(file)
  })
})
