/** What test runners set globally. */
type Globals = {
  readonly __vitest_worker__?: { readonly filepath?: unknown }
  readonly expect?: { readonly getState?: () => { readonly testPath?: unknown } }
}

/**
 * The file of the running test, for code inside a worker that runs several files.
 * @returns An absolute path; `undefined` outside of the workers of Vitest, and of test code of Jest.
 */
export const currentTestFile = (globals: object = globalThis): string | undefined => {
  try {
    const { __vitest_worker__: worker, expect } = globals as Globals
    const file = worker?.filepath ?? expect?.getState?.().testPath
    return typeof file === 'string' ? file : undefined
  } catch {
    return undefined
  }
}

const startedFile = Symbol.for('plant-mock.started-test-file')
const shared = globalThis as { [startedFile]?: string }

/** Notes the test file that this process runs now, where it runs one at a time. */
export const noteTestFile = (file: string): void => {
  shared[startedFile] = file
}

/** The file of the running test; `undefined` where several files share a process, and in a process without tests. */
export const runningTestFile = (globals: object): string | undefined => currentTestFile(globals) ?? shared[startedFile]
