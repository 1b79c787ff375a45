import { setupServer } from 'msw/node'
import { unhandled } from '../adapters/msw.ts'
import { PlantMockError } from '../util/errors.ts'
import { noteCoverage } from './jest-coverage.ts'
import { type Body, findJest, requireJest } from './jest-globals.ts'
import {
  appendJournal,
  createTestMock,
  journalOf,
  type PlantMockFixtures,
  type PlantMockTestOptions,
  type TestMock,
  unhandledError,
} from './test-mock.ts'

/** The body of a test or hook. */
export type PlantTestBody = (fixtures: PlantMockFixtures) => unknown

/** Defines a test; `timeout` in milliseconds. */
export type DefinePlantTest = (name: string, body: PlantTestBody, timeout?: number) => void

/** Defines a test for each row of a table; the fixtures are the last argument. */
export interface PlantTestEach {
  <Row extends readonly unknown[]>(
    table: readonly (Row | readonly [...Row])[],
  ): (name: string, body: (...args: [...row: Row, fixtures: PlantMockFixtures]) => unknown, timeout?: number) => void
  <Row>(
    table: readonly Row[],
  ): (name: string, body: (row: Row, fixtures: PlantMockFixtures) => unknown, timeout?: number) => void
}

type Options = { plantMock: PlantMockTestOptions }
/** Options in place of those outside, or made from those. */
type Override = {
  (options: Options): void
  (name: 'plantMock', from: (outer: Options) => PlantMockTestOptions): void
}

/** Jest's `test`, with a mock for each test. */
export interface PlantTest extends DefinePlantTest {
  readonly only: DefinePlantTest
  readonly skip: DefinePlantTest
  readonly failing: DefinePlantTest
  readonly todo: (name: string) => void
  readonly each: PlantTestEach
  readonly beforeEach: (body: PlantTestBody, timeout?: number) => void
  readonly afterEach: (body: PlantTestBody, timeout?: number) => void
  /** Sets the options of the mocks of all tests of a `describe`, or of a file. */
  readonly override: Override
}

const server = /* @__PURE__ */ setupServer()
let current: (TestMock & { journalIsShown?: boolean }) | undefined

/** The options of the project, then those of each `override` around the running test. */
const optionsInForce: PlantMockTestOptions[] = []
const latestOptions = (): PlantMockTestOptions => optionsInForce.at(-1) ?? {}

const projectOptions = (): PlantMockTestOptions => (globalThis as { plantMock?: PlantMockTestOptions }).plantMock ?? {}

const fixtures = (): PlantMockFixtures => {
  if (current === undefined) throw new PlantMockError('plant-mock/jest has a mock in tests and their hooks only.')
  return { plants: current.mock, plantMock: latestOptions(), server }
}

/** Fails the test for requests that no handler matched since the last call. */
const failForUnhandled = async (): Promise<void> => {
  if (current === undefined || current.unhandled.length === 0) return
  const failure = unhandledError(current, current.journalIsShown ? '' : await journalOf(current))
  current.unhandled.length = 0
  throw failure
}

/** Shows the journal in the message of an error: Jest has no other place that a test can write to. */
const withJournal = async <T>(run: () => T): Promise<Awaited<T>> => {
  try {
    return await run()
  } catch (error) {
    if (current !== undefined) {
      appendJournal(error, await journalOf(current))
      current.journalIsShown = true
    }
    throw error
  }
}

const bodyOf =
  (body: PlantTestBody): Body =>
  () =>
    withJournal(() => body(fixtures()))

const define =
  (kind?: 'only' | 'skip' | 'failing'): DefinePlantTest =>
  (name, body, timeout) => {
    const { test } = requireJest()
    ;(kind === undefined ? test : test[kind])(name, bodyOf(body), timeout)
  }

const each = (...table: readonly unknown[]) => {
  const defineRows = requireJest().test.each(...table) as (name: string, body: Body, timeout?: number) => void
  return (name: string, body: (...args: unknown[]) => unknown, timeout?: number): void =>
    defineRows(name, (...row: unknown[]) => withJournal(() => body(...row, fixtures())), timeout)
}

/** Options come into force before the first test of their `describe`, because Jest has no way to ask for that of a test. */
const override = (...[first, from]: Parameters<Override> | [Options]): void => {
  const { beforeAll, afterAll } = requireJest()
  beforeAll(() => {
    const plantMock = typeof first === 'string' ? from?.({ plantMock: latestOptions() }) : first.plantMock
    optionsInForce.push(plantMock ?? {})
  })
  afterAll(() => {
    optionsInForce.pop()
  })
}

const refuseConcurrent = (): never => {
  throw new PlantMockError(
    'test.concurrent has no mock, because Jest runs its concurrent tests outside of hooks. Use test: files run in parallel.',
  )
}

/**
 * Jest's `test`, with a mock of the plant store service for each test. In a file that imports it, the mock responds to
 * the code under test whether or not the test names `plants`.
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
  concurrent: refuseConcurrent,
  beforeEach: (body: PlantTestBody, timeout?: number) => requireJest().beforeEach(bodyOf(body), timeout),
  afterEach: (body: PlantTestBody, timeout?: number) =>
    requireJest().afterEach(async () => {
      await bodyOf(body)()
      await failForUnhandled()
    }, timeout),
  override: override as Override,
})

/** Adds the hooks to the file that imports this module: Jest has an instance of it for each test file. */
export const addHooks = (): void => {
  const jest = findJest()
  if (jest === undefined) return
  jest.beforeAll(() => {
    optionsInForce.push(projectOptions())
    server.listen(unhandled('bypass'))
  })
  jest.beforeEach(() => {
    current = createTestMock(latestOptions())
    server.resetHandlers(...current.handlers)
  })
  jest.afterEach(async () => {
    if (current !== undefined) noteCoverage(await current.mock.coverage())
    await failForUnhandled()
  })
  jest.afterAll(() => server.close())
}
