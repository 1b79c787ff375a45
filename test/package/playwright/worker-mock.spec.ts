import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bearer } from 'plant-mock'
import { expect, test } from 'plant-mock/playwright'
import { ask, create, openPage } from './page.ts'

const api = 'https://api.example.com/v1/plants'
const fern = { id: 700, name: 'Nephrolepis exaltata – 肾蕨', tag: 'fern' }

test.beforeEach(({ page }) => openPage(page))

test.describe('a page that sends requests to the address of the service', () => {
  test('gets responses of the mock, with readable headers', async ({ page, plants }) => {
    const response = await ask(page, `${api}?limit=1`)
    expect(response).toMatchObject({
      status: 200,
      headers: { 'plant-mock-source': expect.any(String) },
      text: '[{"name":"Monstera deliciosa","tag":"tropical"}]',
    })
    expect(await plants.requests.all()).toMatchObject([{ method: 'GET', url: '/plants?limit=1' }])
  })

  test('creates plants', async ({ page, plants }) => {
    expect(await ask(page, api, create(fern))).toMatchObject({ status: 200 })
    expect(await plants.plants.find(({ id }) => id === 700)).toEqual({ ...fern, access: ['carol'] })
    expect(await plants.violations()).toEqual([])
  })

  test('uses any method', async ({ page }) => {
    expect(await ask(page, api, { method: 'HEAD', headers: bearer('carol') })).toMatchObject({ text: '' })
    expect(await ask(page, api, { method: 'DELETE', headers: bearer('carol') })).toMatchObject({
      status: 405,
    })
  })

  test('gets other paths from elsewhere', async ({ page, plants }) => {
    await page.route('**/v1/plants/*', (route) => route.fulfill({ body: 'another handler' }))
    expect(await ask(page, `${api}/700`)).toMatchObject({ text: 'another handler' })
    expect(await plants.requests.all()).toEqual([])
  })

  for (const effect of ['reset', 'truncate'])
    test(`sees a broken connection: ${effect}`, async ({ page, plants }) => {
      await plants.fail({ [effect]: true } as { reset: true })
      expect(await ask(page, api)).toBe('TypeError')
    })

  test('waits for a response that never ends until it aborts or the test ends', async ({ page, plants }) => {
    await plants.fail({ endless: true })
    const outcome = page.evaluate((api) => {
      const controller = new AbortController()
      document.addEventListener('give-up', () => controller.abort())
      const init = { headers: { Authorization: 'Bearer carol' }, signal: controller.signal }
      return fetch(api, init).catch((error: Error) => error.name)
    }, api)
    await plants.requests.waitFor({ fault: 'endless' }, { timeout: 60_000 })
    await page.dispatchEvent('html', 'give-up', { bubbles: true })
    expect(await outcome).toBe('AbortError')
    void ask(page, api).catch(() => undefined)
    await plants.requests.waitFor(({ id }) => id === 2, { timeout: 60_000 })
  })
})

test.describe('other sites', () => {
  test('respond to the page as usual', async ({ page }) => {
    const other = createServer((_, res) => {
      res.writeHead(200, { 'Access-Control-Allow-Origin': '*' })
      res.end('another site')
    })
    const site = createServer((_, res) => res.end('<title>A page</title>'))
    for (const server of [other, site]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const [url, siteUrl] = [other, site].map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    await page.goto(`${siteUrl}/`)
    expect(await ask(page, `${url}/`, { headers: {} })).toMatchObject({ text: 'another site' })
    for (const server of [other, site]) {
      server.close()
      server.closeAllConnections()
    }
  })
})

test.describe('requests outside the page', () => {
  test('belong to the session of the test', async ({ page, request, plants, plantsUrl }) => {
    await request.get(`${plantsUrl}/plants`, { headers: bearer('carol') })
    await page.request.get(`${plantsUrl}/plants`, { headers: bearer('carol') })
    const [entry, ...others] = await plants.requests.all()
    expect(entry?.request.headers).toMatchObject({ 'x-extra': 'configuration' })
    expect(others).toHaveLength(1)
  })

  test('of another context reach the mock after routePlants', async ({ browser, plants, routePlants }) => {
    const context = await browser.newContext()
    await routePlants(context)
    const page = await context.newPage()
    await openPage(page)
    expect(await ask(page, api, create(fern))).toMatchObject({ status: 200 })
    expect(await plants.plants.find(({ id }) => id === 700)).toBeDefined()
    await context.close()
  })

  test.describe('with extraHTTPHeaders of a file', () => {
    test.use({ extraHTTPHeaders: { 'X-Extra': 'file' } })

    test('belong to the session of the test', async ({ page, request, plants, plantsUrl }) => {
      await ask(page, api)
      await request.get(`${plantsUrl}/plants`, { headers: bearer('carol') })
      const entries = await plants.requests.all()
      expect(entries.map(({ request }) => request.headers['x-extra'])).toEqual(['file', 'file'])
    })
  })
})

test.describe('the options', () => {
  test('set what a test starts with, and what a reset restores', async ({ page, plants }) => {
    expect(await plants.plants.all()).toHaveLength(24)
    expect(await plants.assumptions()).toMatchObject({ 'create.status': 200 })
    await plants.clearFaults()
    await plants.assume({ 'create.status': 201 })
    await plants.reset()
    expect(await plants.assumptions()).toMatchObject({ 'create.status': 200 })
    expect(await ask(page, api, { headers: bearer('unlucky') })).toMatchObject({ status: 500 })
  })

  test.describe('of a file', () => {
    test.use({ plantMock: { fixtures: [fern] } })

    test('are merged with those of the configuration', async ({ page, plants }) => {
      expect(await plants.assumptions()).toMatchObject({ 'create.status': 200 })
      expect(await ask(page, api)).toMatchObject({
        text: JSON.stringify([{ name: fern.name, tag: fern.tag }]),
      })
    })
  })
})

test.describe('the session of a test', () => {
  test('is named after its title – 植物 too', async ({ plants }) => {
    expect(await plants.sessions.all()).toMatchObject([
      { id: expect.stringMatching(/^is named after its title \? \?\? too [\da-f]{8}$/) },
    ])
  })

  for (const time of ['first', 'second'])
    test(`is new, ${time} run`, async ({ page, plants }) => {
      expect(await plants.sessions.all()).toHaveLength(1)
      expect(await ask(page, api, create(fern))).toMatchObject({ status: 200 })
      expect(await plants.plants.all()).toHaveLength(25)
    })
})
