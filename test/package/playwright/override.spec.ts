import { test } from 'plant-mock/playwright'
import { ask, openPage } from './page.ts'

test.fail('fails for a route that violates the contract', async ({ page }) => {
  await openPage(page)
  await page.route('**/plants', (route) => route.fulfill({ json: [{ id: 1, name: 'Aloe vera', tag: 'succulent' }] }))
  await ask(page, '/api/plants')
})

test.describe('when strict', () => {
  test.use({ plantMock: { strict: true } })
  test('fails for a pending fault and a request that violates the contract', async ({ page, plants: mock }) => {
    await mock.fail({ caller: 'bob', status: 503 })
    await openPage(page)
    await ask(page, '/api/plants?page=2')
  })
})
