import { expect, test } from 'plant-mock/playwright'
import { ask, openPage } from './page.ts'

const token = 'a-token-that-is-long-enough-to-be-one'

const listTwice = async ({ page }: Pick<Parameters<Parameters<typeof test>[2]>[0], 'page'>) => {
  await openPage(page)
  await ask(page, '/api/plants?limit=1', { headers: { Authorization: `Bearer ${token}` } })
  await ask(page, '/api/plants?limit=many', { headers: {} })
}

// The passing test is first, because Playwright restarts worker and browser after an unexpected failure.
test('passes', listTwice)

test('fails as expected', async ({ page }) => {
  test.fail()
  await listTwice({ page })
  expect('actual').toBe('expected')
})

test('fails', async ({ page }) => {
  await listTwice({ page })
  expect('actual').toBe('expected')
})

test('fails without a request', () => expect('actual').toBe('expected'))

const misspelt = { baseURL: 'https://api.example.com' } as object
test.describe('with a misspelt option', () => {
  test.use({ plantMock: misspelt })
  test.fail('fails because of its option', () => undefined)
})

test.describe('with an invalid address', () => {
  test.use({ plantMock: { baseUrl: 'http://' } })
  test.fail('fails because of its address', () => undefined)
})
