import Module from 'node:module'

/** Names the evidence folder for the runners and mocks of a test suite. */
export const evidenceVariable = 'PLANT_MOCK_EVIDENCE'

/** Turns off recording in child processes of tests, because a test may itself run a suite. */
export const insideTestsVariable = 'PLANT_MOCK_INSIDE_TESTS'

/** Vitest sets this in its workers. */
type Globals = { readonly __vitest_worker__?: { readonly filepath?: unknown } }

const startedFile = Symbol.for('plant-mock.started-test-file')
// Kept on the built-in `Module`, because preload and observer share no other object: Jest replaces globals.
const shared = Module as { [startedFile]?: string }

export const noteTestFile = (file: string): void => {
  shared[startedFile] = file
}

/** @returns An absolute path; outside of test files, `undefined` or an outdated path. */
export const currentTestFile = (globals: object = globalThis): string | undefined => {
  const file = (globals as Globals).__vitest_worker__?.filepath
  return typeof file === 'string' ? file : shared[startedFile]
}
