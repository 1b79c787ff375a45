import { oursName } from './entrants.js'
import { applyLoad } from './load.js'
import { noProc, residentMemory } from './proc.js'
import { reasonOf } from './workplace.js'

/** @import { Entrant } from './entrants.js' */
/** @import { Tool } from './load.js' */
/** @import { Row } from './report.js' */
/** @import { Workplace } from './workplace.js' */

const group = 'Memory'
const plants = 1_000
const what = 'memory after the GET load'

/**
 * Resident memory after a load of lists.
 * @param {Workplace} work
 * @param {Tool} tool
 * @param {readonly Entrant[]} entrants The floor first.
 * @param {{ seconds: number }} settings
 * @returns {AsyncGenerator<Row>}
 */
export async function* memoryAfterLoad(work, tool, entrants, { seconds }) {
  /** @type {number | undefined} */
  let floor
  for (const entrant of entrants) {
    const server = entrant.name
    const memory = entrant.missing ?? (await memoryOf(work, tool, entrant, seconds))
    if (typeof memory === 'string') {
      yield { group, what, server, skipped: memory }
      continue
    }
    const row = { group, what, server, unit: /** @type {const} */ ('MiB'), value: memory }
    floor ??= memory
    yield server === oursName ? { ...row, ratio: memory / floor, against: entrants[0]?.name ?? '' } : row
  }
}

/**
 * @param {Workplace} work
 * @param {Tool} tool
 * @param {Entrant} entrant
 * @param {number} seconds
 * @returns {Promise<number | string>} In MiB, or why there is none.
 */
const memoryOf = async (work, tool, { list, prepare, tolerant }, seconds) => {
  try {
    const start = await prepare(plants)
    const { url, pid, stop } = await start(true)
    try {
      await applyLoad(work, tool, { method: 'GET', url: `${url}${list}`, seconds, firstId: 0 })
      return (await residentMemory(pid))?.now ?? noProc
    } finally {
      await stop()
    }
  } catch (error) {
    if (!tolerant) throw error
    return reasonOf(error)
  }
}
