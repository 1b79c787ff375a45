import assert from 'node:assert/strict'
import { build } from 'vite'
import { launchChromium } from './chromium.ts'
import { serveFolder } from './site.ts'
import { mockedPage, storybookPage, visit } from './visit.ts'

/** Usage: `node consumer.ts PROJECT mocked|storybook`, where PROJECT holds a copy of `pages`. */
const [project = '.', page = 'mocked'] = process.argv.slice(2)
const outDir = `${project}/site`
await build({
  root: `${project}/pages/${page}`,
  configFile: false,
  logLevel: 'warn',
  build: { outDir, emptyOutDir: true, target: 'es2022' },
})
const site = await serveFolder(outDir)
const browser = await launchChromium()
try {
  const content = await visit(await browser.newPage(), `${site.url}/`)
  assert.deepEqual(content, page === 'storybook' ? storybookPage : mockedPage)
  console.log(`Chromium ${browser.version()} shows: ${content.plants.join('; ')}; ${content.outcome}`)
} finally {
  await browser.close()
  await site.close()
}
