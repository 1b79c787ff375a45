import { writeFixtures } from './fixtures.js'
import { applyLoad, plantText } from './load.js'
import { median, range } from './numbers.js'
import { coreTime } from './proc.js'
import { answerOf, headers, startFloor, startOurs } from './server.js'

/** @import { Tool } from './load.js' */
/** @import { Row } from './report.js' */
/** @import { Server } from './server.js' */
/** @import { Workplace } from './workplace.js' */

/**
 * @typedef {object} Phase
 * @property {'GET' | 'POST'} method
 * @property {number} plants
 * @property {boolean} log
 */

/**
 * One load.
 * @typedef {object} Sample
 * @property {number} perSecond Answers a second.
 * @property {number} core How long an answer kept the server's core busy, in microseconds.
 */

/** @type {readonly Phase[]} */
const phases = [
  { method: 'GET', plants: 1_000, log: false },
  { method: 'GET', plants: 100_000, log: false },
  { method: 'GET', plants: 1_000, log: true },
  { method: 'POST', plants: 1_000, log: false },
  { method: 'POST', plants: 100_000, log: false },
  { method: 'POST', plants: 1_000, log: true },
]

const aim = 0.75
const listPath = '/plants?limit=20'
const createPath = '/plants'
/** The first id of a POST; each load has this many to itself. */
const idsOfALoad = 100_000_000

/**
 * Answers a second, floor and plant-mock in turns: what disturbs the machine disturbs both. Beside their ratio
 * stands that of the time that an answer keeps a core busy, which other processes change little.
 * @param {Workplace} work
 * @param {Tool} tool
 * @param {{ rounds: number, seconds: number, warmUp: number }} settings
 * @returns {AsyncGenerator<Row>}
 */
export async function* throughput(work, tool, settings) {
  for (const phase of phases) {
    const { method, plants, log } = phase
    const { floor, ours } = await measure(work, tool, phase, settings)
    const ratios = ours.map(({ perSecond }, round) => perSecond / (floor[round]?.perSecond ?? Number.NaN))
    const coreRatios = ours.map(({ core }, round) => (floor[round]?.core ?? Number.NaN) / core)
    const path = method === 'GET' ? listPath : createPath
    yield {
      group: 'Throughput',
      what: `${method} ${path}, ${plants.toLocaleString('en')} plants${log ? ', request log on' : ''}`,
      unit: '/s',
      floor: median(floor.map(({ perSecond }) => perSecond)),
      ours: median(ours.map(({ perSecond }) => perSecond)),
      ratio: median(ratios),
      range: [Math.min(...ratios), Math.max(...ratios)],
      ...(!coreRatios.some(Number.isNaN) && { coreRatio: median(coreRatios) }),
      ...(!log && { aim: { of: 'ratio', atLeast: aim } }),
    }
  }
}

/**
 * Both servers are new in each phase, because creates make a store grow.
 * @param {Workplace} work
 * @param {Tool} tool
 * @param {Phase} phase
 * @param {{ rounds: number, seconds: number, warmUp: number }} settings
 */
const measure = async (work, tool, { method, plants, log }, { rounds, seconds, warmUp }) => {
  const fixtures = await writeFixtures(work.folder, plants, 'ndjson')
  const ours = await startOurs(work, { fixtures, log, pin: true })
  const list = await answerOf(`${ours.url}${listPath}`)
  const plant = await createdAt(ours.url)
  const floor = await startFloor(work, { list, plant, pin: true })

  let loads = 0
  /**
   * @param {Server} server
   * @param {number} duration
   * @returns {Promise<Sample>}
   */
  const load = async ({ url, pid }, duration) => {
    const before = await coreTime(pid)
    const perSecond = await applyLoad(work, tool, {
      method,
      url: `${url}${method === 'GET' ? listPath : createPath}`,
      seconds: duration,
      firstId: ++loads * idsOfALoad,
    })
    return { perSecond, core: ((await coreTime(pid)) - before) / (perSecond * duration) }
  }
  if (warmUp > 0) for (const server of [floor, ours]) await load(server, warmUp)

  /** @type {{ floor: Sample[], ours: Sample[] }} */
  const samples = { floor: [], ours: [] }
  for (const round of range(rounds)) {
    if (round % 2 === 1) samples.ours.push(await load(ours, seconds))
    samples.floor.push(await load(floor, seconds))
    if (round % 2 === 0) samples.ours.push(await load(ours, seconds))
  }
  await Promise.all([floor.stop(), ours.stop()])
  return samples
}

/**
 * The body that a create is answered with.
 * @param {string} url
 */
const createdAt = async (url) => {
  const response = await fetch(`${url}${createPath}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: plantText(idsOfALoad - 1),
  })
  if (response.status !== 201) throw new Error(`A create was answered ${response.status}.`)
  return response.text()
}
