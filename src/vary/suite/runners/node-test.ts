import { createRequire, syncBuiltinESMExports } from 'node:module'
import { noteTestFile } from '../../evidence/test-process.ts'
import { createRecorder, guarded, type RecordedTest, type TestRecorder } from '../recorder.ts'
import type { Runner, SuiteProcess } from './runner.ts'

/** `fullName` exists since Node.js 20.16 and 22.3, `filePath` since 22.6. */
type Context = {
  readonly name: string
  readonly fullName?: string
  readonly filePath?: string
  readonly passed?: boolean
  readonly error?: (Error & { readonly failureType?: string }) | null
}
type Markers = Partial<Record<'skip' | 'todo', (this: Context, ...args: unknown[]) => unknown>>
type Hook = (this: unknown, ...args: unknown[]) => unknown
type NodeTest = Record<'before' | 'after' | 'beforeEach' | 'afterEach', (hook: Hook, options?: unknown) => void>

export const nodeTest: Runner = {
  observe: (suite) => {
    if (!runsNodeTests(suite) || !suite.isMainThread()) return
    const recorder = createRecorder('node:test', suite.log, process.pid)
    const tests = createRequire(import.meta.url)('node:test') as NodeTest
    observe(tests, recorder, process.argv[1] === undefined ? '' : suite.script)
  },
}

/** Excludes files that import only `run`, because `run` executes tests in other processes. */
const usesNodeTest =
  /^[\t ]*import\s+(?!\{\s*run\s*\})(?!type\b)[^'"]{0,999}from\s*['"]node:test['"]|^[\t ]*(?:const|let|var)\s+(?!\{\s*run\s*\})[^=;]{0,999}=\s*require\(\s*['"]node:test['"]\s*\)/m

const runsNodeTests = ({ script, text }: SuiteProcess): boolean => {
  if (process.execArgv.includes('--test'))
    return process.execArgv.some((flag) => /^--(?:experimental-)?test-isolation=none$/.test(flag))
  if (process.env.NODE_TEST_CONTEXT !== undefined) return script !== ''
  return script !== '' && !script.includes('/node_modules/') && usesNodeTest.test(text())
}

const observe = (tests: NodeTest, recorder: TestRecorder, script: string): void => {
  noteTestFile(script)
  const running = new Map<string, { readonly context: Context; readonly test: RecordedTest; mark?: keyof Markers }>()
  const failedTests: RecordedTest[] = []
  let areMarkersObserved = false
  let hasTests = false
  let hasFailed = false
  let uncaught: unknown

  const fileOf = ({ filePath }: Context): string => filePath ?? script
  const keyOf = (context: Context): string => `${fileOf(context)}\0${context.fullName ?? context.name}`
  const end = (key: string): void => {
    const entry = running.get(key)
    if (entry === undefined) return
    running.delete(key)
    const { test, mark, context } = entry
    if (mark === 'todo' || (mark === 'skip' && context.passed)) recorder.end(test, 'skipped')
    else if (context.passed) recorder.end(test, 'passed')
    else {
      const isCancelled = context.error?.failureType === 'cancelledByParent'
      hasFailed ||= !isCancelled
      failedTests.push(test)
      recorder.end(test, isCancelled ? 'unended' : 'failed', { error: causeOf(context.error) })
    }
  }
  /** Ends tests whose root `afterEach` did not run: node:test skips it after a failed hook, and in skipped tests. */
  const endOthers = (): void => {
    for (const [key, { context, mark }] of running)
      if (context.passed === false ? context.error : context.passed && mark) end(key)
  }
  const observeMarkers = (prototype: Markers): void => {
    const { skip, todo } = prototype
    if (areMarkersObserved || skip === undefined || todo === undefined) return
    areMarkersObserved = true
    for (const [mark, original] of Object.entries({ skip, todo }) as [keyof Markers, typeof skip][])
      prototype[mark] = function (...args) {
        guarded(() => {
          const entry = running.get(keyOf(this))
          if (entry !== undefined) entry.mark = mark
        })
        return original.apply(this, args)
      }
  }

  tests.beforeEach((context) =>
    guarded(() => {
      endOthers()
      hasTests = true
      observeMarkers(Object.getPrototypeOf(context) as Markers)
      const current = context as Context
      const test = recorder.start(fileOf(current), current.fullName ?? current.name)
      running.set(keyOf(current), { context: current, test })
    }),
  )
  tests.afterEach((context) => guarded(() => end(keyOf(context as Context))))
  for (const kind of ['before', 'after'] as const)
    observeHook(tests, kind, (name, error) => {
      hasFailed = true
      recorder.fail(script, `${name} > ${kind} hook`, causeOf(error))
    })

  // Records a syntax error, after which the process ends without an `exit` event.
  process.on('uncaughtExceptionMonitor', (error) => {
    uncaught = error
    if (running.size > 0 || script === '') return
    hasFailed = true
    guarded(() => recorder.fail(script, script, error))
  })
  // Runs after the `exit` listener of node:test, which sets the exit code.
  process.on('exit', (code) =>
    guarded(() => {
      endOthers()
      // With exit code 0, all failed tests are `todo` tests, which count as skipped.
      if (process.exitCode === undefined || process.exitCode === 0)
        for (const test of failedTests) recorder.end(test, 'skipped')
      if (code !== 0 && !hasFailed && running.size === 0 && script !== '')
        recorder.fail(script, script, uncaught ?? { message: `exit code ${code}` })
      else if (!hasTests && !hasFailed && script !== '') recorder.end(recorder.start(script, script), 'passed')
    }),
  )
}

const causeOf = (error: unknown): unknown => {
  const { cause, code } = (error ?? {}) as { cause?: unknown; code?: unknown }
  return code === 'ERR_TEST_FAILURE' && typeof cause === 'object' && cause !== null ? cause : (error ?? undefined)
}

/** Records a failed `before` or `after` hook of a suite, because node:test then reports no failed test. */
const observeHook = (
  tests: NodeTest,
  kind: 'before' | 'after',
  failed: (name: string, error: unknown) => void,
): void => {
  const original = tests[kind]
  tests[kind] = (hook, options) => original(typeof hook === 'function' ? watched(hook, failed) : hook, options)
  const main = tests as unknown as { test?: NodeTest }
  if (main.test !== undefined) main.test[kind] = tests[kind]
  syncBuiltinESMExports()
}

/** In Node.js 20, reading `fullName` throws in a hook outside of all suites. */
const suiteName = (context: unknown): string => {
  try {
    const { fullName, name = 'root' } = (context ?? {}) as Partial<Context>
    return fullName ?? name
  } catch {
    return 'root'
  }
}

/** Wraps the hook in a proxy to keep its `length`, by which node:test detects a callback parameter. */
const watched = (hook: Hook, failed: (name: string, error: unknown) => void): Hook =>
  new Proxy(hook, {
    apply: (target, self, args: unknown[]) => {
      const fail = (error: unknown): void => guarded(() => failed(suiteName(args[0]), error))
      try {
        const result = Reflect.apply(target, self, args)
        if (result instanceof Promise) result.catch(fail)
        return result
      } catch (error) {
        fail(error)
        throw error
      }
    },
  })
