/**
 * Writes the results of a run as RESULTS.md, results.svg and results.json. Usage: node write.js RUN.json FOLDER, with the
 * JSON of `npm run bench -- --json`; `npm run bench -- --write` does both.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { methodOf } from './about.js'
import { groupNames } from './groups.js'
import { renderPage } from './page.js'
import { renderPlot } from './plot.js'
import { refusalOf } from './report.js'

/** @import { GroupResult, Results } from './report.js' */

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
  await writeFile(join(folder, 'results.json'), resultsText(results))
}

/**
 * Renders the results as JSON, with a line for each measurement, so that two runs can be compared line by line.
 * @param {Results} results
 */
const resultsText = ({ groups, ...about }) => {
  const head = JSON.stringify({ ...about, method: methodOf({ ...about, groups }) }, undefined, 2).slice(0, -2)
  return `${head},\n  "groups": [\n${groups.map(groupText).join(',\n')}\n  ]\n}\n`
}

/** @param {GroupResult} group */
const groupText = ({ rows, ...group }) => {
  const lines = rows.map((row) => `\n${JSON.stringify(row)}`)
  return `${JSON.stringify(group).slice(0, -1)},"rows":[${lines.join(',')}]}`
}

const [, program = '', file, folder] = process.argv
if (import.meta.url === pathToFileURL(program).href) {
  try {
    if (file === undefined || folder === undefined)
      throw new Error('Missing arguments. Usage: node write.js RUN.json FOLDER')
    await writeResults(JSON.parse(await readFile(file, 'utf8')), folder)
  } catch (error) {
    console.error(`write: ${error instanceof Error ? error.message : error}`)
    process.exit(2)
  }
}
