import { relative } from 'node:path'
import { testId } from '../evidence/plan.ts'

/** The runners that are recognised inside their own process. */
export type RunnerName = 'node:test' | 'mocha' | 'jest' | 'vitest' | 'playwright'

/** `unended`: cancelled, killed or timed out with the run, which proves nothing about the test itself. */
export type TestOutcome = 'passed' | 'failed' | 'skipped' | 'unended'

type Common = {
  /** The process that ran the test; absent when another process reports it. */
  readonly pid?: number | undefined
  /** Milliseconds since 1970, by the clock of the machine. */
  readonly at: number
}

type OfTest = Common & {
  /** An absolute path. */
  readonly file: string
  /** Titles of suites and test, joined by ` > `; unique within the file. */
  readonly name: string
}

/** A file that another process runs; its tests are known once that process reports them. */
export type FileEvent = Common & { readonly type: 'file-start' | 'file-end'; readonly file: string }
export type StartEvent = OfTest & { readonly type: 'start' }
export type EndEvent = OfTest & Pick<TestResult, 'start' | 'outcome' | 'line' | 'message'> & { readonly type: 'end' }

export type TestEvent =
  /** A runner was recognised, and is about to run tests. */
  (Common & { readonly type: 'runner' }) | FileEvent | StartEvent | EndEvent

/** A test, identified by name, with its result. */
export type NamedTest = {
  readonly id: string
  readonly name: string
  readonly file: string
  /** The line of the failure in the file, or else of the declaration. */
  readonly line?: number
  readonly message?: string
  readonly outcome: TestOutcome
}

/** One test in one run of a test suite, with the result of its last attempt. */
export type TestResult = NamedTest & {
  readonly start: number
  readonly end: number
  /** The process that ran the test; absent if only the file is known. */
  readonly pid?: number | undefined
}

/** Gives tests their ids, after unique names. */
export const withIds = <T extends Pick<NamedTest, 'file' | 'name'>>(
  tests: readonly T[],
): (T & { readonly id: string })[] => {
  const unique = uniqueNames()
  return tests.map((test) => {
    const name = unique(test.file, test.name)
    return { ...test, name, id: testId(test.file, name) }
  })
}

/** Numbers equal names within a file, in order: `a`, `a (2)`, `a (3)`. */
export const uniqueNames = (): ((file: string, name: string) => string) => {
  /** The last number that each name got. */
  const counts = new Map<string, number>()
  const key = (file: string, name: string) => `${file}\0${name}`
  return (file, name) => {
    let count = counts.get(key(file, name)) ?? 0
    let unique = name
    while (counts.has(key(file, unique))) unique = `${name} (${++count + 1})`
    counts.set(key(file, name), count)
    if (unique !== name) counts.set(key(file, unique), 0)
    return unique
  }
}

/** The path of a file relative to the working folder; unchanged if the file is outside. */
const shortPath = (file: string): string => {
  const path = relative(process.cwd(), file)
  return path === '' || path.startsWith('..') ? file : path
}

/** A test with a short path. A name that equals the file is shortened likewise. */
export const withShortPath = <T extends { readonly file: string; readonly name: string }>(test: T): T => {
  const file = shortPath(test.file)
  return { ...test, file, name: test.name === test.file ? file : test.name }
}
