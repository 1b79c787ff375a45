import assert from 'node:assert/strict'
import { build } from 'vite'
import { launchChromium } from './chromium.ts'
import { serveFolder } from './site.ts'
import { mockedPage, visit } from './visit.ts'

/**
 * Builds the page of a project outside, with what is installed there, and opens it in Chromium.
 * Usage: node consumer.ts PROJECT, with the page `mocked` in PROJECT/page. Needs a Node that takes TypeScript.
 */
const [project = '.'] = process.argv.slice(2)
const outDir = `${project}/site`
await build({
  root: `${project}/page`,
  configFile: false,
  logLevel: 'warn',
  build: { outDir, emptyOutDir: true, target: 'es2022' },
})
const site = await serveFolder(outDir)
const browser = await launchChromium()
try {
  const shown = await visit(await browser.newPage(), `${site.url}/`)
  assert.deepEqual(shown, mockedPage)
  console.log(`Chromium ${browser.version()}: ${shown.outcome}, shown: ${shown.plants.join('; ')}`)
} finally {
  await browser.close()
  await site.close()
}
