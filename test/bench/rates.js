import { applyLoad } from './load.js'
import { range } from './numbers.js'
import { cpuTime } from './proc.js'
import { getList } from './server.js'
import { createPath } from './targets.js'
import { shortReason } from './workspace.js'

/** @import { Round, Watch } from './gate.js' */
/** @import { Tool } from './load.js' */
/** @import { Target } from './targets.js' */
/** @import { Server } from './server.js' */
/** @import { Workspace } from './workspace.js' */

/** @typedef {'GET' | 'POST'} Method */

/**
 * The result of one load.
 * @typedef {object} Rate
 * @property {number} perSecond Successful responses.
 * @property {number} core CPU time of the server for each response in microseconds; NaN without /proc.
 * @property {number} failed The number of failed requests.
 */

/**
 * One round of a server: between two loads of the baseline.
 * @typedef {object} RateRound
 * @property {Rate} before Of the baseline.
 * @property {Rate} rate
 * @property {Rate} after Of the baseline.
 */

/**
 * A server with a number of plants, and its results.
 * @typedef {object} Series
 * @property {Target} target
 * @property {number} plants
 * @property {RateRound[]} rounds
 * @property {string} [broken] The reason that it has no results.
 */

/**
 * @typedef {object} Bench
 * @property {Workspace} workspace
 * @property {Tool} tool
 * @property {Target} baseline
 * @property {Round} round
 */

/** @typedef {{ rounds: number, seconds: number, warmUp: number }} LoadSettings */

/** A server with fewer responses in its warm-up gets no further load, because its queue would only grow. */
const minWarmUpResponses = 100
/** The duration of the single load for a server without any response in its warm-up. */
const slowLoadSeconds = 10

/** Each load of POST requests has its range of ids. */
const idsPerLoad = 100_000_000

/**
 * Loads servers in turns, each in several rounds; the order reverses each round. In each round the baseline and the
 * server start new: creates grow a store, and processes differ in what their compiler optimised.
 * @param {Bench} bench
 * @param {Method} method
 * @param {readonly Omit<Series, 'rounds'>[]} servers
 * @param {LoadSettings} settings
 * @returns {Promise<readonly Series[]>}
 */
export const measureRates = async (bench, method, servers, settings) => {
  /** @type {(Series & { isSlow?: boolean })[]} */
  const all = servers.map((server) => ({ ...server, rounds: [] }))
  for (const index of range(settings.rounds))
    for (const series of index % 2 === 0 ? all : all.toReversed()) {
      if (series.broken !== undefined || series.isSlow) continue
      try {
        const { isSlow, ...measured } = await bench.round((watch) =>
          measureRound(bench, method, series, settings, watch),
        )
        series.rounds.push(measured)
        series.isSlow = isSlow
      } catch (error) {
        // An error of a peer is a result; an error of the baseline or of plant-mock ends the benchmark.
        if (!series.target.mayFail) throw error
        series.broken = shortReason(error)
      }
    }
  return all
}

/**
 * @param {Bench} bench
 * @param {Method} method
 * @param {Series} series
 * @param {LoadSettings} settings
 * @param {Watch} watch
 * @returns {Promise<RateRound & { isSlow: boolean }>}
 */
const measureRound = async (bench, method, { target, plants }, { seconds, warmUp }, watch) => {
  const baseline = await openServer(bench, method, bench.baseline, plants)
  try {
    const server = await openServer(bench, method, target, plants)
    try {
      await baseline.load(warmUp)
      const warm = await server.load(warmUp)
      const responses = (warm?.perSecond ?? Number.POSITIVE_INFINITY) * warmUp
      const isSlow = responses < minWarmUpResponses
      await watch.check()
      const before = await baseline.load(seconds)
      await watch.check()
      const rate = isSlow && responses > 0 ? warm : await server.load(isSlow ? slowLoadSeconds : seconds)
      await watch.check()
      const after = await baseline.load(seconds)
      if (before === undefined || rate === undefined || after === undefined) throw new Error('A load took no time.')
      watch.floors(before.perSecond, after.perSecond)
      return { before, rate, after, isSlow }
    } finally {
      await server.stop()
    }
  } finally {
    await baseline.stop()
  }
}

/**
 * Starts a server, stopped (SIGSTOP) except during its loads: a peer may still work after a load.
 * @param {Bench} bench
 * @param {Method} method
 * @param {Target} target
 * @param {number} plants
 */
const openServer = async (bench, method, target, plants) => {
  const start = await target.prepare(plants)
  const server = await start({ pin: true })
  await getList(`${server.url}${target.list}`)
  server.pause()
  let loads = 0
  return {
    stop: server.stop,
    /** @param {number} seconds */
    load: async (seconds) => {
      if (seconds === 0) return undefined
      server.resume()
      const rate = await loadOnce(bench, method, target, server, { seconds, firstId: ++loads * idsPerLoad })
      server.pause()
      return rate
    },
  }
}

/**
 * @param {Bench} bench
 * @param {Method} method
 * @param {Target} target
 * @param {Server} server
 * @param {{ seconds: number, firstId: number }} load
 * @returns {Promise<Rate>}
 */
const loadOnce = async ({ workspace, tool }, method, { list, mayFail }, { url, pid }, { seconds, firstId }) => {
  const target = `${url}${method === 'GET' ? list : createPath}`
  const before = await cpuTime(pid)
  const { perSecond, failed } = await applyLoad(workspace, tool, { method, url: target, seconds, firstId })
  if (failed > 0 && !mayFail) throw new Error(`${failed} requests failed: ${method} ${target}`)
  return { perSecond, core: ((await cpuTime(pid)) - before) / (perSecond * seconds), failed }
}
