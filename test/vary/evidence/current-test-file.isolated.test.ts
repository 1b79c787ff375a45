import { afterEach, describe, expect, it, vi } from 'vitest'
import { currentTestFile, noteTestFile } from '../../../src/vary/evidence/test-process.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('currentTestFile', () => {
  it('is the file of the worker of Vitest', () => {
    expect(currentTestFile()).toMatch(/current-test-file\.isolated\.test\.ts$/)
  })

  it('is the file that the preload noted last, for any other runner', () => {
    vi.stubGlobal('__vitest_worker__', undefined)
    const found = [currentTestFile()]
    for (const file of ['/a.test.js', '/b.test.js']) {
      noteTestFile(file)
      found.push(currentTestFile())
    }
    vi.unstubAllGlobals()
    expect(found).toEqual([undefined, '/a.test.js', '/b.test.js'])
  })
})
