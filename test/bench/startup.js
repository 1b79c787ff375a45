import { floorName, oursName } from './entrants.js'
import { writeFixtures } from './fixtures.js'
import { median, quotients, range } from './numbers.js'
import { startOurs } from './ours.js'
import { noProc, residentMemory } from './proc.js'
import { answerOf } from './server.js'
import { reasonOf } from './workplace.js'

/** @import { Entrant, Start } from './entrants.js' */
/** @import { Aim, Row } from './report.js' */
/** @import { Workplace } from './workplace.js' */

/** @typedef {{ milliseconds: number, memory: { now: number, peak: number } | undefined }} FirstAnswer */

/**
 * From the start of the process to the end of its first answer, in turns.
 * @param {readonly Entrant[]} entrants The floor first.
 * @param {{ coldStarts: number, peerStarts: number }} settings
 * @returns {AsyncGenerator<Row>}
 */
export async function* coldStart(entrants, { coldStarts, peerStarts }) {
  const lanes = entrants.map((entrant) => ({
    entrant,
    times: /** @type {number[]} */ ([]),
    skipped: entrant.missing,
  }))
  for (const round of range(coldStarts))
    for (const lane of lanes) {
      const { list, prepare, tolerant } = lane.entrant
      if (lane.skipped !== undefined || (tolerant && round >= peerStarts)) continue
      try {
        lane.times.push((await firstAnswer(await prepare(), list)).milliseconds)
      } catch (error) {
        if (!tolerant) throw error
        lane.skipped = reasonOf(error)
      }
    }

  const floor = lanes[0]?.times ?? []
  for (const { entrant, times, skipped } of lanes) {
    const row = { group: 'Start', what: 'cold start', server: entrant.name }
    if (skipped !== undefined) yield { ...row, skipped }
    else if (row.server === floorName) yield { ...row, unit: 'ms', value: median(times) }
    else
      yield {
        ...row,
        unit: 'ms',
        value: median(times),
        ratio: median(quotients(times, floor)),
        against: floorName,
        ...(row.server === oursName && { aim: { of: 'ratio', atMost: 1.25 } }),
      }
  }
}

/** @typedef {{ plants: number, format: 'ndjson' | 'json', ready?: number, memory?: number }} Large */

/**
 * The same of plant-mock with many plants. The aims are milliseconds until the first answer, and MiB.
 * @param {number} million
 * @returns {readonly Large[]}
 */
const larges = (million) => [
  { plants: 100_000, format: 'ndjson', ready: 400, memory: 150 },
  { plants: 100_000, format: 'json', ready: 400, memory: 150 },
  { plants: million, format: 'ndjson', ready: 1_500, memory: 400 },
  { plants: million, format: 'json' },
]

/**
 * @param {Workplace} work
 * @param {{ largeStarts: number, million: number }} settings
 * @returns {AsyncGenerator<Row>}
 */
export async function* largeStart(work, { largeStarts, million }) {
  for (const { plants, format, ...aims } of larges(million)) {
    const fixtures = await writeFixtures(work.folder, plants, format)
    /** @type {FirstAnswer[]} */
    const starts = []
    for (const _ of range(largeStarts))
      starts.push(await firstAnswer(() => startOurs(work, { fixtures }), '/plants?limit=20'))

    const about = `${plants.toLocaleString('en')} plants from .${format}`
    const row = { group: 'Large stores', server: oursName }
    yield {
      ...row,
      what: `${about}: first answer`,
      unit: 'ms',
      value: median(starts.map(({ milliseconds }) => milliseconds)),
      ...atMost(aims.ready),
    }
    const memories = starts.flatMap(({ memory }) => memory ?? [])
    const what = `${about}: resident memory then`
    if (memories.length === 0) yield { ...row, what, skipped: noProc }
    else {
      const unit = /** @type {const} */ ('MiB')
      yield { ...row, what, unit, value: median(memories.map(({ now }) => now)), ...atMost(aims.memory) }
      yield {
        ...row,
        what: `${about}: at most until then`,
        unit,
        value: median(memories.map(({ peak }) => peak)),
      }
    }
  }
}

/**
 * @param {number | undefined} limit
 * @returns {{ aim?: Aim }}
 */
const atMost = (limit) => (limit === undefined ? {} : { aim: { of: 'value', atMost: limit } })

/**
 * @param {Start} start
 * @param {string} list
 * @returns {Promise<FirstAnswer>}
 */
const firstAnswer = async (start, list) => {
  const began = performance.now()
  const server = await start()
  try {
    await answerOf(`${server.url}${list}`)
    const milliseconds = performance.now() - began
    return { milliseconds, memory: await residentMemory(server.pid) }
  } finally {
    await server.stop()
  }
}
