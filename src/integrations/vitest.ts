import { test as base, inject, type RunnerTestCase, type TestAPI, TestRunner } from 'vitest'
import { createNetwork } from './network.ts'
import {
  appendJournal,
  createTestMock,
  journalOf,
  type PlantMockFixtures,
  type PlantMockTestOptions,
  type TestMock,
  unhandledError,
} from './test-mock.ts'
import { noteCoverage } from './vitest-coverage.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Options for all tests of a project, set by `provide` in its configuration. Those of a test take precedence. */
    plantMock?: Omit<PlantMockTestOptions, 'handlers' | 'store' | 'onNotice'>
  }
}

const network = /* @__PURE__ */ createNetwork<RunnerTestCase>()
const testMocks = /* @__PURE__ */ new WeakMap<RunnerTestCase, TestMock>()

const extendTest = (): TestAPI<PlantMockFixtures> =>
  base.extend<PlantMockFixtures>({
    plantMock: {},
    server: network.server,
    plants: [
      ({ plantMock, task }, use) => {
        const testMock = createTestMock({ ...inject('plantMock'), ...plantMock })
        testMocks.set(task, testMock)
        network.setHandlers(task, testMock.handlers)
        return use(testMock.mock)
      },
      { auto: true },
    ],
  })

/** Wraps each attempt of each test. A test of another `test` has no mock, and passes unchanged. */
const aroundTest = async (runTest: () => Promise<void>, { task }: { task: RunnerTestCase }): Promise<void> => {
  await network.runInBoundary(task, runTest)
  const testMock = testMocks.get(task)
  if (testMock === undefined) return
  testMocks.delete(task)
  noteCoverage(task.meta, await testMock.mock.coverage())
  await report(task, testMock)
}

/**
 * Appends the journal to the message of a failure: Vitest refuses annotations once a test has failed, and its JSON
 * reporter leaves them out.
 * @throws PlantMockError when requests were not handled.
 */
const report = async (task: RunnerTestCase, testMock: TestMock): Promise<void> => {
  const hasFailed = task.result?.state === 'fail'
  if (!hasFailed && testMock.unhandled.length === 0) return
  const journal = await journalOf(testMock)
  if (hasFailed) appendJournal(task.result?.errors?.at(-1), journal)
  if (testMock.unhandled.length > 0) throw unhandledError(testMock, hasFailed ? '' : journal)
}

const fileTests = /* @__PURE__ */ new WeakMap<object, TestAPI<PlantMockFixtures>>()
const levelsWithHooks = /* @__PURE__ */ new WeakSet<object>()

/**
 * Returns the `test` of the file that is being collected, and adds the hooks of that file. With `isolate: false`, files
 * share this module, but hooks and the effects of `test.override` belong to one file.
 */
const fileTest = (): TestAPI<PlantMockFixtures> => {
  const suite = TestRunner.getCurrentSuite()
  // Files share the collector of the top level, so that one is identified by its file.
  const level = suite.suite ?? suite.file
  if (!levelsWithHooks.has(level)) {
    levelsWithHooks.add(level)
    suite.on('beforeAll', () => network.open())
    // Not `test.aroundEach`: it sets up automatic fixtures first, whose requests would be outside of the boundary.
    suite.on('aroundEach', aroundTest)
  }
  const test = fileTests.get(suite.file) ?? extendTest()
  fileTests.set(suite.file, test)
  return test
}

/**
 * Vitest's `test`, with a mock of the plant store service for each test. The mock responds to the code under test whether
 * or not the test names `plants`; tests that run concurrently have separate mocks and handlers.
 * @example
 * test('lists plants', async ({ plants }) => {
 *   await plants.seed([{ id: 1, name: 'Aloe vera', tag: 'succulent' }])
 * })
 */
export const test: TestAPI<PlantMockFixtures> = /* @__PURE__ */ new Proxy(
  // A proxy cannot override non-configurable properties of its target, so the target is an arrow function without any.
  (() => {}) as unknown as TestAPI<PlantMockFixtures>,
  { apply: (_, self, args) => Reflect.apply(fileTest(), self, args), get: (_, key) => Reflect.get(fileTest(), key) },
)
