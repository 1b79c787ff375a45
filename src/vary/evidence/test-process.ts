import Module from 'node:module'

export const evidenceVariable = 'PLANT_MOCK_EVIDENCE'

/** A process with this variable records no tests. Child processes of tests inherit the variable and may run suites. */
export const insideTestsVariable = 'PLANT_MOCK_INSIDE_TESTS'

type Globals = { readonly __vitest_worker__?: { readonly filepath?: unknown } }

const startedFile = Symbol.for('plant-mock.started-test-file')
// Shared through `Module`, because the preload script and the observer are separate bundles, and Jest replaces globals.
const shared = Module as { [startedFile]?: string }

export const noteTestFile = (file: string): void => {
  shared[startedFile] = file
}

export const currentTestFile = (globals: object = globalThis): string | undefined => {
  const file = (globals as Globals).__vitest_worker__?.filepath
  return typeof file === 'string' ? file : shared[startedFile]
}
