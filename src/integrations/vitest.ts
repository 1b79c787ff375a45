import { test as base, inject, type RunnerTestCase, type TestAPI, TestRunner } from 'vitest'
import { plantHandlers, type UnhandledStrategy } from '../adapters/msw.ts'
import { createPlantMock, type LocalPlantMock } from '../mock/create-plant-mock.ts'
import { mockOptionNames, otherMockNames, type PlantMockOptions } from '../mock/options.ts'
import { checkOptions, type OptionNames } from '../util/check-options.ts'
import { PlantMockError } from '../util/errors.ts'
import { renderJournal } from './journal-text.ts'
import { catchAllHandlers, renderUnhandled } from './unhandled.ts'
import { noteCoverage } from './vitest-coverage.ts'
import { createNetwork, type Handlers, type MswServer } from './vitest-network.ts'

/** Options of the mock that each test gets, and of the requests that are not for it. */
export type PlantMockTestOptions = PlantMockOptions & {
  /** The base URL of the service in the client under test, such as `https://api.example.com/v1`. Default: `*`, any address. */
  readonly baseUrl?: string
  /**
   * The treatment of a request that no handler matches: `error` refuses it and fails the test, `warn` prints a warning
   * and lets it pass through to the network, `bypass` lets it pass. Default: `error`.
   */
  readonly unhandled?: UnhandledStrategy
  /** Handlers for other services, which take precedence over those of the mock. Default: none. */
  readonly handlers?: Readonly<Handlers>
}

/** The msw server. Handlers that a test adds or resets are its own: no other test sees them. */
export type TestServer = Pick<MswServer, 'use' | 'resetHandlers' | 'restoreHandlers' | 'listHandlers' | 'events'>

/** The fixtures of `test`. */
export interface PlantMockFixtures {
  /** Options, set by `test.override` or `test.extend`. */
  plantMock: PlantMockTestOptions
  /** The mock of this test, which responds to the requests of the code under test. */
  plants: LocalPlantMock
  /** The msw server, for handlers of this test. */
  server: TestServer
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Options for all tests of a project, set by `provide` in its configuration. Those of a test take precedence. */
    plantMock?: Omit<PlantMockTestOptions, 'handlers' | 'store' | 'onNotice'>
  }
}

/** The mock of a running test, and the requests that no handler matched. */
type TestMock = { readonly mock: LocalPlantMock; readonly baseUrl: string; readonly unhandled: string[] }

const network = /* @__PURE__ */ createNetwork<RunnerTestCase>()
const testMocks = /* @__PURE__ */ new WeakMap<RunnerTestCase, TestMock>()

const extendTest = (): TestAPI<PlantMockFixtures> =>
  base.extend<PlantMockFixtures>({
    plantMock: {},
    server: network.server,
    plants: [
      ({ plantMock, task }, use) => use(createTestMock(task, { ...inject('plantMock'), ...plantMock })),
      { auto: true },
    ],
  })

const optionNames: OptionNames<PlantMockTestOptions> = {
  ...mockOptionNames,
  baseUrl: true,
  unhandled: true,
  handlers: true,
}

const createTestMock = (task: RunnerTestCase, options: PlantMockTestOptions): LocalPlantMock => {
  checkOptions(options, optionNames, 'plantMock', { ...otherMockNames, onUnhandledRequest: 'unhandled' })
  const { baseUrl = '*', unhandled: strategy = 'error', handlers = [], ...mockOptions } = options
  const mock = createPlantMock(mockOptions)
  const unhandled: string[] = []
  testMocks.set(task, { mock, baseUrl, unhandled })
  const catchAll = catchAllHandlers(strategy, mock.instances.callers, (request) => unhandled.push(request))
  network.setHandlers(task, [...handlers, ...plantHandlers(mock, { baseUrl }), ...catchAll])
  return mock
}

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
 * Appends the journal to the message of a failure, which every reporter shows: Vitest refuses annotations once a test has
 * failed, and its JSON reporter leaves them out.
 * @throws PlantMockError when requests were not handled.
 */
const report = async (task: RunnerTestCase, { mock, baseUrl, unhandled }: TestMock): Promise<void> => {
  const hasFailed = task.result?.state === 'fail'
  if (!hasFailed && unhandled.length === 0) return
  const journal = renderJournal(await mock.requests.all(), await mock.pending())
  const error = task.result?.errors?.at(-1)
  if (hasFailed && error !== undefined && journal !== '') {
    const message = `${error.message}\n\n${journal}`
    if (error.stack !== undefined) error.stack = error.stack.replace(error.message, () => message)
    error.message = message
  }
  if (unhandled.length === 0) return
  const parts = [renderUnhandled(unhandled, baseUrl), ...(hasFailed || journal === '' ? [] : [journal])]
  const failure = new PlantMockError(parts.join('\n\n'))
  // Its frames are all inside plant-mock and Vitest.
  failure.stack = `${failure.name}: ${failure.message}`
  throw failure
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
