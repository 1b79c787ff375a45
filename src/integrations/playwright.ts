import { randomUUID } from 'node:crypto'
import { type BrowserContext, test as base, type TestInfo } from '@playwright/test'
import type { Assume } from '../core/assumptions/registry.ts'
import type { Fault } from '../core/faults/fault.ts'
import { withoutUserInfo } from '../core/http/address.ts'
import type { PlantMock } from '../core/mock/plant-mock.ts'
import { sessionHeader } from '../core/mock/sessions.ts'
import { connectPlantMock } from '../server/control/client.ts'
import { type Fixtures, plantsIn } from '../server/files/load-fixtures.ts'
import { type StartedPlantMock, startPlantMock } from '../server/start/start.ts'
import { checkOptions, type OptionNames } from '../util/check-options.ts'
import { PlantMockError } from '../util/errors.ts'
import { printableLines } from '../util/terminal.ts'
import { type PageOverrides, pageOverrides, readOverrides, routePlants, sessionName } from './playwright-session.ts'
import { checkNames, type PlantMockChecks, renderJournal, strictFailures, withoutFrames } from './test-checks.ts'

export { expect } from '@playwright/test'

export type PlantMockUse = {
  /**
   * The URL of a running mock, such as `http://127.0.0.1:5173/api`, or `/api` below Playwright's `baseURL`. Default:
   * the environment variable `PLANT_MOCK_URL`. Without a URL, each worker starts a mock.
   */
  readonly url?: string
  /**
   * The base URL of the service in the pages, such as `https://api.example.com`, or `/api` below Playwright's
   * `baseURL`. The mock responds to `{baseUrl}/plants`. Default: the address of the mock.
   */
  readonly baseUrl?: string
  /** The control key of a running mock. Default: no key. */
  readonly key?: string
  /** Plants, or names of shipped fixtures and paths of fixture files. Default: the plants of the mock. */
  readonly fixtures?: Fixtures
  /** Assumptions that each test starts with. Default: the assumptions of the mock. */
  readonly assume?: Assume
  /** Faults that each test starts with. Default: no faults. */
  readonly faults?: readonly Fault[]
} & PlantMockChecks

const optionNames: OptionNames<PlantMockUse> = {
  url: 'text',
  baseUrl: 'text',
  key: true,
  fixtures: true,
  assume: true,
  faults: 'list',
  ...checkNames,
}

export type PlantTestOptions = {
  /** Options from the Playwright configuration. `test.use({ plantMock: { … } })` overrides single options in a file. */
  plantMock: PlantMockUse
}

export type PlantFixtures = PlantTestOptions & {
  /** The session of this test, with its own plants, journal, faults and assumptions. */
  plants: PlantMock
  /** The mock's address, such as `http://127.0.0.1:41234`. Requests of Playwright's `request` belong to the session. */
  plantsUrl: string
  /** Serves the mock to the pages of a further browser context. The pages of `context` need no such call. */
  routePlants: (context: BrowserContext) => Promise<void>
  /** @internal */
  _plantSession: PlantSession
}

type PlantSession = {
  readonly id: string
  readonly url: string
  readonly baseUrl: URL
  readonly plants: PlantMock
  readonly overrides: PageOverrides | undefined
}

type PlantWorkerFixtures = {
  /** @internal */
  _startPlants: () => Promise<StartedPlantMock>
}

/**
 * Playwright's `test`, with a session of the mock for each test. Every request of the pages and of `request` carries
 * the session in the header `Plant-Mock-Session`. Playwright also sends this header to other sites, because it is one
 * of `extraHTTPHeaders`. When a test fails, its journal is attached to the report.
 * @example
 * test('shows a message when no plants exist', async ({ page, plants }) => {
 *   await plants.replaceFixtures([])
 *   await page.goto('/')
 *   await expect(page.getByText('No plants yet')).toBeVisible()
 * })
 */
export const test = base.extend<PlantFixtures, PlantWorkerFixtures>({
  plantMock: [{}, { option: true }],

  _startPlants: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright parses this pattern for the fixtures that it needs.
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
      // Adds the options of the Playwright configuration, because `test.use` replaces the whole object.
      const { plantMock: projectOptions } = testInfo.project.use as Partial<PlantTestOptions>
      const options = { ...projectOptions, ...plantMock }
      checkOptions(options, optionNames, 'plantMock', { controlKey: 'key', plants: 'fixtures', assumptions: 'assume' })
      const { url, mock } = await connect(options, baseURL, _startPlants)
      const baseUrl = new URL(absolute(options.baseUrl ?? url, baseURL))
      const id = sessionName(testInfo.title, randomUUID().slice(0, 8))
      const plants = await configure(mock.session(id), options)
      const overrides = options.overrides === 'off' ? undefined : pageOverrides()
      await use({ id, url, baseUrl, plants, overrides })
      await Promise.all(overrides?.reading ?? [])
      const problems = overrides?.problems ?? []
      if (options.overrides === 'report')
        for (const problem of problems.splice(0)) console.warn(`plant-mock: ${printableLines(problem)}`)
      const isPassing = testInfo.status === testInfo.expectedStatus
      const reasons = [...problems, ...(options.strict && isPassing ? await strictFailures(plants) : [])]
      if (!isPassing || reasons.length > 0) await attachJournal(plants, testInfo)
      await mock.sessions.drop(id)
      if (reasons.length > 0) throw withoutFrames(reasons.join('\n\n'))
    },
    { box: true },
  ],

  plants: ({ _plantSession }, use) => use(_plantSession.plants),

  plantsUrl: ({ _plantSession }, use) => use(_plantSession.url),

  routePlants: ({ _plantSession: { baseUrl, plants, overrides } }, use) =>
    use((context) => routePlants(context, baseUrl, plants, overrides)),

  extraHTTPHeaders: ({ extraHTTPHeaders, _plantSession: { id } }, use) =>
    use({ ...extraHTTPHeaders, [sessionHeader]: id }),

  context: async ({ context, routePlants, _plantSession: { overrides } }, use) => {
    await routePlants(context)
    await use(context)
    if (overrides !== undefined) await readOverrides(context, overrides)
  },

  // Adds the session header here too, because `test.use({ extraHTTPHeaders })` overrides the fixture that adds it.
  request: async ({ playwright, extraHTTPHeaders, _plantSession: { id } }, use) => {
    const headers = { ...extraHTTPHeaders, [sessionHeader]: id }
    const request = await playwright.request.newContext({ extraHTTPHeaders: headers })
    await use(request)
    await request.dispose()
  },
})

const connect = async (
  { url = process.env.PLANT_MOCK_URL, key }: PlantMockUse,
  baseURL: string | undefined,
  start: () => Promise<StartedPlantMock>,
): Promise<{ readonly url: string; readonly mock: PlantMock }> => {
  if (!url) return start()
  const address = absolute(url, baseURL)
  return { url: address, mock: connectPlantMock(address, key === undefined ? {} : { key }) }
}

const absolute = (url: string, baseURL: string | undefined): string => {
  if (URL.canParse(url, baseURL)) return new URL(url, baseURL).href.replace(/\/+$/, '')
  throw new PlantMockError(
    `Invalid address ${JSON.stringify(withoutUserInfo(url))} in plantMock. Use an absolute URL, or set Playwright's baseURL.`,
  )
}

const configure = async (session: PlantMock, { fixtures, assume, faults = [] }: PlantMockUse): Promise<PlantMock> => {
  const apply = async () => {
    if (assume !== undefined) await session.assume(assume)
    for (const fault of faults) await session.fail(fault)
  }
  if (fixtures !== undefined) await session.replaceFixtures(await plantsIn(fixtures, () => undefined))
  await apply()
  return {
    ...session,
    async reset() {
      await session.reset()
      await apply()
    },
  }
}

const attachJournal = async (plants: PlantMock, testInfo: TestInfo): Promise<void> => {
  const entries = await plants.requests.all()
  const text = renderJournal(entries, await plants.pending()) || 'The mock received no request.'
  await testInfo.attach('plant-mock requests', { body: text, contentType: 'text/plain' })
  const json = JSON.stringify(entries, null, 2)
  await testInfo.attach('plant-mock journal', { body: json, contentType: 'application/json' })
}
