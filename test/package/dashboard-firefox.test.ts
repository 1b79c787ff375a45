import { connectPlantMock } from 'plant-mock/control'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { as } from '../support/targets.ts'
import { type FirefoxPage, launchFirefox, skipsFirefox } from './browser/firefox.ts'
import { serve, stopAll } from './support/cli.ts'

const views = ['requests', 'plants', 'assumptions', 'faults']
// Only the dark scheme: Chromium covers the light scheme, and each launch of Firefox takes seconds.
const colorScheme = 'dark'
const viewports = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
]

const until = (page: FirefoxPage, condition: string) =>
  page.evaluate(
    `new Promise((resolve) => { const look = () => (${condition}) ? resolve(true) : setTimeout(look, 10); look() })`,
  )

describe.skipIf(skipsFirefox())('the dashboard in Firefox', () => {
  let page: FirefoxPage
  beforeAll(async () => {
    page = await launchFirefox(colorScheme)
  })
  afterAll(() => page?.close())
  afterEach(stopAll)

  it.each(viewports)('fits at $width pixels, where a request opens beside or over the list', async (viewport) => {
    const { url } = await serve(['--quiet'])
    await fetch(`${url}/plants?page=2`, as('alice'))
    for (const view of views) {
      await page.open(`${url}/__plant-mock/#${view}`, viewport)
      await until(page, `document.querySelector('#live.on') && document.querySelector('main').childElementCount > 0`)
      await until(page, `document.querySelector('nav a[aria-current]').hash === '#${view}'`)
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      expect({ view, overflow: Math.max(0, Number(overflow)) }).toEqual({ view, overflow: 0 })
      expect((await page.screenshot()).length).toBeGreaterThan(5_000)
    }
    await page.open(`${url}/__plant-mock/#requests`, viewport)
    await until(page, `document.querySelector('button.path')`)
    await page.evaluate(`document.querySelector('button.path').click()`)
    await until(page, `document.querySelector('dialog.detail')?.open`)
    const list = `document.querySelector('.split > :first-child').checkVisibility({ visibilityProperty: true })`
    expect(await page.evaluate(list)).toBe(viewport.width >= 900)
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor')
    expect(background).toBe('rgb(22, 25, 22)')
  })

  it('edits a plant', async () => {
    const { url } = await serve(['--quiet'])
    await page.open(`${url}/__plant-mock/#plants`, { width: 1280, height: 800 })
    await until(page, `document.querySelector('[aria-label^="Edit "]')`)
    await page.evaluate(`document.querySelector('[aria-label^="Edit "]').click()`)
    await until(page, `document.querySelector('dialog.modal')?.open`)
    await page.evaluate(
      `{ const tag = document.querySelectorAll('dialog.modal input')[2]; tag.value = 'edited'; tag.dispatchEvent(new Event('input', { bubbles: true })) }`,
    )
    await page.evaluate(`document.querySelector('dialog.modal form button').click()`)
    await until(page, `document.querySelector('#toast').textContent.startsWith('Saved')`)
    expect(await connectPlantMock(url).plants.all({ tag: 'edited' })).toHaveLength(1)
  })
})
