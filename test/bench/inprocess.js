import { median, range, ratiosByRound } from './numbers.js'
import { benchFile, serverCore } from './server.js'

/** @import { ChildProcess } from 'node:child_process' */
/** @import { Measured, Row } from './report.js' */
/** @import { Workspace } from './workspace.js' */

/** The handlers to compare: a static one and those of plant-mock. */
const kinds = /** @type {const} */ (['static', 'ours'])
const staticName = 'a static msw handler'

/**
 * Compares the CPU time of a request through msw to plant-mock and to a static handler with the same response. Two
 * processes take turns.
 * @param {Workspace} workspace
 * @param {{ fetchRounds: number, fetches: number }} settings
 * @returns {AsyncGenerator<Row>}
 */
export async function* inProcess(workspace, { fetchRounds, fetches }) {
  for (const method of /** @type {const} */ (['GET', 'POST'])) {
    const [fixed, ours] = kinds.map((kind) => startProbe(workspace, kind, method))
    if (fixed === undefined || ours === undefined) return
    await Promise.all([fixed, ours].map(nextMessage))
    // The first round warms up.
    /** @type {{ fixed: number[], ours: number[] }} */
    const times = { fixed: [], ours: [] }
    for (const round of range(fetchRounds + 1)) {
      const first = await measureRound(round % 2 === 0 ? fixed : ours, fetches)
      const second = await measureRound(round % 2 === 0 ? ours : fixed, fetches)
      if (round === 0) continue
      times.fixed.push(round % 2 === 0 ? first : second)
      times.ours.push(round % 2 === 0 ? second : first)
    }
    fixed.kill()
    ours.kill()
    yield* rowsOf(method, times)
  }
}

/**
 * @param {'GET' | 'POST'} method
 * @param {{ fixed: readonly number[], ours: readonly number[] }} times
 * @returns {Generator<Row>}
 */
function* rowsOf(method, { fixed, ours }) {
  const ratios = ratiosByRound(ours, fixed)
  const what = `${method}, user time of a request`
  /** @type {Pick<Measured, 'group' | 'what' | 'unit'>} */
  const row = { group: 'In process, through msw', what, unit: 'µs' }
  yield { ...row, server: staticName, value: median(fixed) }
  yield {
    ...row,
    server: 'plantHandlers(mock)',
    value: median(ours),
    ratio: median(ratios),
    range: [Math.min(...ratios), Math.max(...ratios)],
    against: staticName,
    aim: { of: 'ratio', atMost: 1.05 },
  }
}

/**
 * @param {Workspace} workspace
 * @param {'static' | 'ours'} kind
 * @param {'GET' | 'POST'} method
 */
const startProbe = (workspace, kind, method) =>
  workspace.spawn([process.execPath, benchFile('inprocess-probe.js'), kind, method], {
    ipc: true,
    core: serverCore,
  })

/**
 * @param {ChildProcess} probe
 * @param {number} fetches
 * @returns {Promise<number>} Microseconds of user time a request.
 */
const measureRound = async (probe, fetches) => {
  probe.send(fetches)
  return Number(await nextMessage(probe))
}

/** @param {ChildProcess} probe */
const nextMessage = (probe) =>
  new Promise((resolve, reject) => {
    /** @param {number | null} code */
    const fail = (code) => reject(new Error(`${probe.spawnargs.join(' ')} ended with ${code}.`))
    probe.once('exit', fail)
    probe.once('message', (message) => {
      probe.off('exit', fail)
      resolve(message)
    })
  })
