import { openSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { evidenceVariable, insideTestsVariable, noteTestFile } from '../evidence/test-process.ts'
import { errorMessage, lineInFile } from './error-text.ts'
import { type RunnerName, type TestEvent, type TestOutcome, uniqueNames } from './test-result.ts'

// Keeps the original functions, because tests may replace the clock and functions of node:fs.
const open = openSync
const write = writeSync
const { now: currentTime } = Date
const random = Math.random().toString(36).slice(2, 10)

/** perf: loaded on demand, because loading node:worker_threads takes as long as the rest of the preload. */
export const workerThreads = (): typeof import('node:worker_threads') =>
  createRequire(import.meta.url)('node:worker_threads')

export type EventLog = (event: TestEvent) => void

export const openEventLog = (folder: string): EventLog => {
  let file: number | undefined
  return (event) => {
    file ??= open(join(folder, `tests-${process.pid}-${workerThreads().threadId}-${random}.ndjson`), 'a')
    write(file, `${JSON.stringify(event)}\n`)
  }
}

export type RecordedTest = {
  readonly file: string
  readonly name: string
  readonly start: number
  hasFailed?: boolean
}

export type Ending = {
  readonly error?: unknown
  readonly line?: number | undefined
  readonly at?: number
}

export type TestRecorder = ReturnType<typeof createRecorder>

/** @param pid The id of this process, if it runs tests. Its child processes then record no tests. */
export const createRecorder = (runner: RunnerName, log: EventLog, pid?: number) => {
  const unique = uniqueNames()
  if (pid !== undefined) process.env[insideTestsVariable] = runner
  log({ type: 'runner', pid, at: currentTime() })

  const begin = (file: string, name: string, at: number): RecordedTest => {
    if (pid !== undefined) noteTestFile(file)
    log({ type: 'start', pid, at, file, name })
    return { file, name, start: at }
  }
  const end = (test: RecordedTest, outcome: TestOutcome, ending: Ending = {}): void => {
    const { file, name, start } = test
    const { at = currentTime() } = ending
    const error = outcome === 'failed' ? ending.error : undefined
    const line = lineInFile(error, file) ?? ending.line
    test.hasFailed ||= outcome === 'failed'
    const message = error !== undefined && { message: errorMessage(error) }
    log({ type: 'end', pid, at, file, name, start, outcome, ...message, ...(line !== undefined && { line }) })
  }
  return {
    start: (file: string, name: string, at = currentTime()) => begin(file, unique(file, name), at),
    retry: ({ file, name, hasFailed = false }: RecordedTest) => ({ ...begin(file, name, currentTime()), hasFailed }),
    end,
    file: (type: 'file-start' | 'file-end', file: string): void => log({ type, pid, at: currentTime(), file }),
    fail: (file: string, name: string, error: unknown): void =>
      end({ file, name: unique(file, name), start: currentTime() }, 'failed', { error }),
  }
}

export const lateRecorder = (...args: Parameters<typeof createRecorder>): (() => TestRecorder) => {
  let recorder: TestRecorder | undefined
  return () => (recorder ??= createRecorder(...args))
}

export const reporterRecorder = (runner: RunnerName) => {
  const recorder = lateRecorder(runner, openEventLog(process.env[evidenceVariable] ?? ''))
  return (write: (recorder: TestRecorder) => void): void => guarded(() => write(recorder()))
}

export const guarded = (observe: () => void): void => {
  try {
    observe()
  } catch {
    // With an unknown version of a test runner, tests run without being recorded.
  }
}
