import { createPath } from './entrants.js'
import { applyLoad } from './load.js'
import { range } from './numbers.js'
import { coreTime } from './proc.js'
import { answerOf } from './server.js'
import { reasonOf } from './workplace.js'

/** @import { Entrant } from './entrants.js' */
/** @import { Tool } from './load.js' */
/** @import { Server } from './server.js' */
/** @import { Workplace } from './workplace.js' */

/**
 * An entrant with so many plants, in a race of others.
 * @typedef {object} Racer
 * @property {Entrant} entrant
 * @property {number} plants
 * @property {number} rounds In how many rounds it takes part.
 */

/**
 * What the loads of one racer came to.
 * @typedef {object} Result
 * @property {Racer} racer
 * @property {readonly number[]} rates Good answers a second, one a round.
 * @property {readonly number[]} cores How long an answer kept the server's core busy, in microseconds.
 * @property {number} failed How many requests failed in all.
 * @property {string} [broken] Why there are no figures.
 */

/**
 * A server that gave fewer answers while it warmed up is slow: that is its figure, or if there was none, that of one
 * load of so many seconds. Its queue would only grow.
 */
const enough = 100
const patience = 10

/** The first id of a POST; each load has this many to itself. */
const idsOfALoad = 100_000_000

/**
 * Loads servers in turns, so that what disturbs the machine disturbs all of them. They are new, because creates make
 * a store grow, and only the one whose turn it is runs at all.
 * @param {Workplace} work
 * @param {Tool} tool
 * @param {'GET' | 'POST'} method
 * @param {readonly Racer[]} racers
 * @param {{ seconds: number, warmUp: number }} settings
 * @returns {Promise<readonly Result[]>}
 */
export const inTurns = async (work, tool, method, racers, { seconds, warmUp }) => {
  const lanes = []
  for (const racer of racers) lanes.push(await openLane(racer))
  /**
   * @param {Lane} lane
   * @param {number} duration
   */
  const load = (lane, duration) => lane.turn((server) => loadOnce(work, tool, method, lane, server, duration))
  for (const lane of lanes) {
    if (warmUp === 0) break
    await load(lane, warmUp)
    const answers = (lane.result.rates[0] ?? 0) * warmUp
    if (answers >= enough || answers === 0) lane.forget()
    if (answers === 0) await load(lane, patience)
    lane.result.slow = answers < enough
  }

  for (const round of range(Math.max(...racers.map(({ rounds }) => rounds)))) {
    const running = lanes.filter(({ result }) => round < result.racer.rounds && !result.slow)
    for (const lane of round % 2 === 0 ? running : running.reverse()) await load(lane, seconds)
  }
  await Promise.all(lanes.map((lane) => lane.close()))
  return lanes.map(({ result }) => result)
}

/** @typedef {Awaited<ReturnType<typeof openLane>>} Lane */

/** @param {Racer} racer */
const openLane = async (racer) => {
  const { entrant, plants } = racer
  /** @type {Result & { rates: number[], cores: number[], loads: number, slow: boolean }} */
  const result = { racer, rates: [], cores: [], failed: 0, loads: 0, slow: false }
  /** @type {Server | undefined} */
  let server

  /**
   * What breaks a peer is a result; what breaks the floor or plant-mock ends the benchmark.
   * @param {() => Promise<void>} run
   */
  const attempt = async (run) => {
    if (result.broken !== undefined) return
    try {
      await run()
    } catch (error) {
      if (!entrant.tolerant) throw error
      result.broken = reasonOf(error)
    }
  }
  await attempt(async () => {
    const start = await entrant.prepare(plants)
    server = await start(true)
    await answerOf(`${server.url}${entrant.list}`)
    server.pause()
  })

  return {
    result,
    /** @param {(server: Server) => Promise<void>} use */
    turn: (use) =>
      attempt(async () => {
        if (server === undefined) return
        server.resume()
        await use(server)
        server.pause()
      }),
    forget: () => {
      result.rates.length = 0
      result.cores.length = 0
      result.failed = 0
    },
    close: async () => server?.stop(),
  }
}

/**
 * @param {Workplace} work
 * @param {Tool} tool
 * @param {'GET' | 'POST'} method
 * @param {Lane} lane
 * @param {Server} server
 * @param {number} seconds
 */
const loadOnce = async (work, tool, method, { result }, { url, pid }, seconds) => {
  const { entrant } = result.racer
  const path = method === 'GET' ? entrant.list : createPath
  const before = await coreTime(pid)
  const firstId = ++result.loads * idsOfALoad
  const { perSecond, failed } = await applyLoad(work, tool, {
    method,
    url: `${url}${path}`,
    seconds,
    firstId,
  })
  if (failed > 0 && !entrant.tolerant) throw new Error(`${failed} requests failed: ${method} ${url}${path}`)
  result.failed += failed
  result.rates.push(perSecond)
  result.cores.push(((await coreTime(pid)) - before) / (perSecond * seconds))
}
