import Module from 'node:module'

/** The environment variable that names the evidence folder of a test suite and its mocks. */
export const evidenceVariable = 'PLANT_MOCK_EVIDENCE'

/** Set by a process that runs tests. Its child processes are then not recorded: a test may itself run a test suite. */
export const insideTestsVariable = 'PLANT_MOCK_INSIDE_TESTS'

/** Vitest sets this globally in its workers, which run several files. */
type Globals = { readonly __vitest_worker__?: { readonly filepath?: unknown } }

const startedFile = Symbol.for('plant-mock.started-test-file')
// Kept on the built-in `Module`: preload and observer share no other module, and Jest gives the observer new globals.
const shared = Module as { [startedFile]?: string }

/** Records the test file that this process loads or runs from now on. */
export const noteTestFile = (file: string): void => {
  shared[startedFile] = file
}

/**
 * The test file that is running.
 * @param globals The globals of the code that runs tests.
 * @returns An absolute path. Outside of test files, `undefined` or an outdated path.
 */
export const currentTestFile = (globals: object = globalThis): string | undefined => {
  const file = (globals as Globals).__vitest_worker__?.filepath
  return typeof file === 'string' ? file : shared[startedFile]
}
