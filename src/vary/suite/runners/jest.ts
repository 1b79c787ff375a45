import { noteTestFile } from '../../evidence/test-process.ts'
import { type EventLog, guarded, lateRecorder, type RecordedTest, type TestRecorder } from '../recorder.ts'
import type { LoadedModule, Runner } from './runner.ts'

type Block = { readonly name: string; readonly parent?: Block }
type Test = Block & { readonly errors: readonly unknown[] }
type CircusEvent = { readonly name: string; readonly test?: Test; readonly error?: unknown }
type Environment = { handleTestEvent?: (event: CircusEvent, state: unknown) => unknown }
type Project = { readonly displayName?: { readonly name: string } }
type Assertion = {
  readonly ancestorTitles: readonly string[]
  readonly title: string
  readonly status: string
  readonly failureMessages: readonly string[]
}
type ExecError = string | { readonly message?: string; readonly stack?: string }
type FileResult = { readonly testExecError?: ExecError; readonly testResults: readonly Assertion[] }
type AdapterArguments = [globalConfig: object, Project, Environment, runtime: unknown, file: string, ...unknown[]]
type Adapter = (...args: AdapterArguments) => Promise<FileResult>
type FileFailure = readonly [{ readonly path: string }, unknown]
type TestRunnerClass = { readonly prototype: { runTests: (...args: unknown[]) => unknown } }
type TestRunner = { readonly on?: (event: string, listener: (failure: FileFailure) => void) => unknown }

export const jest: Runner = {
  patches: ({ log }) => {
    const record = lateRecorder('jest', log, process.pid)
    return [
      { path: /\/jest-circus\/(?:build\/)?runner\.js$/, patch: (module) => patchAdapter(module, record) },
      // Only jest-runner, in the main process, reports test files that do not load.
      {
        path: /\/jest-runner\/build\/index\.js$/,
        patch: ({ exports }) => patchTestRunner((exports as { default: TestRunnerClass }).default, log),
      },
    ]
  },
}

const patchAdapter = (module: LoadedModule, record: () => TestRecorder): void => {
  if (typeof module.exports === 'function') module.exports = observed(module.exports as Adapter, record)
  else {
    const exports = module.exports as { default: Adapter }
    exports.default = observed(exports.default, record)
  }
}

const observed =
  (adapter: Adapter, record: () => TestRecorder): Adapter =>
  async (...args) => {
    const [globalConfig, project, environment, runtime, file, ...others] = args
    let finish: ((result: FileResult) => void) | undefined
    noteTestFile(file)
    guarded(() => {
      finish = observe(environment, file, project, record())
    })
    // Keeps runs from writing snapshots, like Jest's option `--ci`.
    const config = { ...globalConfig, updateSnapshot: 'none' }
    const result = await adapter(config, project, environment, runtime, file, ...others)
    guarded(() => finish?.(result))
    return result
  }

const observe = (environment: Environment, file: string, { displayName }: Project, recorder: TestRecorder) => {
  const running = new Map<Test, RecordedTest>()
  const attempts = new Map<Test, RecordedTest>()
  /** Errors as thrown: when a test ends, jest-circus replaces errors of node:assert with texts. */
  const errors = new Map<Test, unknown>()
  const failures: string[] = []
  const prefix = displayName === undefined ? '' : `[${displayName.name}] `
  const nameIn = (titles: readonly string[]): string => prefix + titles.join(' > ')

  const start = (test: Test): RecordedTest => {
    const earlier = attempts.get(test)
    const attempt = earlier === undefined ? recorder.start(file, nameIn(titlesOf(test))) : recorder.retry(earlier)
    errors.delete(test)
    running.set(test, attempt)
    attempts.set(test, attempt)
    return attempt
  }
  const end = (test: Test, isSkipped: boolean): void => {
    const attempt = running.get(test) ?? start(test)
    running.delete(test)
    if (isSkipped) recorder.end(attempt, 'skipped')
    else if (test.errors.length === 0) recorder.end(attempt, 'passed')
    else {
      if (!attempt.hasFailed) failures.push(nameIn(titlesOf(test)))
      recorder.end(attempt, 'failed', { error: errors.get(test) ?? errorOf(test) })
    }
  }
  const remember = (test: Test, error: unknown): void => {
    if (isObject(error) && !errors.has(test)) errors.set(test, error)
  }
  const handlers: Record<string, (test: Test, error: unknown) => void> = {
    test_fn_failure: remember,
    hook_failure: remember,
    test_start: start,
    test_done: (test) => end(test, false),
    test_skip: (test) => end(test, true),
    test_todo: (test) => end(test, true),
  }

  const handle = environment.handleTestEvent
  environment.handleTestEvent = (event, state) => {
    const { name, test, error } = event
    if (test) guarded(() => handlers[name]?.(test, error))
    return handle?.call(environment, event, state)
  }

  return ({ testExecError, testResults }: FileResult): void => {
    for (const [test, attempt] of running) {
      failures.push(nameIn(titlesOf(test)))
      recorder.end(attempt, test.errors.length === 0 ? 'unended' : 'failed', { error: errorOf(test) })
    }
    for (const { ancestorTitles, title, status, failureMessages } of testResults) {
      const name = nameIn([...ancestorTitles, title])
      if (status !== 'failed') continue
      const recorded = failures.indexOf(name)
      if (recorded === -1) recorder.fail(file, name, asError(failureMessages[0]))
      else failures.splice(recorded, 1)
    }
    if (testExecError) recorder.fail(file, prefix + file, asError(textOf(testExecError)))
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

const textOf = (error: ExecError): string => (typeof error === 'string' ? error : error.message || (error.stack ?? ''))

const asError = (text = '') => ({ message: text.replace(/^Error: /, '').replace(/\n[\t ]+at .*/s, ''), stack: text })

const titlesOf = ({ name, parent }: Block): readonly string[] =>
  parent === undefined ? [] : [...titlesOf(parent), name]

const errorOf = ({ errors: [first] }: Test): unknown => {
  if (!Array.isArray(first)) return first
  const [error, declared] = first as readonly unknown[]
  return error ?? declared
}

const patchTestRunner = ({ prototype }: TestRunnerClass, log: EventLog): void => {
  const { runTests } = prototype
  const record = lateRecorder('jest', log)
  const fail = ([{ path }, error]: FileFailure): void => record().fail(path, path, error)
  prototype.runTests = function (this: TestRunner, ...args) {
    guarded(() => this.on?.('test-file-failure', (failure) => guarded(() => fail(failure))))
    return runTests.apply(this, args)
  }
}
