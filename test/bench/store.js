import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { rateFields, toOther } from './compare.js'
import { writeFixtures } from './fixtures.js'
import { startPlantMock } from './plant-mock.js'
import { measureRates } from './rates.js'
import { connects } from './server.js'
import { plantMockTarget } from './targets.js'
import { hasProgram } from './workspace.js'

/** @import { Context } from './groups.js' */
/** @import { Row } from './report.js' */
/** @import { Target } from './targets.js' */
/** @import { Workspace } from './workspace.js' */

const plants = 1_000
const programs = ['valkey-server', 'redis-server']

/**
 * Measures the rates of plant-mock with its state in Valkey or Redis, to those with its state in memory. Nothing without
 * such a server on this machine.
 * @param {Context} context
 * @returns {AsyncGenerator<Row>}
 */
export async function* store(context) {
  const { workspace, tool, settings, round } = context
  const program = programs.find(hasProgram)
  if (program === undefined) return
  const socket = await startStore(workspace, program)
  const bench = { workspace, tool, baseline: await context.baseline(), round }
  for (const method of /** @type {const} */ (['GET', 'POST'])) {
    const servers = [plantMockTarget(workspace), sharedTarget(workspace, socket)].map((target) => ({ target, plants }))
    const [memory, shared] = await measureRates(bench, method, servers, settings)
    if (memory === undefined || shared === undefined) continue
    yield {
      group: 'Store',
      what: `${method}, state in ${program === 'redis-server' ? 'Redis' : 'Valkey'}`,
      server: shared.target.name,
      ...rateFields(shared.rounds.map(({ rate }) => rate)),
      ...toOther(shared.rounds, memory.rounds),
      against: 'state in memory',
      aim: { of: 'ratio', atLeast: 0.45 },
    }
  }
}

/**
 * Starts a server without persistence, and returns its socket.
 * @param {Workspace} workspace
 * @param {string} program
 */
const startStore = async (workspace, program) => {
  const socket = join(workspace.folder, 'store.sock')
  workspace.spawn([program, '--port', '0', '--unixsocket', socket, '--save', ''], { stdout: 'ignore' })
  while (!(await connects({ path: socket }))) await setTimeout(20)
  return socket
}

/**
 * plant-mock with its state in a store.
 * @param {Workspace} workspace
 * @param {string} socket
 * @returns {Target}
 */
const sharedTarget = (workspace, socket) => ({
  name: 'plant-mock, state in a store',
  list: '/plants?limit=20',
  prepare: async (plants) => {
    const fixtures = plants === undefined ? 'garden' : await writeFixtures(workspace.folder, plants, 'ndjson')
    const store = ['--store', `unix:${socket}`, '--store-reset']
    return (options) => startPlantMock(workspace, { ...options, fixtures, args: store })
  },
})
