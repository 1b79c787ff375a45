import { applyLoad } from './load.js'
import { noProc, residentMemory } from './proc.js'
import { answerOf, startFloor, startOurs } from './server.js'

/** @import { Tool } from './load.js' */
/** @import { Row } from './report.js' */
/** @import { Server } from './server.js' */
/** @import { Workplace } from './workplace.js' */

/**
 * Resident memory after a load of lists, plant-mock with the garden.
 * @param {Workplace} work
 * @param {Tool} tool
 * @param {{ seconds: number }} settings
 * @returns {AsyncGenerator<Row>}
 */
export async function* memoryAfterLoad(work, tool, { seconds }) {
  /** @param {Server} server */
  const memoryOf = async ({ url, pid, stop }) => {
    await applyLoad(work, tool, { method: 'GET', url: `${url}/plants?limit=20`, seconds, firstId: 0 })
    const memory = await residentMemory(pid)
    await stop()
    return memory
  }
  const ours = await startOurs(work, { pin: true })
  const floor = await startFloor(work, { list: await answerOf(`${ours.url}/plants?limit=20`), pin: true })
  const [low, high] = [await memoryOf(floor), await memoryOf(ours)]

  const what = 'Resident memory after the GET load, garden'
  if (low === undefined || high === undefined) yield { group: 'Memory', what, skipped: noProc }
  else yield { group: 'Memory', what, unit: 'MiB', floor: low, ours: high, ratio: high / low }
}
