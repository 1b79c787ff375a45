import { setupServer } from 'msw/node'
import { PlantMockError } from '../util/errors.ts'
import { shared } from '../util/shared.ts'
import { unhandled } from './msw.ts'
import { watchNetwork } from './overrides.ts'
import { withoutFrames } from './test-checks.ts'
import {
  appendJournal,
  createTestMock,
  failureFor,
  handlersOutsideOfTests,
  journalOf,
  outsideOfTests,
  type PlantMockFixtures,
  type PlantMockTestOptions,
  type TestMock,
  takeFailures,
} from './test-mock.ts'

export type PlantTestBody = (fixtures: PlantMockFixtures) => unknown

/** @param timeout Jest's time limit for the test, in milliseconds. */
export type DefinePlantTest = (name: string, body: PlantTestBody, timeout?: number) => void

export interface PlantTestEach {
  <Row extends readonly unknown[]>(
    table: readonly (Row | readonly [...Row])[],
  ): (name: string, body: (...args: [...row: Row, fixtures: PlantMockFixtures]) => unknown, timeout?: number) => void
  <Row>(
    table: readonly Row[],
  ): (name: string, body: (row: Row, fixtures: PlantMockFixtures) => unknown, timeout?: number) => void
}

type Options = { plantMock: PlantMockTestOptions }
type Override = {
  (options: Options): void
  (name: 'plantMock', from: (outer: Options) => PlantMockTestOptions): void
}

export interface PlantTest extends DefinePlantTest {
  readonly only: DefinePlantTest
  readonly skip: DefinePlantTest
  readonly failing: DefinePlantTest
  readonly todo: (name: string) => void
  readonly each: PlantTestEach
  readonly beforeEach: (body: PlantTestBody, timeout?: number) => void
  readonly afterEach: (body: PlantTestBody, timeout?: number) => void
  /** Sets the options for all tests of the enclosing `describe`, or of the file. */
  readonly override: Override
}

/** Shared by all copies of this module, because `jest.resetModules()` makes a test load a new copy. */
const file = /* @__PURE__ */ shared('jest', () => ({
  server: setupServer(),
  hasHooks: false,
  stopWatching: () => {},
  current: undefined as (TestMock & { journalIsShown?: boolean }) | undefined,
  options: [] as PlantMockTestOptions[],
}))
const latestOptions = (): PlantMockTestOptions => file.options.at(-1) ?? {}

const fixtures = (): PlantMockFixtures => {
  if (file.current === undefined)
    throw new PlantMockError('With plant-mock/jest, the mock exists only inside tests and their hooks.')
  return { plants: file.current.mock, plantMock: latestOptions(), server: file.server }
}

const failFurther = async (test: NonNullable<typeof file.current>, isPassing = false): Promise<void> => {
  const reasons = await takeFailures(test, isPassing)
  if (reasons.length === 0) return
  const failure = failureFor(reasons, test.journalIsShown ? '' : await journalOf(test, isPassing))
  test.journalIsShown = true
  throw failure
}

/** A Jest test can add text to its report only by its error message. */
const reportFailures = async (test: NonNullable<typeof file.current>): Promise<void> => {
  const failures = failuresOfTest()
  if (test.journalIsShown || failures.length === 0) return failFurther(test, failures.length === 0)
  const journal = await journalOf(test)
  test.journalIsShown = failures.some((error) => appendJournal(error, journal))
  await failFurther(test)
  if (!test.journalIsShown && journal !== '')
    throw withoutFrames(`The test failed, see its other errors.\n\n${journal}`)
}

const bodyOf =
  (body: PlantTestBody): Body =>
  async () =>
    body(fixtures())

const define =
  (kind?: 'only' | 'skip' | 'failing'): DefinePlantTest =>
  (name, body, timeout) => {
    const { test } = requireJest()
    ;(kind === undefined ? test : test[kind])(name, bodyOf(body), timeout)
  }

const each = (...table: readonly unknown[]) => {
  const defineRows = requireJest().test.each(...table) as (name: string, body: Body, timeout?: number) => void
  return (name: string, body: (...args: unknown[]) => unknown, timeout?: number): void =>
    defineRows(name, async (...row: unknown[]) => body(...row, fixtures()), timeout)
}

const applyOutsideOfTests = (): void => file.server.resetHandlers(...handlersOutsideOfTests(latestOptions()))

/** After a file's tests, refuses only `fetch` requests, because other test files share the modules that msw patches. */
const close = (): void => {
  file.stopWatching()
  file.server.close()
  if ((latestOptions().unhandled ?? 'error') !== 'error') return
  globalThis.fetch = async () => {
    throw new PlantMockError(outsideOfTests)
  }
}

const override = (...[first, from]: Parameters<Override> | [Options]): void => {
  const { beforeAll, afterAll } = requireJest()
  beforeAll(() => {
    const plantMock = typeof first === 'string' ? from?.({ plantMock: latestOptions() }) : first.plantMock
    file.options.push(plantMock ?? {})
    if (file.current === undefined) applyOutsideOfTests()
  })
  afterAll(() => {
    file.options.pop()
  })
}

/**
 * Jest's `test`, with a mock of the plant store service for each test. In a file that imports this `test`, the mock
 * responds to the code under test whether or not a test names `plants`.
 * @example
 * test('lists plants', async ({ plants }) => {
 *   await plants.seed([{ id: 1, name: 'Aloe vera', tag: 'succulent' }])
 * })
 */
export const test: PlantTest = /* @__PURE__ */ Object.assign(define(), {
  only: define('only'),
  skip: define('skip'),
  failing: define('failing'),
  todo: (name: string) => requireJest().test.todo(name),
  each: each as PlantTestEach,
  concurrent() {
    throw new PlantMockError(
      'test.concurrent has no mock, because Jest runs its concurrent tests outside of hooks. Use test: files run in parallel.',
    )
  },
  beforeEach: (body: PlantTestBody, timeout?: number) => requireJest().beforeEach(bodyOf(body), timeout),
  afterEach: (body: PlantTestBody, timeout?: number) =>
    requireJest().afterEach(async () => {
      await bodyOf(body)()
      if (file.current !== undefined) await failFurther(file.current)
    }, timeout),
  override: override as Override,
})

export const addHooks = (): void => {
  const jest = findJest()
  if (jest === undefined || file.hasHooks) return
  if (runningTest() !== undefined)
    throw new PlantMockError('plant-mock/jest adds hooks to the test file, so import it at the top of that file.')
  file.hasHooks = true
  jest.beforeAll(() => {
    file.options.push((globalThis as { plantMock?: PlantMockTestOptions }).plantMock ?? {})
    file.server.listen(unhandled('bypass'))
    file.stopWatching = watchNetwork(file.server, () => file.current?.watched)
    applyOutsideOfTests()
  })
  jest.beforeEach(() => {
    file.current = createTestMock(latestOptions(), file.server)
    file.server.resetHandlers(...file.current.handlers)
  })
  jest.afterEach(() => file.current && reportFailures(file.current))
  jest.afterAll(close)
}

type Body = () => unknown
type DefineTest = (name: string, body: Body, timeout?: number) => void
type DefineHook = (body: Body, timeout?: number) => void

type JestGlobals = {
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

const findJest = (): JestGlobals | undefined => {
  const { test, beforeAll, expect } = globalThis as unknown as Partial<JestGlobals & { expect: unknown }>
  return test && beforeAll && expect ? (globalThis as unknown as JestGlobals) : undefined
}

const requireJest = (): JestGlobals => {
  const jest = findJest()
  if (jest !== undefined) return jest
  throw new PlantMockError(
    'plant-mock/jest works inside of test files of Jest, with its globals (injectGlobals: true). For vitest, import plant-mock/vitest.',
  )
}

type RunningTest = { readonly errors: readonly unknown[] }

const runningTest = (): RunningTest | undefined => {
  // No public API of Jest shows the failures of the running test, so this code reads private state of jest-circus.
  const key = Object.getOwnPropertySymbols(globalThis).find(({ description }) => description === 'JEST_STATE_SYMBOL')
  const state =
    key && (globalThis as unknown as Record<symbol, { currentlyRunningTest?: RunningTest | null } | undefined>)[key]
  return state?.currentlyRunningTest ?? undefined
}

const failuresOfTest = (): unknown[] => {
  const { expect } = globalThis as { expect?: { getState?: () => { suppressedErrors?: readonly unknown[] } } }
  return [
    // jest-circus stores a failure as a pair: the thrown error, and an error with the position of the test.
    ...(runningTest()?.errors ?? []).map((error) => (Array.isArray(error) ? error[0] : error)),
    ...(expect?.getState?.().suppressedErrors ?? []),
  ]
}
