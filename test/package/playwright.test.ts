import { startPlantMock } from 'plant-mock/node'
import { beforeAll, describe, expect, it } from 'vitest'
import { skipsBrowser } from './browser/chromium.ts'
import { failuresIn, type PlaywrightTest, runPlaywright } from './support/playwright.ts'

const config = 'test/package/playwright/playwright.config.ts'
const fern = { id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }

describe.skipIf(skipsBrowser())('with Playwright', () => {
  let tests: readonly PlaywrightTest[]
  beforeAll(async () => {
    tests = await runPlaywright(config, {
      args: ['--project', 'worker-mock', '--project', 'failing', '--project', 'overrides'],
    })
  })

  it('each test has a session in the mock that its worker starts', () => {
    const own = tests.filter(({ project }) => project === 'worker-mock')
    expect(failuresIn(own)).toEqual([])
    expect(own.length).toBeGreaterThanOrEqual(13)
  })

  it('each test has a session in a running mock, and leaves nothing there', async () => {
    const { url, mock, close } = await startPlantMock({ fixtures: [fern] })
    const env = { PLANT_MOCK_URL: url }
    const tests = await runPlaywright(config, { args: ['--project', 'running-mock'], env })
    expect(failuresIn(tests)).toEqual([])
    expect(await mock.sessions.all()).toEqual([])
    expect(await mock.requests.all()).toEqual([])
    expect(await mock.plants.all()).toEqual([fern])
    await close()
  })

  it('a route that violates the contract fails its test, and a strict one what it leaves over', () => {
    const own = tests.filter(({ project }) => project === 'overrides')
    const [route = '', strict = ''] = own.map(({ errors }) => errors.join())
    expect(route).toContain('contract 2.2, 4.2: Element 0: id is not a field of a plant.')
    expect(route).toContain(
      "mark the violation as intended: route.fulfill({ headers: { 'Plant-Mock-Violates': '2.2' }, … }).",
    )
    expect(strict).toContain('status 503 (hits: 0)')
    expect(strict).toContain('GET /plants?page=2 violates contract 4.2')
  })

  describe('the report', () => {
    const find = (title: string) => tests.find((test) => test.project === 'failing' && test.title === title)

    it('of a failed test lists its requests', () => {
      expect(find('fails')?.attachments['plant-mock requests']?.split('\n')).toEqual([
        'Requests to the mock in this test: 2',
        '  1  GET /plants?limit=1  200  caller-1  assumed: list.status, auth.tokens, rate.limit, json.contentType',
        '     got   []',
        '  2  GET /plants?limit=many  401  assumed: auth.status, error.authBody, error.body',
        expect.stringContaining('     got   {"type":"urn:problem-type:plant-mock:missing-token"'),
        '     request violates contract 5: Send the header Authorization: Bearer alice (by default, any token is accepted).',
        '     request violates contract 4.2: limit must be one number; the query has "many".',
      ])
    })

    it('of a failed test has its journal, without tokens', () => {
      const journal = find('fails')?.attachments['plant-mock journal'] ?? ''
      expect(JSON.parse(journal)).toMatchObject([{ status: 200, caller: 'caller-1' }, { status: 401 }])
      expect(journal).not.toContain('a-token-that-is-long-enough')
    })

    it('of a test that failed without a request says so', () => {
      expect(find('fails without a request')?.attachments).toMatchObject({
        'plant-mock requests': 'The mock received no request.',
        'plant-mock journal': '[]',
      })
    })

    it.each(['passes', 'fails as expected'])('of a test with the expected outcome has neither: %s', (title) => {
      expect(find(title)?.outcome).toBe('expected')
      expect(find(title)?.attachments).not.toHaveProperty('plant-mock requests')
      expect(find(title)?.attachments).not.toHaveProperty('plant-mock journal')
    })

    it('of a test with a misspelt option names the option that is meant', () => {
      expect(find('fails because of its option')?.errors.join()).toContain(
        'Unknown option "baseURL" of plantMock. Did you mean "baseUrl"?',
      )
    })

    it('of a test with an invalid address says what to do', () => {
      expect(find('fails because of its address')?.errors.join()).toContain(
        'Invalid address "http://" in plantMock. Use an absolute URL, or set Playwright\'s baseURL.',
      )
    })
  })
})
