import type { RunnerName, TestOutcome } from './events.ts'
import type { Ignored } from './read-lines.ts'

/** A test as its name and result alone describe it. */
export type NamedTest = {
  /** File and name. */
  readonly id: string
  /** Titles of suites and test; unique within the file. */
  readonly name: string
  readonly file: string
  /** The line of the file at which the test failed, or else at which it is declared. */
  readonly line?: number
  /** The first lines of the error: at most 4,000 characters. */
  readonly message?: string
  readonly outcome: TestOutcome
}

/** One test in one run of a test suite, by its last attempt. */
export type TestRun = NamedTest & {
  /** Set when the test failed before it passed. */
  readonly wasFlaky?: true
  /** Milliseconds since 1970. */
  readonly start: number
  readonly end: number
  /** The process that ran the test; absent when only the file tells where it ran. */
  readonly pid?: number
}

export type TestResults = {
  readonly runners: readonly RunnerName[]
  /** `undefined` when no runner was recognised. */
  readonly tests: readonly TestRun[] | undefined
  /** Name and version of the packages whose programs were started. */
  readonly programs: readonly string[]
  /** Lines that are none of a runner. */
  readonly ignored: Ignored | undefined
}

/** The identifier of a test. */
export const testId = (file: string, name: string): string => `${file} > ${name}`
