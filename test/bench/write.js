/**
 * Writes the results of a run as RESULTS.md and results.svg. Usage: node write.js RESULTS.json FOLDER, with the JSON of
 * `npm run bench -- --json`; `npm run bench -- --write` does both.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { renderPage } from './page.js'
import { renderPlot } from './plot.js'

/** @import { Results } from './report.js' */

/**
 * @param {Results} results
 * @param {string} folder
 */
export const writeResults = async (results, folder) => {
  await writeFile(join(folder, 'RESULTS.md'), renderPage(results))
  await writeFile(join(folder, 'results.svg'), renderPlot(results))
}

const [, program = '', file, folder] = process.argv
if (import.meta.url === pathToFileURL(program).href) {
  if (file === undefined || folder === undefined) {
    console.error('write: Missing arguments. Usage: node write.js RESULTS.json FOLDER')
    process.exit(2)
  }
  await writeResults(JSON.parse(await readFile(file, 'utf8')), folder)
}
