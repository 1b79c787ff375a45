import { median, quotients, range } from './numbers.js'
import { fileBeside, serverCore } from './server.js'

/** @import { ChildProcess } from 'node:child_process' */
/** @import { Measured, Row } from './report.js' */
/** @import { Workplace } from './workplace.js' */

/** Which handlers answer in a process: plant-mock's, or one that knows its answer by heart. */
const kinds = /** @type {const} */ (['static', 'ours'])
const staticName = 'a static msw handler'

/**
 * What a request costs that msw hands to plant-mock, beside one that a handler answers with the same at once. Each
 * has a process of its own; they take turns.
 * @param {Workplace} work
 * @param {{ fetchRounds: number, fetches: number }} settings
 * @returns {AsyncGenerator<Row>}
 */
export async function* inProcess(work, { fetchRounds, fetches }) {
  for (const method of /** @type {const} */ (['GET', 'POST'])) {
    const [fixed, ours] = kinds.map((kind) => openProbe(work, kind, method))
    if (fixed === undefined || ours === undefined) return
    await Promise.all([fixed, ours].map(messageOf))
    // The first round warms up.
    /** @type {{ fixed: number[], ours: number[] }} */
    const times = { fixed: [], ours: [] }
    for (const round of range(fetchRounds + 1)) {
      const first = await roundOf(round % 2 === 0 ? fixed : ours, fetches)
      const second = await roundOf(round % 2 === 0 ? ours : fixed, fetches)
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
  const ratios = quotients(ours, fixed)
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
 * @param {Workplace} work
 * @param {'static' | 'ours'} kind
 * @param {'GET' | 'POST'} method
 */
const openProbe = (work, kind, method) =>
  work.spawn([process.execPath, fileBeside('inprocess-probe.js'), kind, method], {
    ipc: true,
    core: serverCore,
  })

/**
 * @param {ChildProcess} probe
 * @param {number} fetches
 * @returns {Promise<number>} Microseconds of user time a request.
 */
const roundOf = async (probe, fetches) => {
  probe.send(fetches)
  return Number(await messageOf(probe))
}

/** @param {ChildProcess} probe */
const messageOf = (probe) =>
  new Promise((resolve, reject) => {
    /** @param {number | null} code */
    const fail = (code) => reject(new Error(`${probe.spawnargs.join(' ')} ended with ${code}.`))
    probe.once('exit', fail)
    probe.once('message', (message) => {
      probe.off('exit', fail)
      resolve(message)
    })
  })
