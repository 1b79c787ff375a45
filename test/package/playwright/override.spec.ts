import { expect, test } from 'plant-mock/playwright'
import { carriedLies, requests } from '../../support/override-corpus.ts'
import { ask, create, openPage } from './page.ts'

const plants = [{ name: 'Aloe vera', tag: 'succulent' }]

test('passes with a route that keeps the contract', async ({ page, plants: mock }) => {
  await openPage(page)
  await page.route('**/plants', (route) => route.fulfill({ json: plants }))
  expect(await ask(page, '/api/plants')).toMatchObject({ text: JSON.stringify(plants) })
  expect(await mock.requests.all()).toEqual([])
})

test('passes with a marked route', async ({ page }) => {
  await openPage(page)
  const headers = { 'Plant-Mock-Violates': '8' }
  await page.route('**/plants?*', (route) => route.fulfill({ json: [...plants, ...plants], headers }))
  await ask(page, '/api/plants?limit=1')
})

// An expected failure spares Playwright another worker.
test.fail('fails for a list with an id and a create that answers with another name', async ({ page }) => {
  await openPage(page)
  const [plant] = plants
  await page.route('**/plants', (route) =>
    route.request().method() === 'GET'
      ? route.fulfill({ json: [{ id: 1, ...plant }] })
      : route.fulfill({ status: 201, json: plant }),
  )
  await ask(page, '/api/plants')
  await ask(page, '/api/plants', create({ id: 1, name: 'Boston fern', tag: 'succulent' }))
})

for (const { mistake, responder } of carriedLies)
  test.fail(`fails for a route that lies: ${mistake}`, async ({ page }) => {
    const respond = responder()
    await openPage(page)
    await page.route('**/plants*', async (route) => {
      const request = route.request()
      const [method, body] = [request.method(), request.postData()]
      const headers = await request.allHeaders()
      const response = await respond(new Request(request.url(), { method, headers, ...(body !== null && { body }) }))
      await route.fulfill({
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.text(),
      })
    })
    for (const [path, init] of requests) await ask(page, `/api${path}`, init)
  })

test.describe('with overrides: off', () => {
  test.use({ plantMock: { overrides: 'off' } })
  test('passes with any route', async ({ page }) => {
    await openPage(page)
    await page.route('**/plants', (route) => route.fulfill({ json: {} }))
    await ask(page, '/api/plants')
  })
})

test.describe('when strict', () => {
  test.use({ plantMock: { strict: true } })
  test('fails for a pending fault and a request that violates the contract', async ({ page, plants: mock }) => {
    await mock.fail({ caller: 'bob', status: 503 })
    await openPage(page)
    await ask(page, '/api/plants?page=2')
  })
})
