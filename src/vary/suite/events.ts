/** The runners that are recognised inside their own process. */
export type RunnerName = 'node:test' | 'mocha' | 'jest' | 'vitest' | 'playwright'

export type TestOutcome = 'passed' | 'failed' | 'skipped'

type Common = {
  readonly runner: RunnerName
  /** The process that ran the test; absent when another process reports it. */
  readonly pid?: number
  /** Milliseconds since 1970, by the clock of the machine. */
  readonly at: number
}

type OfTest = Common & {
  /** An absolute path. */
  readonly file: string
  /** Titles of suites and test, joined by ` > `; unique within the file. */
  readonly name: string
}

/** A program of a package was started, which may be a runner that is not recognised. */
export type ProgramEvent = {
  readonly type: 'program'
  /** Name and version of the package, such as `ava 6.4.1`. */
  readonly program: string
}
/** A runner was recognised, and is about to run tests. */
export type RunnerEvent = Common & { readonly type: 'runner' }
/** A file that another process runs; its tests are known once that process reports them. */
export type FileEvent = Common & { readonly type: 'file-start' | 'file-end'; readonly file: string }
export type StartEvent = OfTest & { readonly type: 'start' }
export type EndEvent = OfTest & {
  readonly type: 'end'
  readonly start: number
  readonly outcome: TestOutcome
  /** Set when the test failed before it passed. */
  readonly wasFlaky?: true
  /** The line of the file at which the test failed, or else at which it is declared. */
  readonly line?: number
  readonly message?: string
}

/** A line of a file `tests-….ndjson` in the evidence folder. */
export type TestEvent = ProgramEvent | RunnerEvent | FileEvent | StartEvent | EndEvent

/**
 * A process sets this variable once it runs tests. Programs that a test starts are then not recorded: a test may itself
 * run a test suite.
 */
export const insideTestsVariable = 'PLANT_MOCK_INSIDE_TESTS'
