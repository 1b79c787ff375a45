import { noteTestFile } from '../shadows/current-test-file.ts'
import { describeError, type ErrorDescription } from './error-text.ts'
import { currentTime, type EventLog } from './event-log.ts'
import { insideTestsVariable, type RunnerName, type TestOutcome } from './events.ts'
import { uniqueNames } from './unique-names.ts'

/** A test or hook that was started. */
export type RecordedTest = { readonly file: string; readonly name: string; readonly start: number }

export type Ending = {
  readonly error?: unknown
  /** The line of the declaration, for an error without a stack frame in the file. */
  readonly line?: number | undefined
  readonly wasFlaky?: boolean
  readonly at?: number
}

/** Writes the events of one runner in this process. */
export type TestRecorder = {
  /** Starts a test; one with a name that its file has already gets a number. */
  readonly start: (file: string, name: string, at?: number) => RecordedTest
  /** Starts another attempt of a test. */
  readonly retry: (test: RecordedTest) => RecordedTest
  readonly end: (test: RecordedTest, outcome: TestOutcome, ending?: Ending) => void
  /** Records that another process starts or has ended a file. */
  readonly file: (type: 'file-start' | 'file-end', file: string) => void
  /** Records a failure outside of any test: a hook, or a file that does not load. */
  readonly fail: (file: string, name: string, error: unknown) => void
}

/**
 * @param pid - This process, if it runs the tests itself. Programs that it starts from then on are not observed.
 */
export const createRecorder = (runner: RunnerName, log: EventLog, pid?: number): TestRecorder => {
  const unique = uniqueNames()
  const common = { runner, ...(pid !== undefined && { pid }) }
  if (pid !== undefined) process.env[insideTestsVariable] = runner
  log({ type: 'runner', ...common, at: currentTime() })

  const begin = (file: string, name: string, at: number): RecordedTest => {
    if (pid !== undefined) noteTestFile(file)
    log({ type: 'start', ...common, at, file, name })
    return { file, name, start: at }
  }
  const end: TestRecorder['end'] = (test, outcome, { error, line, wasFlaky, at = currentTime() } = {}) => {
    const details: Partial<ErrorDescription> =
      outcome !== 'failed' || error === undefined ? {} : describeError(error, test.file)
    const place = details.line ?? line
    log({
      type: 'end',
      ...common,
      at,
      ...test,
      outcome,
      ...details,
      ...(place !== undefined && { line: place }),
      ...(wasFlaky && { wasFlaky: true }),
    })
  }
  return {
    start: (file, name, at = currentTime()) => begin(file, unique(file, name), at),
    retry: ({ file, name }) => begin(file, name, currentTime()),
    end,
    file: (type, file) => log({ type, ...common, at: currentTime(), file }),
    fail: (file, name, error) => end({ file, name: unique(file, name), start: currentTime() }, 'failed', { error }),
  }
}

/** Runs code that observes a runner: its failure must not reach the runner. */
export const guarded = (observe: () => void): void => {
  try {
    observe()
  } catch {
    // A runner of an unknown version: its tests are not recorded.
  }
}
