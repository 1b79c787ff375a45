import { insideTestsVariable } from '../events.ts'
import type { Runner } from './runner.ts'

/** Commands that run no tests, or benchmarks. */
const otherCommand = /^(?:list|bench|init|--help|-h|--version|-v|--mergeReports.*|--merge-reports.*|--listTags.*)$/

/**
 * Vitest 3 to 5: adds a reporter to the command line of the main process. Vitest then ignores the reporters of its
 * configuration; ours restores them.
 */
export const vitest: Runner = {
  observe: (suite) => {
    if (suite.package?.name !== 'vitest' || !suite.package.isCommand || !suite.isMainThread()) return
    if (process.argv.slice(2).some((word) => otherCommand.test(word))) return
    process.env[insideTestsVariable] = 'vitest'
    // In front of everything, because words after `--` are not options.
    process.argv.splice(2, 0, `--reporter=${suite.fileOf('vitest-reporter.mjs')}`)
  },
}
