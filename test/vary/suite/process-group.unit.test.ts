import { expect, it } from 'vitest'
import { isLivingIn } from '../../../src/vary/suite/process-group.ts'

it.each([
  ['12 (node) S 1 12 12 0 -1', true],
  ['12 (a) Z (b) R 7 12 9 0 -1', true],
  ['12 (node) R 12 9 12 0 -1', false],
  ['12 (node) Z 1 12 12 0 -1', false],
  ['', false],
])('a process with %j in /proc counts as a living one of group 12: %s', (stat, isLiving) => {
  expect(isLivingIn(12, stat)).toBe(isLiving)
})
