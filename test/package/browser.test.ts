import { copyFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type StartOptions, startPlantMock } from 'plant-mock/node'
import type { Browser, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openFolder } from '../support/folder.ts'
import { launchChromium, skipsBrowser } from './browser/chromium.ts'
import type { PersistedPage } from './browser/pages/persisted/main.ts'
import { serveFolder } from './browser/site.ts'
import { mockedPage, readPage, visit } from './browser/visit.ts'
import { codeFiles } from './support/guides.ts'

const folder = await openFolder()

describe.skipIf(skipsBrowser())('in a real browser', () => {
  let browser: Browser

  beforeAll(async () => {
    await buildPages(folder)
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  const open: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close()
  })

  const openSite = async (headers?: Record<string, string>): Promise<{ page: Page; url: string }> => {
    const site = await serveFolder(folder, headers)
    open.push(site.close)
    const context = await browser.newContext()
    open.push(() => context.close())
    return { page: await context.newPage(), url: site.url }
  }

  const monstera = 'Monstera deliciosa, tropical'
  const fern = 'Nephrolepis exaltata, fern'

  it('the handlers respond to a page through the service worker of msw', async () => {
    const { page, url } = await openSite()
    expect(await visit(page, `${url}/mocked/`)).toEqual(mockedPage)
  })

  it('the module in the guide serves a page', async () => {
    const { page, url } = await openSite()
    const { plants, outcome } = await visit(page, `${url}/readme/`)
    expect([plants, outcome]).toEqual([[monstera, 'Ficus lyrata, indoor tree'], 'listed 200'])
  })

  describe('a collection with the extensions persist and sync', () => {
    const openWithFern = async (policy: string) => {
      const { page, url } = await openSite({ 'Permissions-Policy': policy })
      await visit(page, `${url}/persisted/`)
      await page.getByRole('button').click()
      await page.getByText('created 201').waitFor()
      return { page, url: `${url}/persisted/` }
    }

    it('keeps a plant across reloads, and loads the fixtures once', async () => {
      const { page } = await openWithFern('unload=(self)')
      await page.reload()
      expect((await readPage(page)).plants).toEqual([monstera, fern])
      await page.reload()
      expect((await readPage(page)).plants).toEqual([monstera, fern])
    })

    it('shows a plant only to its creator', async () => {
      const { page, url } = await openWithFern('unload=(self)')
      expect((await visit(page, `${url}?caller=bob`)).plants).toEqual([monstera])
    })

    it('starts again with the fixtures where the browser sends no unload event', async () => {
      const { page } = await openWithFern('unload=()')
      await page.reload()
      expect((await readPage(page)).plants).toEqual([monstera])
    })

    const showsIn = (tab: Page, names: readonly string[]) =>
      expect
        .poll(
          () =>
            tab.evaluate(async () => {
              const { mock, plants } = window as unknown as PersistedPage
              const nameOf = ({ name }: { name: string }) => name
              return { plants: (await mock.plants.all()).map(nameOf), records: plants.all().map(nameOf) }
            }),
          { timeout: 10_000 },
        )
        .toEqual({ plants: names, records: names })

    it('has the same plants in two tabs, whichever writes, and after a reload', async () => {
      const { page: first, url } = await openSite({ 'Permissions-Policy': 'unload=(self)' })
      const second = await first.context().newPage()
      for (const tab of [first, second]) await visit(tab, `${url}/persisted/`)
      await showsIn(first, ['Monstera deliciosa'])
      await first.getByRole('button').click()
      await showsIn(second, ['Monstera deliciosa', 'Nephrolepis exaltata'])
      await second.evaluate(async () => {
        const { mock, plants } = window as unknown as PersistedPage
        const updated = plants.update((q) => q.where({ id: 1 }), {
          data(plant) {
            plant.name = 'Monstera'
          },
        })
        await Promise.all([updated, mock.plants.remove({ id: 7 }), plants.create({ id: 8, name: 'Aloe', tag: '' })])
      })
      await showsIn(first, ['Monstera', 'Aloe'])
      await second.reload()
      await showsIn(second, ['Monstera', 'Aloe'])
      await showsIn(first, ['Monstera', 'Aloe'])
      await first.evaluate(() => (window as unknown as PersistedPage).mock.reset())
      await showsIn(second, ['Monstera deliciosa'])
    })
  })

  describe('a page on another origin than the server', () => {
    const openPage = async (options?: StartOptions) => {
      const started = await startPlantMock(options)
      open.push(started.close)
      const { page, url } = await openSite()
      await page.goto(`${url}/plain/`)
      return { page, plantsUrl: `${started.url}/plants` }
    }

    it('creates a plant after a preflight', async () => {
      const methods: string[] = []
      const { page, plantsUrl } = await openPage({ onRequest: ({ method }) => methods.push(method) })
      const response = await page.evaluate(async (address) => {
        const created = await fetch(address, {
          method: 'POST',
          headers: { Authorization: 'Bearer alice', 'Content-Type': 'application/json' },
          body: JSON.stringify({ id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }),
        })
        return { status: created.status, body: await created.json() }
      }, plantsUrl)
      expect(response).toEqual({ status: 201, body: { name: 'Nephrolepis exaltata', tag: 'fern' } })
      expect(methods).toEqual(['OPTIONS', 'POST'])
    })

    it('reads why a request was refused', async () => {
      const { page, plantsUrl } = await openPage()
      const response = await page.evaluate(async (address) => {
        const refused = await fetch(address)
        return { status: refused.status, challenge: refused.headers.get('WWW-Authenticate') }
      }, plantsUrl)
      expect(response).toEqual({ status: 401, challenge: expect.stringMatching(/^Bearer\b/) })
    })
  })
})

const buildPages = async (outDir: string): Promise<void> => {
  const root = fileURLToPath(new URL('browser/pages/', import.meta.url))
  const input = ['mocked', 'persisted', 'plain', 'readme'].map((page) => `${root}${page}/index.html`)
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'readme',
        enforce: 'pre',
        transform: (code, id) => (id.endsWith('/readme/main.ts') ? `${codeFiles.get('browser.ts')}\n${code}` : null),
      },
    ],
    build: { outDir, emptyOutDir: true, target: 'es2022', rolldownOptions: { input } },
  })
  const worker = createRequire(import.meta.url).resolve('msw/mockServiceWorker.js')
  await copyFile(worker, join(outDir, 'mockServiceWorker.js'))
}
