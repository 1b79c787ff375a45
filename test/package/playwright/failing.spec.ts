import { expect, test } from 'plant-mock/playwright'
import { ask, openPage } from './page.ts'

const token = 'a-token-that-is-long-enough-to-be-one'

const asks = async ({ page }: Pick<Parameters<Parameters<typeof test>[2]>[0], 'page'>) => {
  await openPage(page)
  await ask(page, '/api/plants?limit=1', { headers: { Authorization: `Bearer ${token}` } })
  await ask(page, '/api/plants?limit=many', { headers: {} })
}

test('passes', asks)

test('fails', async ({ page }) => {
  await asks({ page })
  expect('what is').toBe('what was wanted')
})

test('fails without a request', () => expect('what is').toBe('what was wanted'))

test('fails as it was told to', async ({ page }) => {
  test.fail()
  await asks({ page })
  expect('what is').toBe('what was wanted')
})

test.describe('with an address that is none', () => {
  test.use({ plantMock: { baseUrl: 'http://' } })
  test('fails because of its address', () => undefined)
})
