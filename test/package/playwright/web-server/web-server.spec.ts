import { expect, test } from '@playwright/test'

test('the server of the configuration lists plants', async ({ request }) => {
  const response = await request.get('/plants?limit=2', { headers: { authorization: 'Bearer alice' } })
  expect(await response.json()).toHaveLength(2)
})
