import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bearer } from 'plant-mock'
import { expect, test } from 'plant-mock/playwright'
import { ask, create, openPage } from './page.ts'

const api = 'https://api.example.com/v1/plants'
const fern = { id: 700, name: 'Nephrolepis exaltata – 肾蕨', tag: 'fern' }

test.beforeEach(({ page }) => openPage(page))

test.describe('a page that asks the service at its own address', () => {
  test('is answered by the mock, with headers that it may read', async ({ page, plants }) => {
    const answer = await ask(page, `${api}?limit=1`)
    expect(answer).toMatchObject({
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

  test('gets nothing else from the mock', async ({ page, plants }) => {
    await page.route('**/v1/plants/*', (route) => route.fulfill({ body: 'of another' }))
    expect(await ask(page, `${api}/700`)).toMatchObject({ text: 'of another' })
    expect(await plants.requests.all()).toEqual([])
  })

  for (const effect of ['reset', 'truncate'])
    test(`sees a connection that breaks: ${effect}`, async ({ page, plants }) => {
      await plants.fail({ [effect]: true } as { reset: true })
      expect(await ask(page, api)).toBe('TypeError')
    })

  test('waits for an answer that never ends, until it goes or the test does', async ({ page, plants }) => {
    await plants.fail({ drip: true })
    const asked = page.evaluate((api) => {
      const leaving = new AbortController()
      document.addEventListener('leave', () => leaving.abort())
      const init = { headers: { Authorization: 'Bearer carol' }, signal: leaving.signal }
      return fetch(api, init).catch((error: Error) => error.name)
    }, api)
    await plants.requests.waitFor({ fault: 'drip' })
    await page.dispatchEvent('html', 'leave', { bubbles: true })
    expect(await asked).toBe('AbortError')
    void ask(page, api).catch(() => undefined)
    await plants.requests.waitFor(({ id }) => id === 2)
  })
})

test.describe('other sites', () => {
  test('answer the page as ever', async ({ page }) => {
    const other = createServer((_, res) => {
      res.writeHead(200, { 'Access-Control-Allow-Origin': '*' })
      res.end('of another site')
    })
    const site = createServer((_, res) => res.end('<title>A page</title>'))
    for (const server of [other, site])
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const [url, siteUrl] = [other, site].map(
      (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    )
    await page.goto(`${siteUrl}/`)
    expect(await ask(page, `${url}/`, { headers: {} })).toMatchObject({ text: 'of another site' })
    for (const server of [other, site]) {
      server.close()
      server.closeAllConnections()
    }
  })
})

test.describe('requests beside those of the page', () => {
  test('of `request` belong to the test', async ({ request, plants, plantsUrl }) => {
    await request.get(`${plantsUrl}/plants`, { headers: bearer('carol') })
    const [entry] = await plants.requests.all()
    expect(entry?.request.headers).toMatchObject({ 'x-own': 'configuration' })
  })

  test('of the context belong to the test', async ({ page, plants, plantsUrl }) => {
    await page.request.get(`${plantsUrl}/plants`, { headers: bearer('carol') })
    expect(await plants.requests.count()).toBe(1)
  })

  test('of another context are answered once it is routed', async ({ browser, plants, routePlants }) => {
    const context = await browser.newContext()
    await routePlants(context)
    const page = await context.newPage()
    await openPage(page)
    expect(await ask(page, api, create(fern))).toMatchObject({ status: 200 })
    expect(await plants.plants.find(({ id }) => id === 700)).toBeDefined()
    await context.close()
  })

  test.describe('with headers set in a file', () => {
    test.use({ extraHTTPHeaders: { 'X-Own': 'file' } })

    test('belong to the test', async ({ page, request, plants, plantsUrl }) => {
      await ask(page, api)
      await request.get(`${plantsUrl}/plants`, { headers: bearer('carol') })
      const entries = await plants.requests.all()
      expect(entries.map(({ request }) => request.headers['x-own'])).toEqual(['file', 'file'])
    })
  })
})

test.describe('the options', () => {
  test('say what a test begins with', async ({ page, plants }) => {
    expect(await plants.plants.all()).toHaveLength(24)
    expect(await plants.assumptions()).toMatchObject({ 'create.status': 200 })
    expect(await ask(page, api, { headers: bearer('unlucky') })).toMatchObject({ status: 500 })
  })

  test('say what a reset comes back to', async ({ page, plants }) => {
    await plants.load([])
    await plants.assume({ 'create.status': 201, 'list.order': 'newest' })
    await plants.clearFaults()
    await plants.reset()
    expect(await plants.assumptions()).toMatchObject({ 'create.status': 200, 'list.order': 'added' })
    expect(await ask(page, api, { headers: bearer('unlucky') })).toMatchObject({ status: 500 })
  })

  test.describe('of a file', () => {
    test.use({ plantMock: { fixtures: [fern] } })

    test('stand beside those of the configuration', async ({ page, plants }) => {
      expect(await plants.assumptions()).toMatchObject({ 'create.status': 200 })
      expect(await ask(page, api)).toMatchObject({
        text: JSON.stringify([{ name: fern.name, tag: fern.tag }]),
      })
    })
  })
})

test.describe('the session of a test', () => {
  test('has its title for a name – 植物 too', async ({ plants }) => {
    expect(await plants.sessions.all()).toMatchObject([
      { id: expect.stringMatching(/^has its title for a name \? \?\? too [\da-f]{8}$/) },
    ])
  })

  for (const time of ['one', 'another'])
    test(`is new, ${time} time`, async ({ page, plants }) => {
      expect(await plants.sessions.all()).toHaveLength(1)
      expect(await ask(page, api, create(fern))).toMatchObject({ status: 200 })
      expect(await plants.plants.all()).toHaveLength(25)
    })

  test(`may have a long title: ${'long '.repeat(60)}`, async ({ page, plants }) => {
    await ask(page, api)
    expect(await plants.requests.count({ status: 200 })).toBe(1)
  })
})
