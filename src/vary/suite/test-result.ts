import { relative } from 'node:path'
import { testId } from '../evidence/plan.ts'

export type RunnerName = 'node:test' | 'mocha' | 'jest' | 'vitest' | 'playwright'

/** `unended`: the test was cancelled or killed with its run, which proves nothing about the test. */
export type TestOutcome = 'passed' | 'failed' | 'skipped' | 'unended'

type Common = {
  readonly pid?: number | undefined
  readonly at: number
}

type OfTest = Common & {
  readonly file: string
  /** Titles of the suites and the test, joined by ` > `. A number is added if a name is not unique within its file. */
  readonly name: string
}

export type FileEvent = Common & { readonly type: 'file-start' | 'file-end'; readonly file: string }
export type StartEvent = OfTest & { readonly type: 'start' }
export type EndEvent = OfTest & Pick<TestResult, 'start' | 'outcome' | 'line' | 'message'> & { readonly type: 'end' }

export type TestEvent = (Common & { readonly type: 'runner' }) | FileEvent | StartEvent | EndEvent

export type NamedTest = {
  readonly id: string
  readonly name: string
  readonly file: string
  readonly line?: number
  readonly message?: string
  readonly outcome: TestOutcome
}

/** `start` and `end` are in milliseconds since 1970, or 0 for tests from JUnit reports. */
export type TestResult = NamedTest & {
  readonly start: number
  readonly end: number
  readonly pid?: number | undefined
}

export const withIds = <T extends Pick<NamedTest, 'file' | 'name'>>(
  tests: readonly T[],
): (T & { readonly id: string })[] => {
  const unique = uniqueNames()
  return tests.map((test) => {
    const name = unique(test.file, test.name)
    return { ...test, name, id: testId(test.file, name) }
  })
}

export const uniqueNames = (): ((file: string, name: string) => string) => {
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

const shortPath = (file: string): string => {
  const path = relative(process.cwd(), file)
  return path === '' || path.startsWith('..') ? file : path
}

export const withShortPath = <T extends { readonly file: string; readonly name: string }>(test: T): T => {
  const file = shortPath(test.file)
  return { ...test, file, name: test.name === test.file ? file : test.name }
}
