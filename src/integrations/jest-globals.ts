import { PlantMockError } from '../util/errors.ts'

/** A function that Jest runs as a test or as a hook. */
export type Body = () => unknown
type DefineTest = (name: string, body: Body, timeout?: number) => void
type DefineHook = (body: Body, timeout?: number) => void

/** The parts of Jest's globals that the integration needs: their types are in a package that tests need not have. */
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

/** @returns `undefined` outside of Jest, and with `injectGlobals: false`. */
export const findJest = (): JestGlobals | undefined => {
  const { test, beforeAll, expect } = globalThis as unknown as Partial<JestGlobals & { expect: unknown }>
  return test && beforeAll && expect ? (globalThis as unknown as JestGlobals) : undefined
}

/** @throws PlantMockError outside of Jest. */
export const requireJest = (): JestGlobals => {
  const jest = findJest()
  if (jest !== undefined) return jest
  throw new PlantMockError(
    'plant-mock/jest works inside of test files of Jest, with its globals (injectGlobals: true). For vitest, import plant-mock/vitest.',
  )
}
