import assert from 'node:assert/strict'
import { build } from 'vite'
import { launchChromium } from './chromium.ts'
import { serveFolder } from './site.ts'
import { mockedPage, storybookPage, visit } from './visit.ts'

/**
 * Builds a page of a project outside, with what is installed there, and opens it in Chromium.
 * Usage: node consumer.ts PROJECT mocked|storybook, with a copy of `pages` in it. Needs a Node.js that takes TypeScript.
 */
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
  const shown = await visit(await browser.newPage(), `${site.url}/`)
  assert.deepEqual(shown, page === 'storybook' ? storybookPage : mockedPage)
  console.log(`Chromium ${browser.version()} shows: ${shown.plants.join('; ')}; ${shown.outcome}`)
} finally {
  await browser.close()
  await site.close()
}
