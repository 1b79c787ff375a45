import Module from 'node:module'

export const evidenceVariable = 'PLANT_MOCK_EVIDENCE'

/** Stops recording in child processes of tests, because a test may itself run a suite. */
export const insideTestsVariable = 'PLANT_MOCK_INSIDE_TESTS'

type Globals = { readonly __vitest_worker__?: { readonly filepath?: unknown } }

const startedFile = Symbol.for('plant-mock.started-test-file')
// Stored on the built-in `Module`, because Jest replaces globals, and preload and observer share nothing else.
const shared = Module as { [startedFile]?: string }

export const noteTestFile = (file: string): void => {
  shared[startedFile] = file
}

export const currentTestFile = (globals: object = globalThis): string | undefined => {
  const file = (globals as Globals).__vitest_worker__?.filepath
  return typeof file === 'string' ? file : shared[startedFile]
}
