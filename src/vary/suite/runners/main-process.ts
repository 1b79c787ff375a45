import { insideTestsVariable } from '../../evidence/test-process.ts'
import type { Runner } from './runner.ts'

const runsNoTests = /^(?:list|bench|init|--help|-h|--version|-v|--mergeReports.*|--merge-reports.*|--listTags.*)$/

export const vitest: Runner = {
  observe: (suite) => {
    if (suite.package?.name !== 'vitest' || !suite.package.isCommand || !suite.isMainThread()) return
    const words = process.argv.slice(2)
    if (words.some((word) => runsNoTests.test(word))) return
    process.env[insideTestsVariable] = 'vitest'
    // Inserts the reporter before all other arguments, because arguments after `--` are not options.
    process.argv.splice(2, 0, `--reporter=${suite.builtFile('vitest-reporter.mjs')}`)
    // `--reporter` replaces the configured reporters, so the default reporter must be added too.
    if (!words.some((word) => word.startsWith('--reporter'))) process.argv.splice(2, 0, '--reporter=default')
  },
}

const packages = ['@playwright/test', 'playwright']

export const playwright: Runner = {
  observe: (suite) => {
    if (!packages.includes(suite.package?.name ?? '') || !suite.package?.isCommand) return
    if (process.argv[2] !== 'test' || !suite.isMainThread()) return
    process.env[insideTestsVariable] = 'playwright'
    // Playwright runs the reporter of `PW_TEST_REPORTER` in addition to the configured reporters.
    process.env.PW_TEST_REPORTER ??= suite.builtFile('playwright-reporter.cjs')
    // Inserts the option after all other options, because the last value of an option counts.
    const [end] = [process.argv.indexOf('--'), process.argv.length].filter((index) => index > 0)
    process.argv.splice(end ?? 0, 0, '--update-snapshots=none')
  },
}
