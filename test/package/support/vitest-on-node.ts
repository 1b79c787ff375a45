import assert from 'node:assert/strict'

export { after as afterAll, afterEach, before as beforeAll, test } from 'node:test'

export const expect = (actual: unknown) => ({
  toBe: (expected: unknown) => assert.equal(actual, expected),
  toEqual: (expected: unknown) => assert.deepEqual(actual, expected),
  toHaveLength: (length: number) => assert.equal((actual as ArrayLike<unknown>).length, length),
  toMatch: (pattern: RegExp) => assert.match(actual as string, pattern),
  rejects: {
    toThrow: (message: string) =>
      assert.rejects(actual as Promise<unknown>, (error: Error) => error.message.includes(message)),
  },
})
