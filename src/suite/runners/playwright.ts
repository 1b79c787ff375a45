import { insideTestsVariable } from '../events.ts'
import type { Runner } from './runner.ts'

const script = /\/(?:@playwright\/test|playwright)\/cli\.js$/

/** Playwright: a variable that its editor extension uses too adds a reporter to those of the user. */
export const playwright: Runner = {
  observe: (suite) => {
    if (!script.test(suite.script) || process.argv[2] !== 'test' || !suite.isMainThread()) return
    process.env[insideTestsVariable] = 'playwright'
    process.env.PW_TEST_REPORTER ??= suite.fileOf('playwright-reporter.cjs')
  },
}
