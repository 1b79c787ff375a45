/** The servers that are measured: a bare one as the baseline, plant-mock, and its peers. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { benchFile, hasProgram, programFile, run, send, startServer } from './machine.js'

/** @import { Machine, Server } from './machine.js' */

/**
 * @typedef {object} Subject
 * @property {string} name
 * @property {string} list The path of a list of 20 plants.
 * @property {boolean} [isPeer] A failure of a peer is a result; any other one ends the run.
 * @property {(plants?: number) => Promise<Server>} start Default of `plants`: 24, the built-in garden of plant-mock.
 */

/** @param {number} count */
export const plantsOf = (count) =>
  Array.from({ length: count }, (_, i) => ({ id: i + 1, name: `Monstera deliciosa ${i + 1}`, tag: `tag ${i % 5}` }))

/** The body of a create. @param {number | string} id */
export const plantText = (id) => `{"id":${id},"name":"Monstera deliciosa","tag":"tropical"}`

const list = '/plants?limit=20'

/**
 * plant-mock as users start it.
 * @param {Machine} machine
 * @param {string} [name]
 * @param {readonly string[]} [args]
 * @returns {Subject}
 */
export const plantMock = (machine, name = 'plant-mock', args = ['--quiet']) => ({
  name,
  list,
  start: (plants) => {
    const file = join(machine.folder, `${plants}.ndjson`)
    if (plants !== undefined && !existsSync(file)) {
      const lines = plantsOf(plants).map((plant) => `${JSON.stringify(plant)}\n`)
      writeFileSync(file, lines.join(''))
    }
    const fixtures = plants === undefined ? 'garden' : file
    return startServer(machine, (port) => [programFile, '--port', port, '--fixtures', fixtures, ...args], list)
  },
})

/**
 * A bare node:http server that sends bodies of the same bytes as plant-mock.
 * @param {Machine} machine
 * @returns {Promise<Subject>}
 */
export const baseline = async (machine) => {
  const server = await plantMock(machine).start(1_000)
  const bodies = [await send(`${server.url}${list}`), await send(`${server.url}/plants`, { body: plantText(1_001) })]
  await server.stop()
  const start = () => startServer(machine, (port) => [benchFile('baseline.js'), port, ...bodies], list)
  return { name: 'bare node:http', list, start }
}

/**
 * plant-mock with its state in Valkey or Redis, if this machine has one of them.
 * @param {Machine} machine
 * @returns {Promise<readonly Subject[]>}
 */
export const plantMockWithStore = async (machine) => {
  const program = ['valkey-server', 'redis-server'].find(hasProgram)
  if (program === undefined) return []
  const socket = join(machine.folder, 'store.sock')
  machine.spawn([program, '--port', '0', '--unixsocket', socket, '--save', ''], { stdio: 'ignore' })
  while (!existsSync(socket)) await delay(20)
  const args = ['--quiet', '--store', `unix:${socket}`, '--store-reset']
  return [plantMock(machine, 'plant-mock, state in a store', args)]
}

/**
 * @typedef {object} Peer
 * @property {string} name
 * @property {string} package With its version.
 * @property {string} list Its equivalent of `GET /plants?limit=20`.
 * @property {(machine: Machine, plants: ReturnType<typeof plantsOf>) => string | Promise<string>} data The text of its file.
 * @property {(file: string, port: string) => string} command
 * @property {string} differs How it deviates from the contract.
 */

/** @type {readonly Peer[]} */
export const peers = [
  {
    name: 'json-server 1 beta',
    package: 'json-server@1.0.0-beta.15',
    list: '/plants?_page=1&_per_page=20',
    data: (_, plants) => JSON.stringify({ plants: plants.map((plant) => ({ ...plant, id: String(plant.id) })) }),
    command: (file, port) => `json-server ${file} --port ${port} --host 127.0.0.1`,
    differs: 'adds ids and pages, writes its file, checks no token',
  },
  {
    name: 'Prism 5',
    package: '@stoplight/prism-cli@5.16.0',
    list,
    data: (machine) => run(machine, [process.execPath, programFile, 'contract']),
    command: (file, port) => `prism mock ${file} --port ${port} --host 127.0.0.1 --verboseLevel error`,
    differs: 'checks requests against `plant-mock contract`, stores nothing',
  },
  {
    name: 'Mockoon CLI 9',
    package: '@mockoon/cli@9.9.0',
    list,
    data: (_, plants) => mockoonEnvironment(JSON.stringify(plants)),
    command: (file, port) =>
      `mockoon-cli start --data ${file} --port ${port} --hostname 127.0.0.1 --disable-log-to-file`,
    differs: 'adds ids, checks no token, logs each request',
  },
]

/** Git ignores this folder. Installed peers stay there for the next run. */
const packages = benchFile('../../node_modules/.cache/plant-mock-bench')

/**
 * Installs a peer unless an earlier run did. Install scripts do not run.
 * @param {Machine} machine
 * @param {Peer} peer
 * @returns {Promise<Subject>}
 */
export const installPeer = async (machine, { name, package: specifier, list, data, command }) => {
  const cwd = join(packages, specifier.replace('/', '-'))
  // npm writes this file at the end of an installation.
  if (!existsSync(join(cwd, 'node_modules', '.package-lock.json'))) {
    mkdirSync(cwd, { recursive: true })
    writeFileSync(join(cwd, 'package.json'), '{ "private": true }\n')
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    await run(machine, ['npm', 'install', ...flags, specifier], { cwd })
  }
  const env = { ...process.env, HOME: machine.folder, NO_UPDATE_NOTIFIER: '1' }
  let starts = 0
  return {
    name,
    list,
    isPeer: true,
    start: async (plants = 24) => {
      // json-server writes to its file, so each start has a new one.
      const file = join(machine.folder, `${name.replaceAll(' ', '-')}-${++starts}.json`)
      writeFileSync(file, await data(machine, plantsOf(plants)))
      /** @param {string} port */
      const argsFor = (port) => join(cwd, 'node_modules', '.bin', command(file, port)).split(' ')
      return startServer(machine, argsFor, list, { cwd, env })
    },
  }
}

/**
 * Returns a Mockoon environment with a CRUD route over a data bucket of plants.
 * @param {string} plants A JSON array.
 */
const mockoonEnvironment = (plants) => {
  const [route, bucket] = ['route', 'plants']
  const response = { uuid: 'response', statusCode: 200, bodyType: 'DATABUCKET', databucketID: bucket, crudKey: 'id' }
  return JSON.stringify({
    uuid: 'environment',
    lastMigration: 33,
    name: 'Plant store',
    routes: [{ uuid: route, type: 'crud', endpoint: 'plants', responses: [{ ...response, default: true }] }],
    rootChildren: [{ type: 'route', uuid: route }],
    data: [{ uuid: 'data', id: bucket, name: 'Plants', value: plants }],
  })
}
