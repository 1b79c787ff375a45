import { writeFixtures } from './fixtures.js'
import { applyLoad, plantText } from './load.js'
import { median, range } from './numbers.js'
import { answerOf, headers, startFloor, startOurs } from './server.js'

/** @import { Tool } from './load.js' */
/** @import { Row } from './report.js' */
/** @import { Workplace } from './workplace.js' */

/**
 * @typedef {object} Phase
 * @property {'GET' | 'POST'} method
 * @property {number} plants
 * @property {boolean} log
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
 * Answers a second, floor and plant-mock in turns: what disturbs the machine disturbs both.
 * @param {Workplace} work
 * @param {Tool} tool
 * @param {{ rounds: number, seconds: number, warmUp: number }} settings
 * @returns {AsyncGenerator<Row>}
 */
export async function* throughput(work, tool, settings) {
  for (const phase of phases) {
    const { method, plants, log } = phase
    const { floor, ours } = await measure(work, tool, phase, settings)
    const ratios = ours.map((perSecond, round) => perSecond / (floor[round] ?? Number.NaN))
    const path = method === 'GET' ? listPath : createPath
    yield {
      group: 'Throughput',
      what: `${method} ${path}, ${plants.toLocaleString('en')} plants${log ? ', request log on' : ''}`,
      unit: '/s',
      floor: median(floor),
      ours: median(ours),
      ratio: median(ratios),
      range: [Math.min(...ratios), Math.max(...ratios)],
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
   * @param {{ url: string }} server
   * @param {number} duration
   */
  const load = ({ url }, duration) =>
    applyLoad(work, tool, {
      method,
      url: `${url}${method === 'GET' ? listPath : createPath}`,
      seconds: duration,
      firstId: ++loads * idsOfALoad,
    })
  if (warmUp > 0) for (const server of [floor, ours]) await load(server, warmUp)

  /** @type {{ floor: number[], ours: number[] }} */
  const perSecond = { floor: [], ours: [] }
  for (const round of range(rounds)) {
    if (round % 2 === 1) perSecond.ours.push(await load(ours, seconds))
    perSecond.floor.push(await load(floor, seconds))
    if (round % 2 === 0) perSecond.ours.push(await load(ours, seconds))
  }
  await Promise.all([floor.stop(), ours.stop()])
  return perSecond
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
