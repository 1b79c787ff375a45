import { randomUUID } from 'node:crypto'
import { type BrowserContext, test as base, type TestInfo } from '@playwright/test'
import type { Assume } from '../assumptions/registry.ts'
import { connectPlantMock } from '../control/client.ts'
import type { Fault } from '../faults/fault.ts'
import { type Fixtures, plantsIn } from '../fixtures/load.ts'
import type { LocalPlantMock } from '../mock/create-plant-mock.ts'
import type { PlantMock } from '../mock/plant-mock.ts'
import { sessionHeader } from '../mock/session-id.ts'
import { type StartedPlantMock, startPlantMock } from '../server/start.ts'
import { PlantMockError } from '../util/errors.ts'
import { renderJournal } from './journal-text.ts'
import { routePlants } from './route-plants.ts'
import { sessionName } from './session-name.ts'

export { expect } from '@playwright/test'

/** What a Playwright configuration or `test.use` says of the mock. */
export type PlantMockUse = {
  /**
   * A mock that runs already, such as Vite's dev server with the plugin: `http://127.0.0.1:5173/api`, or `/api` when
   * Playwright's `baseURL` is that server. Default: the environment variable `PLANT_MOCK_URL`; without that, each
   * worker starts a mock of its own.
   */
  readonly url?: string
  /**
   * Where the pages believe the service to be, such as `https://api.example.com`, or `/api` for a place below
   * Playwright's `baseURL`. What they ask of `{baseUrl}/plants` is answered by the mock. Default: where the mock is.
   */
  readonly baseUrl?: string
  /** The control key of the mock that runs already, if it has one. */
  readonly key?: string
  /**
   * Plants that each test starts with, or names of shipped fixtures and paths of fixture files. Default: those of the
   * mock that runs already; none without one.
   */
  readonly fixtures?: Fixtures
  /** What each test assumes where the contract leaves a point open. */
  readonly assume?: Assume
  /** Faults that each test starts with. */
  readonly faults?: readonly Fault[]
}

/** For `defineConfig<PlantTestOptions>`. */
export type PlantTestOptions = {
  /** Set in the configuration, and by `test.use({ plantMock: { … } })` for what is to be different in a file. */
  plantMock: PlantMockUse
}

export type PlantFixtures = PlantTestOptions & {
  /** The mock as this test has it: with plants, journal, faults and assumptions that no other test sees. */
  plants: PlantMock
  /** Where the mock is, such as `http://127.0.0.1:41234`. For `request`, whose requests belong to this test too. */
  plantsUrl: string
  /** Has the mock answer the pages of one more context: those of `context` are answered anyway. */
  routePlants: (context: BrowserContext) => Promise<void>
  /** @internal */
  _plantSession: PlantSession
}

type PlantSession = {
  readonly id: string
  /** Where the mock is. */
  readonly url: string
  /** Where pages believe it to be. */
  readonly address: URL
  readonly plants: PlantMock
}

type PlantWorkerFixtures = {
  /** @internal Starts the worker's own mock, unless it runs. */
  _startPlants: () => Promise<StartedPlantMock>
}

/**
 * Playwright's `test`, with a mock in which each test has a session of its own. The session goes with every request
 * of the test's pages and of `request`, by the header `Plant-Mock-Session` among `extraHTTPHeaders`, which Playwright
 * sends to other sites too. When a test fails, its journal is attached to the report.
 * @example
 * test('says when there are no plants', async ({ page, plants }) => {
 *   await plants.load([])
 *   await page.goto('/')
 *   await expect(page.getByText('No plants yet')).toBeVisible()
 * })
 */
export const test = base.extend<PlantFixtures, PlantWorkerFixtures>({
  plantMock: [{}, { option: true }],

  _startPlants: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads here that the fixture needs no other.
    async ({}, use) => {
      let started: Promise<StartedPlantMock> | undefined
      await use(() => {
        started ??= startPlantMock({ grace: 0 })
        return started
      })
      await (await started)?.close()
    },
    { scope: 'worker', box: true },
  ],

  _plantSession: [
    async ({ plantMock, baseURL, _startPlants }, use, testInfo) => {
      const options = { ...configured(testInfo), ...plantMock }
      const { url, mock } = await reach(options, baseURL, _startPlants)
      const address = new URL(absolute(options.baseUrl ?? url, baseURL))
      const id = sessionName(testInfo.title, randomUUID().slice(0, 8))
      const plants = await prepare(mock.session(id), options)
      await use({ id, url, address, plants })
      if (testInfo.status !== testInfo.expectedStatus) await attachJournal(plants, testInfo)
      await mock.sessions.drop(id)
    },
    { box: true },
  ],

  plants: ({ _plantSession }, use) => use(_plantSession.plants),

  plantsUrl: ({ _plantSession }, use) => use(_plantSession.url),

  routePlants: ({ _plantSession: { address, plants } }, use) =>
    use(async (context) => {
      await routePlants(context, address, plants)
    }),

  extraHTTPHeaders: ({ extraHTTPHeaders, _plantSession: { id } }, use) =>
    use({ ...extraHTTPHeaders, [sessionHeader]: id }),

  context: async ({ context, routePlants }, use) => {
    await routePlants(context)
    await use(context)
  },

  // For a `test.use({ extraHTTPHeaders })`, which takes the place of the headers above.
  request: async ({ playwright, extraHTTPHeaders, _plantSession: { id } }, use) => {
    const request = await playwright.request.newContext({
      extraHTTPHeaders: { ...extraHTTPHeaders, [sessionHeader]: id },
    })
    await use(request)
    await request.dispose()
  },
})

/** The options of the configuration: `test.use` alone would put others in their place, and not beside them. */
const configured = ({ project }: TestInfo): PlantMockUse =>
  (project.use as Partial<PlantTestOptions>).plantMock ?? {}

/** The mock that runs already, or else the worker's own. */
const reach = async (
  { url = process.env.PLANT_MOCK_URL, key }: PlantMockUse,
  baseURL: string | undefined,
  start: () => Promise<StartedPlantMock>,
): Promise<{ readonly url: string; readonly mock: PlantMock | LocalPlantMock }> => {
  if (url === undefined || url === '') return start()
  const address = absolute(url, baseURL)
  return { url: address, mock: connectPlantMock(address, key === undefined ? {} : { key }) }
}

const absolute = (url: string, baseURL: string | undefined): string => {
  if (URL.canParse(url, baseURL)) return new URL(url, baseURL).href.replace(/\/+$/, '')
  throw new PlantMockError(
    `plantMock cannot use the address ${JSON.stringify(url)}: write it in full, or set Playwright's baseURL.`,
  )
}

/** A session as the options want each test to find it, and to come back to on `reset()`. */
const prepare = async (
  session: PlantMock,
  { fixtures, assume, faults = [] }: PlantMockUse,
): Promise<PlantMock> => {
  const begin = async () => {
    if (assume !== undefined) await session.assume(assume)
    for (const fault of faults) await session.fail(fault)
  }
  if (fixtures !== undefined) await session.load(await plantsIn(fixtures))
  await begin()
  return {
    ...session,
    async reset() {
      await session.reset()
      await begin()
    },
  }
}

const attachJournal = async (plants: PlantMock, testInfo: TestInfo): Promise<void> => {
  const entries = await plants.requests.all()
  const text = renderJournal(entries, await plants.pending()) || 'No request came to the mock.'
  await testInfo.attach('plant-mock requests', { body: text, contentType: 'text/plain' })
  await testInfo.attach('plant-mock journal', {
    body: JSON.stringify(entries, null, 2),
    contentType: 'application/json',
  })
}
