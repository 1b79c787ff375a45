import { AsyncLocalStorage } from 'node:async_hooks'
import { setupServer } from 'msw/node'
import { test as base, inject, type RunnerTestCase, type TestAPI, TestRunner } from 'vitest'
import { unhandled } from './msw.ts'
import { watchNetwork } from './overrides.ts'
import {
  appendJournal,
  createTestMock,
  failureFor,
  journalOf,
  type PlantMockFixtures,
  type PlantMockTestOptions,
  type TestMock,
  takeFailures,
} from './test-mock.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Options for all tests of a Vitest project, set by `provide`. The options of a test take precedence. */
    plantMock?: Omit<PlantMockTestOptions, 'handlers' | 'store' | 'onNotice' | 'assumptions'>
  }
}

const createNetwork = () => {
  const server = setupServer()
  let openCount = 0
  let stopWatching: () => void = () => undefined
  return {
    server,
    /** Calls `server.listen` only for the first caller, because msw 3 refuses to listen twice. */
    open(): () => void {
      if (openCount++ === 0) {
        server.listen(unhandled('bypass'))
        stopWatching = watchNetwork(server, () => testMocks.get(currentTest.getStore() as RunnerTestCase)?.watched)
      }
      return () => {
        if (--openCount > 0) return
        stopWatching()
        server.close()
      }
    },
  }
}

const network = /* @__PURE__ */ createNetwork()
const testMocks = /* @__PURE__ */ new WeakMap<RunnerTestCase, TestMock>()
const currentTest = /* @__PURE__ */ new AsyncLocalStorage<RunnerTestCase>()

const applyHandlers = (task: RunnerTestCase): void => {
  const handlers = testMocks.get(task)?.handlers
  if (handlers !== undefined && currentTest.getStore() === task) network.server.resetHandlers(...handlers)
}

const runInBoundary = async (task: RunnerTestCase, run: () => Promise<void>): Promise<void> => {
  if (currentTest.getStore() === task) return run()
  const bounded = network.server.boundary(() => {
    applyHandlers(task)
    return run()
  })
  await currentTest.run(task, bounded)
}

const extendTest = (): TestAPI<PlantMockFixtures> =>
  base.extend<PlantMockFixtures>({
    plantMock: {},
    server: network.server,
    plants: [
      ({ plantMock, task }, use) => {
        const testMock = createTestMock({ ...inject('plantMock'), ...plantMock }, network.server)
        testMocks.set(task, testMock)
        applyHandlers(task)
        return use(testMock.mock)
      },
      { auto: true },
    ],
  })

const aroundTest = async (runTest: () => Promise<void>, { task }: { task: RunnerTestCase }): Promise<void> => {
  await runInBoundary(task, runTest)
  const testMock = testMocks.get(task)
  if (testMock === undefined) return
  testMocks.delete(task)
  const hasFailed = task.result?.state === 'fail'
  const reasons = await takeFailures(testMock, !hasFailed)
  if (!hasFailed && reasons.length === 0) return
  const journal = await journalOf(testMock, !hasFailed)
  // Appends the journal to the error message, because Vitest refuses annotations of a failed test.
  if (hasFailed) appendJournal(task.result?.errors?.at(-1), journal)
  if (reasons.length > 0) throw failureFor(reasons, hasFailed ? '' : journal)
}

const fileTests = /* @__PURE__ */ new WeakMap<object, TestAPI<PlantMockFixtures>>()
const levelsWithHooks = /* @__PURE__ */ new WeakSet<object>()

/** Creates hooks and a `test` for each file, because test files share this module with `isolate: false`. */
const fileTest = (): TestAPI<PlantMockFixtures> => {
  const suite = TestRunner.getCurrentSuite()
  // Outside of `describe`, the file counts as the suite, because all files share Vitest's top-level collector.
  const level = suite.suite ?? suite.file
  if (!levelsWithHooks.has(level)) {
    levelsWithHooks.add(level)
    suite.on('beforeAll', () => network.open())
    // Registers `aroundTest` on the suite, because `test.aroundEach` sets up fixtures outside of `server.boundary`.
    suite.on('aroundEach', aroundTest)
  }
  const test = fileTests.get(suite.file) ?? extendTest()
  fileTests.set(suite.file, test)
  return test
}

/**
 * Vitest's `test`, with a mock of the plant store service for each test. The mock responds to the code under test
 * whether or not the test names `plants`; tests that run concurrently have separate mocks and handlers.
 * @example
 * test('lists plants', async ({ plants }) => {
 *   await plants.seed([{ id: 1, name: 'Aloe vera', tag: 'succulent' }])
 * })
 */
export const test: TestAPI<PlantMockFixtures> = /* @__PURE__ */ new Proxy(
  // Wraps an arrow function, because a proxy of any other function must return the `prototype` of this function.
  (() => {}) as unknown as TestAPI<PlantMockFixtures>,
  { apply: (_, self, args) => Reflect.apply(fileTest(), self, args), get: (_, key) => Reflect.get(fileTest(), key) },
)
