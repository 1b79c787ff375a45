import { createRequire } from 'node:module'
import { noteTestFile } from '../../evidence/test-process.ts'
import { guarded, lateRecorder, type RecordedTest, type TestRecorder } from '../recorder.ts'
import type { LoadedModule, Runner } from './runner.ts'

type Titled = { readonly titlePath: () => string[]; readonly file?: string; readonly parent?: Titled }
type Test = Titled & { readonly currentRetry: () => number }
type Hook = Titled & { readonly type: 'hook'; readonly ctx?: { readonly currentTest?: Test } }
type MochaRunner = { readonly on: (event: string, listener: (test: never, error: never) => void) => void }
type RunnerClass = { readonly prototype: { run: (...args: unknown[]) => unknown } }
type RootSuite = { readonly on: (event: string, listener: (context: unknown, file: string) => void) => void }
type MochaMethod = (this: { readonly suite: RootSuite }, ...args: unknown[]) => unknown
type MochaClass = {
  readonly prototype: Record<'loadFiles' | 'loadFilesAsync', MochaMethod>
  readonly Runner: RunnerClass
}

/** Supports Mocha 10 to 12, and finds Mocha's class in any module of the package. */
export const mocha: Runner = {
  // Loads Mocha with `require`, because `patchModules` patches only modules that `require` loads.
  observe: ({ package: found, script }) => {
    if (found?.name === 'mocha') createRequire(script)('mocha')
  },
  patches: (process) => {
    const record = lateRecorder('mocha', process.log, globalThis.process.pid)
    const patched = new Set<MochaClass>()
    const patch = ({ exports }: LoadedModule): void => {
      const found = [exports, (exports as { default?: unknown } | undefined)?.default].find(isMocha)
      if (found === undefined || patched.has(found)) return
      patched.add(found)
      patchRunner(found.Runner, record)
      patchLoading(found, record)
    }
    return [{ path: /\/node_modules\/mocha\/(?!node_modules\/)/, patch }]
  },
}

const isMocha = (value: unknown): value is MochaClass => {
  const { prototype, Runner } = (typeof value === 'function' ? value : {}) as Partial<MochaClass>
  return typeof prototype?.loadFilesAsync === 'function' && typeof Runner?.prototype.run === 'function'
}

/** In parallel mode, observes only the workers, because the main process of Mocha then overrides `run`. */
const patchRunner = ({ prototype }: RunnerClass, record: () => TestRecorder): void => {
  const { run } = prototype
  prototype.run = function (this: MochaRunner, ...args: unknown[]) {
    guarded(() => observe(this, record()))
    return run.apply(this, args)
  }
}

const fileOf = (item: Titled | undefined): string =>
  item === undefined ? (process.argv[1] ?? '') : (item.file ?? fileOf(item.parent))
const nameOf = (item: Titled): string => item.titlePath().join(' > ')

const observe = (runner: MochaRunner, recorder: TestRecorder): void => {
  let running: RecordedTest | undefined
  let ended: RecordedTest | undefined

  const on = <T extends Titled>(event: string, listener: (item: T, error: unknown) => void): void =>
    runner.on(event, (item: T, error: unknown) => guarded(() => listener(item, error)))
  const close = (outcome: 'passed' | 'failed' | 'skipped', error?: unknown): void => {
    if (running === undefined) return
    recorder.end(running, outcome, { error })
    ended = running
    running = undefined
  }

  // Notes the test file when a suite starts, because the suite's hooks run before its first test.
  on<Titled>('suite', (suite) => noteTestFile(fileOf(suite)))
  on<Titled>('suite end', (suite) => noteTestFile(fileOf(suite.parent)))
  on<Test>('test', (test) => {
    const isRetry = test.currentRetry() > 0 && ended !== undefined
    running = isRetry ? recorder.retry(ended as RecordedTest) : recorder.start(fileOf(test), nameOf(test))
  })
  on<Test>('pass', () => close('passed'))
  on<Test>('retry', (_, error) => close('failed', error))
  on<Test>('pending', (test) => {
    running ??= recorder.start(fileOf(test), nameOf(test))
    close('skipped')
  })
  on<Test | Hook>('fail', (item, error) => {
    if (!('type' in item) || item.type !== 'hook') {
      if (running !== undefined) close('failed', error)
      else if (ended !== undefined) recorder.end(ended, 'failed', { error })
      return
    }
    const test = item.ctx?.currentTest
    if (running !== undefined) close('failed', error)
    else if (test !== undefined && ended !== undefined && isEachHook(item)) recorder.end(ended, 'failed', { error })
    else recorder.fail(fileOf(item.parent?.file === undefined && test ? test : item), nameOf(item), error)
  })
}

const isEachHook = (hook: Hook): boolean => /^"(?:before|after) each" hook/.test(hook.titlePath().at(-1) ?? '')

const patchLoading = ({ prototype }: MochaClass, record: () => TestRecorder): void => {
  for (const method of ['loadFiles', 'loadFilesAsync'] as const) {
    const load = prototype[method]
    prototype[method] = function (...args) {
      let file = ''
      const failed = (error: unknown): void => guarded(() => record().fail(file, file, error))
      guarded(() =>
        this.suite.on('pre-require', (_, path) => {
          file = path
          noteTestFile(path)
        }),
      )
      try {
        const loaded = load.apply(this, args)
        if (loaded instanceof Promise) loaded.catch(failed)
        return loaded
      } catch (error) {
        failed(error)
        throw error
      }
    }
  }
}
