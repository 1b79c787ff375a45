import { applyLoad } from './load.js'
import { range } from './numbers.js'
import { cpuTime } from './proc.js'
import { getList } from './server.js'
import { createPath } from './targets.js'
import { shortReason } from './workspace.js'

/** @import { Target } from './targets.js' */
/** @import { Tool } from './load.js' */
/** @import { Server } from './server.js' */
/** @import { Workspace } from './workspace.js' */

/**
 * A target in a comparison, with a number of plants.
 * @typedef {object} Participant
 * @property {Target} target
 * @property {number} plants
 * @property {number} rounds The number of its rounds.
 */

/**
 * The results of one participant.
 * @typedef {object} Result
 * @property {Participant} participant
 * @property {readonly number[]} rates Successful responses a second, by round.
 * @property {readonly number[]} cores CPU time of the server for each response in microseconds, by round.
 * @property {number} failed The number of failed requests in all rounds.
 * @property {string} [broken] The reason that there are no figures.
 */

/** A server with fewer responses in its warm-up gets no more rounds, because its queue would only grow. */
const minWarmUpResponses = 100
/** The duration of the single load for a server without any response in its warm-up. */
const slowLoadSeconds = 10

/** Each load of POST requests has its range of ids. */
const idsPerLoad = 100_000_000

/**
 * Loads servers in interleaved rounds, so that other work on the machine affects all of them. Each starts new, because
 * creates grow the store, and is stopped (SIGSTOP) while another one is measured.
 * @param {Workspace} workspace
 * @param {Tool} tool
 * @param {'GET' | 'POST'} method
 * @param {readonly Participant[]} participants
 * @param {{ seconds: number, warmUp: number }} settings
 * @returns {Promise<readonly Result[]>}
 */
export const loadInterleaved = async (workspace, tool, method, participants, { seconds, warmUp }) => {
  const runners = []
  for (const participant of participants) runners.push(await openRunner(participant))
  /**
   * @param {Runner} runner
   * @param {number} duration
   */
  const load = (runner, duration) =>
    runner.turn((server) => loadOnce(workspace, tool, method, runner, server, duration))
  for (const runner of runners) {
    if (warmUp === 0) break
    await load(runner, warmUp)
    const responses = (runner.result.rates[0] ?? 0) * warmUp
    if (responses >= minWarmUpResponses || responses === 0) runner.discard()
    if (responses === 0) await load(runner, slowLoadSeconds)
    runner.result.slow = responses < minWarmUpResponses
  }

  for (const round of range(Math.max(...participants.map(({ rounds }) => rounds)))) {
    const running = runners.filter(({ result }) => round < result.participant.rounds && !result.slow)
    for (const runner of round % 2 === 0 ? running : running.reverse()) await load(runner, seconds)
  }
  await Promise.all(runners.map((runner) => runner.close()))
  return runners.map(({ result }) => result)
}

/** @typedef {Awaited<ReturnType<typeof openRunner>>} Runner */

/** @param {Participant} participant */
const openRunner = async (participant) => {
  const { target, plants } = participant
  /** @type {Result & { rates: number[], cores: number[], loads: number, slow: boolean }} */
  const result = { participant, rates: [], cores: [], failed: 0, loads: 0, slow: false }
  /** @type {Server | undefined} */
  let server

  /**
   * An error of a peer is a result; an error of the baseline or of plant-mock aborts the benchmark.
   * @param {() => Promise<void>} run
   */
  const attempt = async (run) => {
    if (result.broken !== undefined) return
    try {
      await run()
    } catch (error) {
      if (!target.mayFail) throw error
      result.broken = shortReason(error)
    }
  }
  await attempt(async () => {
    const start = await target.prepare(plants)
    server = await start(true)
    await getList(`${server.url}${target.list}`)
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
    discard: () => {
      result.rates.length = 0
      result.cores.length = 0
      result.failed = 0
    },
    close: async () => server?.stop(),
  }
}

/**
 * @param {Workspace} workspace
 * @param {Tool} tool
 * @param {'GET' | 'POST'} method
 * @param {Runner} runner
 * @param {Server} server
 * @param {number} seconds
 */
const loadOnce = async (workspace, tool, method, { result }, { url, pid }, seconds) => {
  const { target } = result.participant
  const path = method === 'GET' ? target.list : createPath
  const before = await cpuTime(pid)
  const firstId = ++result.loads * idsPerLoad
  const { perSecond, failed } = await applyLoad(workspace, tool, {
    method,
    url: `${url}${path}`,
    seconds,
    firstId,
  })
  if (failed > 0 && !target.mayFail) throw new Error(`${failed} requests failed: ${method} ${url}${path}`)
  result.failed += failed
  result.rates.push(perSecond)
  result.cores.push(((await cpuTime(pid)) - before) / (perSecond * seconds))
}
