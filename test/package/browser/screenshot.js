/** Takes the screenshot of the dashboard in the README, from the built package: `npm run screenshot`. */
import { writeFileSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { startPlantMock } from '../../../dist/node.js'
import { palettePng } from './palette-png.js'

const file = new URL('../../../src/server/dashboard/page/screenshot.png', import.meta.url)
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'

const { url, mock, close } = await startPlantMock({ port: 4010, fixtures: ['garden'] })
const as = (caller) => ({ authorization: `Bearer ${caller}` })
const create = (caller, body) =>
  fetch(`${url}/plants`, {
    method: 'POST',
    headers: { ...as(caller), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
await fetch(`${url}/plants`, { headers: as('alice') })
await fetch(`${url}/plants?limit=10`, { headers: as('alice') })
await create('alice', { id: 700, name: 'Rosa gallica', tag: 'flower' })
await create('alice', { id: 700, name: 'Rosa canina', tag: 'flower' })
await fetch(`${url}/plants?limit=10&page=2`, { headers: as('bob') })
await create('bob', { id: '7', name: 'Hoya carnosa' })
await fetch(`${url}/plants`)
await mock.fail({ operation: 'listPlants', status: 503, times: 1, delay: 120 })
await fetch(`${url}/plants?limit=10`, { headers: as('alice') })
await mock.fail({ operation: 'createPlant', reset: true, times: 1 })
await create('bob', { id: 8, name: 'Hoya', tag: 'climber' }).catch(() => undefined)
await fetch(`${url}/plants?limit=3`, { headers: as('bob') })

/** The pixels of a PNG, which a page of its own decodes: that of the dashboard may fetch nothing else. */
const decoded = async (png) => {
  const decoder = await browser.newPage()
  const { width, height, rgba } = await decoder.evaluate(
    async (bytes) => {
      const image = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: 'image/png' }))
      const { width, height } = image
      const context = new OffscreenCanvas(width, height).getContext('2d')
      context.drawImage(image, 0, 0)
      return { width, height, rgba: [...context.getImageData(0, 0, width, height).data] }
    },
    [...png],
  )
  return { width, height, pixels: Buffer.from(rgba) }
}

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
const page = await browser.newPage({ viewport: { width: 1280, height: 620 }, colorScheme: 'light' })
await page.goto(`${url}/__plant-mock/`)
await page.locator('tr', { hasText: 'create.status=201' }).getByRole('button').click()
await page.getByRole('button', { name: '200', exact: true }).click()
await page.getByRole('region', { name: 'Difference' }).waitFor()
await page.mouse.move(0, 0)
writeFileSync(file, palettePng(await decoded(await page.screenshot())))
await browser.close()
await close()
