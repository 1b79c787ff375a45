import { ratioFields, ratiosByRound } from './compare.js'
import { median } from './numbers.js'
import { measurePairs } from './pairs.js'
import { benchFile, serverCore } from './server.js'
import { readOutput } from './workspace.js'

/** @import { Context } from './groups.js' */
/** @import { Row } from './report.js' */

const staticName = 'a static msw handler'

/**
 * Compares the user time of a request through msw to plant-mock and to a static handler with the same response, each in
 * a new process: two processes of the same code differ by several per cent.
 * @param {Context} context
 * @returns {AsyncGenerator<Row>}
 */
export async function* inProcess({ workspace, settings, round }) {
  const { fetchPairs, fetchWarmUp, fetches } = settings
  for (const method of ['GET', 'POST']) {
    /** @param {'static' | 'ours'} kind */
    const measure = async (kind) => {
      const args = [benchFile('inprocess-probe.js'), kind, method, String(fetchWarmUp), String(fetches)]
      return Number(await readOutput(workspace.spawn([process.execPath, ...args], { core: serverCore })))
    }
    const { base, ours } = await measurePairs(round, fetchPairs, {
      base: () => measure('static'),
      ours: () => measure('ours'),
    })
    const what = `${method}, user time of a request`
    const row = { group: 'In process, through msw', what, unit: /** @type {const} */ ('µs') }
    yield { ...row, server: staticName, value: median(base) }
    yield {
      ...row,
      server: 'plantHandlers(mock)',
      value: median(ours),
      ...ratioFields(ratiosByRound(ours, base)),
      against: staticName,
      aim: { of: 'ratio', atMost: 0.95 },
    }
  }
}
