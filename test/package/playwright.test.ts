import { startPlantMock } from 'plant-mock/node'
import { beforeAll, describe, expect, it } from 'vitest'
import { skipsBrowser } from './browser/chromium.ts'
import { failuresIn, freePort, type PlaywrightTest, runPlaywright } from './support/playwright.ts'

const config = 'test/package/playwright/playwright.config.ts'
const fern = { id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }

describe.skipIf(skipsBrowser('tests with Playwright'))('with Playwright', { timeout: 120_000 }, () => {
  it('the tests of the example pass, on the mock of the dev server and on one of their own', async () => {
    const env = { PORT: await freePort() }
    const tests = await runPlaywright('test/app/playwright.config.ts', { env })
    expect(failuresIn(tests)).toEqual([])
    expect(tests.length).toBeGreaterThanOrEqual(20)
  })

  it('each test has a session of its own in a mock that its worker starts', async () => {
    const tests = await runPlaywright(config, { args: ['--project', 'own'] })
    expect(failuresIn(tests)).toEqual([])
    expect(tests.length).toBeGreaterThanOrEqual(15)
  })

  it('each test has a session of its own in a mock that runs, and leaves nothing there', async () => {
    const { url, mock, close } = await startPlantMock({ fixtures: [fern] })
    const env = { PLANT_MOCK_URL: url }
    const tests = await runPlaywright(config, { args: ['--project', 'joined'], env })
    expect(failuresIn(tests)).toEqual([])
    expect(await mock.sessions.all()).toEqual([])
    expect(await mock.requests.all()).toEqual([])
    expect(await mock.plants.all()).toEqual([fern])
    await close()
  })

  describe('the report of a test', () => {
    let tests: readonly PlaywrightTest[]
    beforeAll(async () => {
      tests = await runPlaywright(config, { args: ['--project', 'failing'] })
    }, 120_000)
    const find = (title: string) => tests.find((test) => test.title === title)

    it('that failed has a line for each of its requests', () => {
      expect(find('fails')?.attachments['plant-mock requests']?.split('\n')).toEqual([
        'Requests to the mock in this test: 2',
        '  1  GET /plants?limit=1  200  caller-1  assumed: list.status, auth.tokens, json.contentType',
        '     got   []',
        '  2  GET /plants?limit=many  401  assumed: auth.status, error.body',
        expect.stringContaining('     got   {"type":"urn:problem-type:plant-mock:missing-token"'),
        '     request not as the contract shows (5): Send the header Authorization: Bearer <token>.',
        '     request not as the contract shows (4.2): limit is to be one number; it was "many".',
      ])
    })

    it('that failed has its journal, without a token', () => {
      const journal = find('fails')?.attachments['plant-mock journal'] ?? ''
      expect(JSON.parse(journal)).toMatchObject([{ status: 200, caller: 'caller-1' }, { status: 401 }])
      expect(journal).not.toContain('a-token-that-is-long-enough')
    })

    it('that failed without a request says so', () => {
      expect(find('fails without a request')?.attachments).toMatchObject({
        'plant-mock requests': 'No request came to the mock.',
        'plant-mock journal': '[]',
      })
    })

    it.each(['passes', 'fails as it was told to'])('that went as it was to has neither: %s', (title) => {
      expect(find(title)?.outcome).toBe('expected')
      expect(find(title)?.attachments).not.toHaveProperty('plant-mock requests')
      expect(find(title)?.attachments).not.toHaveProperty('plant-mock journal')
    })

    it('whose address is none says what to do', () => {
      expect(find('fails because of its address')?.errors.join()).toContain(
        'plantMock cannot use the address "http://": write it in full, or set Playwright\'s baseURL.',
      )
    })
  })
})
