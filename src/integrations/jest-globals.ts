import { PlantMockError } from '../util/errors.ts'

export type Body = () => unknown
type DefineTest = (name: string, body: Body, timeout?: number) => void
type DefineHook = (body: Body, timeout?: number) => void

/** Jest's own types may not be installed. */
export type JestGlobals = {
  readonly test: DefineTest & {
    readonly only: DefineTest
    readonly skip: DefineTest
    readonly failing: DefineTest
    readonly todo: (name: string) => void
    readonly each: (...table: readonly unknown[]) => (name: string, body: (...row: never[]) => unknown) => void
  }
  readonly beforeAll: DefineHook
  readonly beforeEach: DefineHook
  readonly afterEach: DefineHook
  readonly afterAll: DefineHook
}

export const findJest = (): JestGlobals | undefined => {
  const { test, beforeAll, expect } = globalThis as unknown as Partial<JestGlobals & { expect: unknown }>
  return test && beforeAll && expect ? (globalThis as unknown as JestGlobals) : undefined
}

export const requireJest = (): JestGlobals => {
  const jest = findJest()
  if (jest !== undefined) return jest
  throw new PlantMockError(
    'plant-mock/jest works inside of test files of Jest, with its globals (injectGlobals: true). For vitest, import plant-mock/vitest.',
  )
}

type RunningTest = { readonly errors: readonly unknown[] }

const runningTest = (): RunningTest | undefined => {
  // The state is private to jest-circus, Jest's runner: no public API shows the failures of a test.
  const key = Object.getOwnPropertySymbols(globalThis).find(({ description }) => description === 'JEST_STATE_SYMBOL')
  const state =
    key && (globalThis as unknown as Record<symbol, { currentlyRunningTest?: RunningTest | null } | undefined>)[key]
  return state?.currentlyRunningTest ?? undefined
}

export const isTestRunning = (): boolean => runningTest() !== undefined

export const failuresOfTest = (): unknown[] => {
  const { expect } = globalThis as { expect?: { getState?: () => { suppressedErrors?: readonly unknown[] } } }
  return [
    // jest-circus stores pairs: the failure, and an error with the place of the test.
    ...(runningTest()?.errors ?? []).map((error) => (Array.isArray(error) ? error[0] : error)),
    // These failures do not end a test, such as inline snapshots.
    ...(expect?.getState?.().suppressedErrors ?? []),
  ]
}
