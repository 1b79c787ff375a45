import { describe, expect, it } from 'vitest'
import { suiteEnvironment } from '../../../src/vary/suite/environment.ts'

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
