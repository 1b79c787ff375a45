import { insideTestsVariable } from '../events.ts'
import type { Runner } from './runner.ts'

const packages = ['@playwright/test', 'playwright']

/** Playwright: a variable that its editor extension uses too adds a reporter to those of the user. */
export const playwright: Runner = {
  observe: (suite) => {
    if (!packages.includes(suite.package?.name ?? '') || !suite.package?.isCommand) return
    if (process.argv[2] !== 'test' || !suite.isMainThread()) return
    process.env[insideTestsVariable] = 'playwright'
    process.env.PW_TEST_REPORTER ??= suite.fileOf('playwright-reporter.cjs')
  },
}
