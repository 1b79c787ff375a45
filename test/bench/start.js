import { ratioFields, ratiosByRound } from './compare.js'
import { nodes } from './nodes.js'
import { median, range } from './numbers.js'
import { measurePairs } from './pairs.js'
import { firstResponse } from './ready.js'
import { getList } from './server.js'
import { baselineName, plantMockName, plantMockTarget } from './targets.js'
import { shortReason } from './workspace.js'

/** @import { Context } from './groups.js' */
/** @import { Row } from './report.js' */
/** @import { Target } from './targets.js' */

const group = 'Start'

/**
 * Measures the time from the start of the process to the end of its first response: of the baseline and plant-mock in
 * pairs, under several versions of Node.js, then of the peers.
 * @param {Context} context
 * @returns {AsyncGenerator<Row>}
 */
export async function* coldStart(context) {
  for await (const version of nodes(context)) {
    const what = `cold start, Node ${version.name}`
    if (version.skipped === undefined) yield* pairRows(context, what, version.node)
    else yield { group, what, server: plantMockName, skipped: version.skipped }
  }
  for (const { target } of await context.peers()) yield await peerRow(context, target)
}

/**
 * @param {Context} context
 * @param {string} what
 * @param {string} node
 * @returns {AsyncGenerator<Row>}
 */
async function* pairRows({ workspace, settings, baseline, round }, what, node) {
  /** @param {Target} target */
  const timeOf = async ({ prepare, list }) => {
    const start = await prepare()
    return async () => (await firstResponse(() => start({ node }), list)).milliseconds
  }
  const ourTarget = plantMockTarget(workspace)
  const subjects = { base: await timeOf(await baseline()), ours: await timeOf(ourTarget) }
  await fillCompileCache(ourTarget, node)
  const { base, ours } = await measurePairs(round, settings.coldStarts, subjects)
  const row = { group, what, unit: /** @type {const} */ ('ms') }
  yield { ...row, server: baselineName, value: median(base) }
  yield {
    ...row,
    server: plantMockName,
    value: median(ours),
    ...ratioFields(ratiosByRound(ours, base)),
    against: baselineName,
    aim: { of: 'ratio', atMost: 1.2 },
  }
}

/**
 * Starts and ends a server as a user does: Node.js writes its compile cache when a process ends by itself.
 * @param {Target} target
 * @param {string} node
 */
const fillCompileCache = async ({ prepare, list }, node) => {
  const start = await prepare()
  const server = await start({ node })
  await getList(`${server.url}${list}`)
  await server.stop('SIGTERM')
}

/**
 * @param {Context} context
 * @param {Target} target
 * @returns {Promise<Row>}
 */
const peerRow = async ({ settings, round }, { name, list, prepare, unavailable }) => {
  const row = { group, what: `cold start, Node ${process.version}`, server: name }
  if (unavailable !== undefined) return { ...row, skipped: unavailable }
  try {
    /** @type {number[]} */
    const times = []
    for (const _ of range(settings.peerStarts))
      times.push(await round(async () => (await firstResponse(await prepare(), list)).milliseconds))
    return { ...row, unit: 'ms', value: median(times) }
  } catch (error) {
    return { ...row, skipped: shortReason(error) }
  }
}
