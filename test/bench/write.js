/**
 * Writes the results of a run as RESULTS.md and results.svg. Usage: node write.js RESULTS.json FOLDER, with the JSON of
 * `npm run bench -- --json`; `npm run bench -- --write` does both.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { groupNames } from './groups.js'
import { renderPage } from './page.js'
import { renderPlot } from './plot.js'
import { refusalOf } from './report.js'

/** @import { Results } from './report.js' */

/**
 * @param {Results} results
 * @param {string} folder
 * @throws Error for results of an incomplete run, or of one that failed its noise check.
 */
export const writeResults = async (results, folder) => {
  const refusal = refusalOf(results.groups, groupNames)
  if (refusal !== undefined) throw new Error(refusal)
  await writeFile(join(folder, 'RESULTS.md'), renderPage(results))
  await writeFile(join(folder, 'results.svg'), renderPlot(results))
}

const [, program = '', file, folder] = process.argv
if (import.meta.url === pathToFileURL(program).href) {
  try {
    if (file === undefined || folder === undefined)
      throw new Error('Missing arguments. Usage: node write.js RESULTS.json FOLDER')
    await writeResults(JSON.parse(await readFile(file, 'utf8')), folder)
  } catch (error) {
    console.error(`write: ${error instanceof Error ? error.message : error}`)
    process.exit(2)
  }
}
