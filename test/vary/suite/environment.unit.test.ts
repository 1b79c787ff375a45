import { describe, expect, it } from 'vitest'
import { suiteEnvironment } from '../../../src/vary/suite/environment.ts'
import { isLivingIn } from '../../../src/vary/suite/process-group.ts'

describe('suiteEnvironment', () => {
  it('keeps the variables of the user, and the options of Node.js', () => {
    const environment = suiteEnvironment({ PATH: '/bin', NODE_OPTIONS: '--no-warnings ' }, '/evidence')
    expect(environment).toMatchObject({ PATH: '/bin', PLANT_MOCK_EVIDENCE: '/evidence' })
    expect(environment.NODE_OPTIONS).toMatch(/^--no-warnings( --require="?\S.*preload\.cjs"?)?$/)
  })

  it('observes a command that is itself started by a test', () => {
    expect(suiteEnvironment({ PLANT_MOCK_INSIDE_TESTS: 'jest' }, '/e').PLANT_MOCK_INSIDE_TESTS).toBeUndefined()
  })

  it('leaves the job summary of GitHub Actions to the command that runs the suite', () => {
    expect(suiteEnvironment({ GITHUB_STEP_SUMMARY: '/summary' }, '/e').GITHUB_STEP_SUMMARY).toBeUndefined()
  })
})

it.each([
  ['12 (node) S 1 12 12 0 -1', true],
  ['12 (a) Z (b) R 7 12 9 0 -1', true],
  ['12 (node) R 12 9 12 0 -1', false],
  ['12 (node) Z 1 12 12 0 -1', false],
  ['', false],
])('a process with %j in /proc counts as a living one of group 12: %s', (stat, isLiving) => {
  expect(isLivingIn(12, stat)).toBe(isLiving)
})
