/**
 * Writes what a run came to as a page and a picture. Usage: node write.js RESULTS.json FOLDER, where the JSON is what
 * `npm run bench -- --json` prints; `npm run bench -- --write` does it at once.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { plotOf } from './plot.js'
import { pageOf } from './results.js'

/** @import { Results } from './report.js' */

/**
 * @param {Results} results
 * @param {string} folder
 */
export const writeResults = async (results, folder) => {
  await writeFile(join(folder, 'RESULTS.md'), pageOf(results))
  await writeFile(join(folder, 'results.svg'), plotOf(results))
}

const [, program = '', file, folder] = process.argv
if (import.meta.url === pathToFileURL(program).href) {
  if (file === undefined || folder === undefined) {
    console.error('write: which results, and where to? Usage: node write.js RESULTS.json FOLDER')
    process.exit(2)
  }
  await writeResults(JSON.parse(await readFile(file, 'utf8')), folder)
}
