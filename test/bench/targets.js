import { writeFixtures } from './fixtures.js'
import { plantText } from './load.js'
import { startPlantMock } from './plant-mock.js'
import { benchFile, createPlant, getList, startWithUrl } from './server.js'

/** @import { Server, StartOptions } from './server.js' */
/** @import { Workspace } from './workspace.js' */

/**
 * A kind of server to measure.
 * @typedef {object} Target
 * @property {string} name
 * @property {string} list Path and query of a list of 20 plants.
 * @property {boolean} [mayFail] Whether failed requests are counted; otherwise one aborts the benchmark.
 * @property {string} [unavailable] The reason that it cannot be measured.
 * @property {string} [stateless] The reason that large stores are skipped, for a server without a store.
 * @property {(plants?: number) => Promise<Start>} prepare Writes the data of N plants, by default 24, and returns a
 *   function that starts the server with them.
 */

/** @typedef {(options?: StartOptions) => Promise<Server>} Start */

export const baselineName = 'bare node:http'
export const plantMockName = 'plant-mock'
export const loggingName = 'plant-mock, request log on'

const list = '/plants?limit=20'
export const createPath = '/plants'

/**
 * plant-mock as users start it; with `log` it prints each request.
 * @param {Workspace} workspace
 * @param {{ log?: boolean }} [options]
 * @returns {Target}
 */
export const plantMockTarget = (workspace, { log = false } = {}) => ({
  name: log ? loggingName : plantMockName,
  list,
  prepare: async (plants) => {
    const fixtures = plants === undefined ? 'garden' : await writeFixtures(workspace.folder, plants, 'ndjson')
    return (options) => startPlantMock(workspace, { ...options, fixtures, log })
  },
})

/**
 * A bare node:http server that returns the same bytes as plant-mock.
 * @param {Workspace} workspace
 * @returns {Promise<Target>}
 */
export const baselineTarget = async (workspace) => {
  const start = await plantMockTarget(workspace).prepare(1_000)
  const plantMock = await start()
  const bodies = [
    await getList(`${plantMock.url}${list}`),
    await createPlant(`${plantMock.url}${createPath}`, plantText(100_000_000)),
  ]
  await plantMock.stop()
  return {
    name: baselineName,
    list,
    prepare: async () => (options) => startWithUrl(workspace, [benchFile('baseline.js'), ...bodies], options),
  }
}
