import { test as base, inject, type RunnerTestCase, type TestAPI, TestRunner } from 'vitest'
import { plantHandlers, type UnhandledStrategy } from '../adapters/msw.ts'
import { createPlantMock, type LocalPlantMock } from '../mock/create-plant-mock.ts'
import type { PlantMockOptions } from '../mock/options.ts'
import { PlantMockError } from '../util/errors.ts'
import { renderJournal } from './journal-text.ts'
import { lastHandlers, renderUnhandled } from './unhandled.ts'
import { noteCoverage } from './vitest-coverage.ts'
import { createNetwork, type Handlers, type MswServer } from './vitest-network.ts'

/** How the mock of each test is made, and what becomes of the requests that are not for it. */
export type PlantMockTestOptions = PlantMockOptions & {
  /** Where the client under test believes the service to be. Default: `*`, any address at all. */
  readonly baseUrl?: string
  /**
   * What becomes of requests that no handler takes: they fail the test, are warned of, or reach the network.
   * Default: `error`.
   */
  readonly unhandled?: UnhandledStrategy
  /** Handlers for other services, asked before the mock's. */
  readonly handlers?: Readonly<Handlers>
}

/** msw's server. What one test does to its handlers, no other test sees. */
export type TestServer = Pick<
  MswServer,
  'use' | 'resetHandlers' | 'restoreHandlers' | 'listHandlers' | 'events'
>

/** What a test may ask for by name. */
export interface PlantMockFixtures {
  /** The options, to be set by `test.override` or `test.extend`. */
  plantMock: PlantMockTestOptions
  /** A mock for this test alone, which answers the requests of the code under test. */
  plants: LocalPlantMock
  server: TestServer
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Options for all tests of a project, by `provide` in its configuration; a test's own go before them. */
    plantMock?: Omit<PlantMockTestOptions, 'handlers' | 'store' | 'onNotice'>
  }
}

/** A test under way: its mock, and the requests that nobody answered. */
type Seat = { readonly mock: LocalPlantMock; readonly baseUrl: string; readonly unhandled: string[] }

const network = /* @__PURE__ */ createNetwork<RunnerTestCase>()
const seats = /* @__PURE__ */ new WeakMap<RunnerTestCase, Seat>()

const extended = (): TestAPI<PlantMockFixtures> =>
  base.extend<PlantMockFixtures>({
    plantMock: {},
    server: network.server,
    plants: [
      async ({ plantMock, task }, use) => {
        await use(takeSeat(task, { ...inject('plantMock'), ...plantMock }).mock)
      },
      { auto: true },
    ],
  })

const takeSeat = (task: RunnerTestCase, options: PlantMockTestOptions): Seat => {
  const { baseUrl = '*', unhandled: strategy = 'error', handlers = [], ...mockOptions } = options
  const mock = createPlantMock(mockOptions)
  const seat: Seat = { mock, baseUrl, unhandled: [] }
  seats.set(task, seat)
  network.handle(task, [
    ...handlers,
    ...plantHandlers(mock, { baseUrl }),
    ...lastHandlers(strategy, mock.instances.callers.pseudonymOf, (request) => seat.unhandled.push(request)),
  ])
  return seat
}

/** Around each try of each test. A test that is not ours takes no seat, and is left alone. */
const around = async (runTest: () => Promise<void>, { task }: { task: RunnerTestCase }): Promise<void> => {
  await network.within(task, runTest)
  const seat = seats.get(task)
  if (seat === undefined) return
  seats.delete(task)
  noteCoverage(task.meta, await seat.mock.coverage())
  const failed = task.result?.state === 'fail'
  if (failed || seat.unhandled.length > 0) await report(task, seat, failed)
}

/**
 * Puts what the test asked of its mock into the message of its failure, where every reporter shows it: annotations
 * are refused once a test has failed, and the JSON reporter leaves them out.
 * @throws PlantMockError when requests went unanswered.
 */
const report = async (task: RunnerTestCase, { mock, baseUrl, unhandled }: Seat, failed: boolean) => {
  const journal = renderJournal(await mock.requests.all(), await mock.pending())
  const error = task.result?.errors?.at(-1)
  if (failed && error !== undefined && journal !== '') {
    const message = `${error.message}\n\n${journal}`
    if (error.stack !== undefined) error.stack = error.stack.replace(error.message, () => message)
    error.message = message
  }
  if (unhandled.length === 0) return
  const parts = [renderUnhandled(unhandled, baseUrl), ...(failed || journal === '' ? [] : [journal])]
  const refusal = new PlantMockError(parts.join('\n\n'))
  // Where it is thrown is of no use to anyone.
  refusal.stack = `${refusal.name}: ${refusal.message}`
  throw refusal
}

type Suite = ReturnType<typeof TestRunner.getCurrentSuite>

/**
 * `test` for the file that is being collected. Where files share modules (`isolate: false`) this module is run once
 * for many of them, but hooks belong to one file, and so does what `test.override` changes.
 */
const ofThisFile = () => {
  const tests = new WeakMap<Suite['file'], TestAPI<PlantMockFixtures>>()
  const hooked = new WeakSet<object>()
  return (): TestAPI<PlantMockFixtures> => {
    const suite = TestRunner.getCurrentSuite()
    // The collector of a file's top level goes on from file to file.
    const level = suite.suite ?? suite.file
    if (!hooked.has(level)) {
      hooked.add(level)
      suite.on('beforeAll', () => network.open())
      // Not by `test.aroundEach`: that sets up automatic fixtures first, and their requests would be outside.
      suite.on('aroundEach', around)
    }
    const test = tests.get(suite.file) ?? extended()
    tests.set(suite.file, test)
    return test
  }
}

const current = /* @__PURE__ */ ofThisFile()

/**
 * vitest's `test`, with a mock of the plant store service for each test. Its handlers answer the code under test
 * whether or not the test asks for `plants` by name; tests that run at the same time do not meet.
 * @example
 * test('lists plants', async ({ plants }) => {
 *   await plants.seed([{ id: 1, name: 'Aloe vera', tag: 'succulent' }])
 * })
 */
export const test: TestAPI<PlantMockFixtures> = /* @__PURE__ */ new Proxy(
  // Nothing of it is ever used: a proxy may not answer for what its target has for good.
  (() => {}) as unknown as TestAPI<PlantMockFixtures>,
  {
    apply: (_, self, args) => Reflect.apply(current(), self, args),
    get: (_, key) => Reflect.get(current(), key),
  },
)
