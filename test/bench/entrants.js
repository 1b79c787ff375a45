import { writeFixtures } from './fixtures.js'
import { plantText } from './load.js'
import { startOurs } from './ours.js'
import { answerOf, createdAt, fileBeside, startPrinting } from './server.js'

/** @import { Server } from './server.js' */
/** @import { Workplace } from './workplace.js' */

/**
 * A server that is measured.
 * @typedef {object} Entrant
 * @property {string} name
 * @property {string} list Path and query of its list of 20 plants.
 * @property {boolean} [tolerant] Whether requests may fail: they are counted. Otherwise one ends the benchmark.
 * @property {string} [missing] Why it cannot be measured.
 * @property {string} [keepsNothing] Why a size of the store means nothing to it.
 * @property {(plants?: number) => Promise<Start>} prepare Makes it ready to start with so many plants, or with as
 *   few as plant-mock has by default.
 */

/** @typedef {(pin?: boolean) => Promise<Server>} Start One start, by default not kept to a core. */

export const floorName = 'bare node:http'
export const oursName = 'plant-mock'

const list = '/plants?limit=20'
export const createPath = '/plants'

/**
 * plant-mock as its users start it; with `log` it prints each request.
 * @param {Workplace} work
 * @param {{ log?: boolean }} [options]
 * @returns {Entrant}
 */
export const enterOurs = (work, { log = false } = {}) => ({
  name: oursName,
  list,
  prepare: async (plants) => {
    const fixtures = plants === undefined ? 'garden' : await writeFixtures(work.folder, plants, 'ndjson')
    return (pin = false) => startOurs(work, { fixtures, log, pin })
  },
})

/**
 * The floor: what node:http itself needs to answer with the same bytes as plant-mock.
 * @param {Workplace} work
 * @returns {Promise<Entrant>}
 */
export const enterFloor = async (work) => {
  const start = await enterOurs(work).prepare(1_000)
  const ours = await start()
  const answers = [
    await answerOf(`${ours.url}${list}`),
    await createdAt(`${ours.url}${createPath}`, plantText(100_000_000)),
  ]
  await ours.stop()
  return {
    name: floorName,
    list,
    prepare:
      async () =>
      (pin = false) =>
        startPrinting(work, [fileBeside('floor.js'), ...answers], pin),
  }
}
