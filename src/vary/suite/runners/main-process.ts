import { escapeRegExp } from '../../../util/text.ts'
import { insideTestsVariable } from '../../evidence/test-process.ts'
import { guarded } from '../recorder.ts'
import type { Runner } from './runner.ts'

/** Commands and options that run benchmarks, or no tests. */
const otherCommand = /^(?:list|bench|init|--help|-h|--version|-v|--mergeReports.*|--merge-reports.*|--listTags.*)$/

/** Vitest 3 to 5: adds `--reporter` to the command line of the main process, which replaces configured reporters. */
export const vitest: Runner = {
  observe: (suite) => {
    if (suite.package?.name !== 'vitest' || !suite.package.isCommand || !suite.isMainThread()) return
    const words = process.argv.slice(2)
    if (words.some((word) => otherCommand.test(word))) return
    process.env[insideTestsVariable] = 'vitest'
    // In front, because words after `--` are not options.
    process.argv.splice(2, 0, `--reporter=${suite.fileOf('vitest-reporter.mjs')}`)
    if (!words.some((word) => word.startsWith('--reporter'))) process.argv.splice(2, 0, '--reporter=default')
  },
}

type TestCommand = {
  readonly name: () => string
  readonly hook: (event: 'preAction', listener: (program: unknown, command: TestCommand) => void) => void
  /** The arguments of the action. The first are the regular expressions that select files. */
  readonly processedArgs: [readonly string[] | undefined, ...unknown[]]
  readonly setOptionValue: (name: string, value: unknown) => void
}
type PlaywrightProgram = { readonly program: { readonly commands: readonly TestCommand[] } }

const packages = ['@playwright/test', 'playwright']

/** Playwright: adds a reporter to the user's reporters, by a variable that its editor extension uses too. */
export const playwright: Runner = {
  observe: (suite) => {
    if (!packages.includes(suite.package?.name ?? '') || !suite.package?.isCommand) return
    if (process.argv[2] !== 'test' || !suite.isMainThread()) return
    process.env[insideTestsVariable] = 'playwright'
    process.env.PW_TEST_REPORTER ??= suite.fileOf('playwright-reporter.cjs')
  },
  patches: ({ selection }) => [
    {
      path: /\/playwright\/lib\/program\.js$/,
      patch: ({ exports }) => {
        const { commands } = (exports as PlaywrightProgram).program
        if (selection !== undefined)
          commands
            .find((command) => command.name() === 'test')
            ?.hook('preAction', (_, command) => guarded(() => restrict(command, selection)))
      },
    },
  ],
}

/** Intersects the user's filters with the selected files. Playwright runs setup projects despite any filter. */
const restrict = (command: TestCommand, selection: ReadonlySet<string>): void => {
  const given = command.processedArgs[0] ?? []
  // Line numbers, regular expressions with flags, and words after `--` cannot be combined with file filters.
  if (process.argv.includes('--') || given.some((filter) => /:\d+$|^\/.*\/[gi]*$/.test(filter))) return
  const isGiven = (file: string): boolean =>
    given.length === 0 || given.some((filter) => new RegExp(filter, 'i').test(file))
  const filters = [...selection].filter(isGiven).map((file) => `^${escapeRegExp(file)}$`)
  command.processedArgs[0] = filters.length === 0 ? ['(?!)'] : filters
  command.setOptionValue('passWithNoTests', true)
}
