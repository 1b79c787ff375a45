import { applyLoad } from './load.js'
import { noProc, residentMemory } from './proc.js'
import { plantMockName, plantMockTarget } from './targets.js'
import { shortReason } from './workspace.js'

/** @import { Context } from './groups.js' */
/** @import { Target } from './targets.js' */
/** @import { Tool } from './load.js' */
/** @import { Row } from './report.js' */
/** @import { Workspace } from './workspace.js' */

const group = 'Memory'
const plants = 1_000
const what = 'memory after the GET load'

/**
 * Measures the resident memory after a load of lists.
 * @param {Context} context
 * @returns {AsyncGenerator<Row>}
 */
export async function* memoryAfterLoad({ workspace, tool, settings, baseline, peers }) {
  const base = await baseline()
  const targets = [base, plantMockTarget(workspace), ...(await peers()).map(({ target }) => target)]
  /** @type {number | undefined} */
  let least
  for (const target of targets) {
    const server = target.name
    const memory = target.unavailable ?? (await memoryOf(workspace, tool, target, settings.seconds))
    if (typeof memory === 'string') {
      yield { group, what, server, skipped: memory }
      continue
    }
    const row = { group, what, server, unit: /** @type {const} */ ('MiB'), value: memory }
    least ??= memory
    yield server === plantMockName ? { ...row, ratio: memory / least, against: base.name } : row
  }
}

/**
 * @param {Workspace} workspace
 * @param {Tool} tool
 * @param {Target} target
 * @param {number} seconds
 * @returns {Promise<number | string>} In MiB, or the reason that there is no figure.
 */
const memoryOf = async (workspace, tool, { list, prepare, mayFail }, seconds) => {
  try {
    const start = await prepare(plants)
    const { url, pid, stop } = await start({ pin: true })
    try {
      await applyLoad(workspace, tool, { method: 'GET', url: `${url}${list}`, seconds, firstId: 0 })
      return (await residentMemory(pid))?.now ?? noProc
    } finally {
      await stop()
    }
  } catch (error) {
    if (!mayFail) throw error
    return shortReason(error)
  }
}
