/**
 * Keeps the built server under full load for minutes, with requests of every kind beside each other, and tells whether
 * its memory and its open files stay where they were. No speed is judged.
 * Usage: npm run soak -- [--minutes N]
 */
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median } from '../bench/numbers.js'
import { programFile, startPlantMock } from '../bench/plant-mock.js'
import { noProc, residentMemory } from '../bench/proc.js'
import { openWorkspace } from '../bench/workspace.js'
import { openFiles } from './open-files.js'

/**
 * @typedef {object} Sample
 * @property {number} memory In MiB.
 * @property {number} files
 */

/**
 * @param {string} reason
 * @returns {never}
 */
const refuse = (reason) => {
  console.error(`soak: ${reason}`)
  process.exit(2)
}

const readMinutes = () => {
  try {
    return Number(parseArgs({ options: { minutes: { type: 'string', default: '10' } } }).values.minutes)
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

const minutes = readMinutes()
if (!(minutes > 0)) refuse('--minutes takes a number above 0.')
if (!existsSync(programFile)) refuse('There is no build. Run npm run build first.')

/**
 * How much more memory the last quarter may have than the second. Without a leak the medians of a minute on a busy
 * machine of two cores differed by -16 to 23 MiB; with the headers of each request kept, by 117.
 */
const tolerance = { share: 0.15, mebibytes: 20 }
/** How many more files may be open once the load is gone: none, but for one that is just being closed. */
const spareFiles = 1

const work = openWorkspace()
const server = await startPlantMock(work)
const filesBefore = await openFiles(server.pid)
const hasProc = filesBefore !== undefined

console.log(`${minutes} minutes of load on ${server.url}`)
if (!hasProc) console.log(`Memory and open files are not looked at: ${noProc}`)

const load = work.spawn([
  process.execPath,
  fileURLToPath(new URL('load.js', import.meta.url)),
  server.url,
  String(minutes * 60),
])
/** @type {Sample[]} */
const samples = []
let wrong = 0
let told = { answers: 0, at: Date.now() }

/** Each second the load tells how it goes. */
for await (const line of createInterface({ input: load.stdout ?? process.stdin })) {
  const { answers, wrong: count, reasons } = JSON.parse(line)
  for (const reason of reasons) console.error(`  wrong: ${reason}`)
  wrong = count
  const [resident, files = 0] = await Promise.all([residentMemory(server.pid), openFiles(server.pid)])
  const memory = resident?.now ?? 0
  samples.push({ memory, files })
  const seconds = (Date.now() - told.at) / 1_000
  if (seconds < 10) continue
  const rate = Math.round((answers - told.answers) / seconds)
  console.log(
    `${String(samples.length).padStart(5)} s  ${answers} answers (${rate}/s)${
      hasProc ? `  ${memory.toFixed(0)} MiB  ${files} open files` : ''
    }`,
  )
  told = { answers, at: Date.now() }
}

/** @type {string[]} */
const failures = []
if (wrong > 0) failures.push(`${wrong} answers were wrong`)
if (load.exitCode !== 0 && load.exitCode !== null) failures.push(`the load ended with ${load.exitCode}`)
if (samples.length < minutes * 30) failures.push(`the load told of ${samples.length} seconds only`)

if (hasProc) {
  const quarter = Math.floor(samples.length / 4)
  /** @param {number} n */
  const memoryOf = (n) => median(samples.slice(n * quarter, (n + 1) * quarter).map(({ memory }) => memory))
  const [first, second, third, last] = [memoryOf(0), memoryOf(1), memoryOf(2), memoryOf(3)]
  console.log(
    `Memory by quarters, medians: ${[first, second, third, last].map((n) => n.toFixed(0)).join(', ')} MiB`,
  )
  if (!(last <= second * (1 + tolerance.share) + tolerance.mebibytes)) failures.push('the memory grows')

  let files = (await openFiles(server.pid)) ?? Number.POSITIVE_INFINITY
  // What was refused lingers for a second, and the last of the load are just being closed.
  for (let tries = 0; files > filesBefore + spareFiles && tries < 100; tries++) {
    await setTimeout(100)
    files = (await openFiles(server.pid)) ?? Number.POSITIVE_INFINITY
  }
  console.log(`Open files before and after: ${filesBefore}, ${files}`)
  if (files > filesBefore + spareFiles) failures.push('files stay open')
}

await server.stop()
console.log(failures.length === 0 ? 'Flat, and every answer right.' : `Failed: ${failures.join('; ')}.`)
process.exitCode = failures.length === 0 ? 0 : 1
