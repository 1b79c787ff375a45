/**
 * The alternatives to plant-mock, in pinned versions: each the newest when this table was written, except msw, because
 * its middleware does not support msw 3.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { plantArray, plantObject } from './fixtures.js'
import { install, readManifest } from './install.js'
import { mockoonEnvironment } from './mockoon.js'
import { programFile } from './plant-mock.js'
import { benchFile, startOnFreePort } from './server.js'
import { readOutput, shortReason } from './workspace.js'

/** @import { Installation } from './install.js' */
/** @import { Target } from './targets.js' */
/** @import { PeerFacts } from './report.js' */
/** @import { Workspace } from './workspace.js' */

/**
 * @typedef {object} Peer
 * @property {string} name
 * @property {readonly [string, ...string[]]} packages The first gives the version of Node that the peer requires.
 * @property {string} list Its equivalent of `GET /plants?limit=20`.
 * @property {string} [stateless] The reason that large stores are skipped, for a server without a store.
 * @property {(workspace: Workspace, plants: number) => string | Promise<string>} data The text of its data file.
 * @property {(place: { folder: string, file: string, port: string }) => readonly string[]} args The arguments of Node.
 * @property {string} command The same for results.json.
 * @property {string} differs How it deviates from the contract.
 */

/** @type {(folder: string, name: string) => string} */
const binary = (folder, name) => join(folder, 'node_modules', '.bin', name)

/** The arguments of both versions of json-server. @type {Peer['args']} */
const jsonServer = ({ folder, file, port }) => [
  binary(folder, 'json-server'),
  ...[file, '--port', port, '--host', '127.0.0.1'],
]

/** @type {readonly Peer[]} */
const peers = [
  {
    name: 'json-server 0.17',
    packages: ['json-server@0.17.4'],
    list: '/plants?_limit=20',
    data: (_, plants) => plantObject(plants),
    args: (place) => [...jsonServer(place), '--quiet'],
    command: 'json-server plants.json --quiet',
    differs: 'uses `_limit=20`; returns ids, writes its file after each create, checks no token',
  },
  {
    name: 'json-server 1 beta',
    packages: ['json-server@1.0.0-beta.15'],
    list: '/plants?_page=1&_per_page=20',
    data: (_, plants) => plantObject(plants, { idOf: String }),
    args: jsonServer,
    command: 'json-server plants.json',
    differs:
      'uses `_page=1&_per_page=20`; returns a page object with the plants and generated ids, ' +
      'writes its file after creates, checks no token',
  },
  {
    name: 'Prism 5',
    packages: ['@stoplight/prism-cli@5.16.0'],
    list: '/plants?limit=20',
    stateless: 'stores no plants',
    data: (workspace) => readOutput(workspace.spawn([process.execPath, programFile, 'contract'])),
    args: ({ folder, file, port }) => [
      binary(folder, 'prism'),
      'mock',
      file,
      '--port',
      port,
      '--host',
      '127.0.0.1',
      '--verboseLevel',
      'error',
    ],
    command: 'prism mock openapi.json --verboseLevel error',
    differs:
      'serves the document of `plant-mock contract`: checks requests against it and returns an example; ' +
      'stores no plants, so a list never changes',
  },
  {
    name: 'Mockoon CLI 9',
    packages: ['@mockoon/cli@9.9.0'],
    list: '/plants?limit=20',
    data: (_, plants) => mockoonEnvironment(plantArray(plants)),
    args: ({ folder, file, port }) => [
      binary(folder, 'mockoon-cli'),
      'start',
      '--data',
      file,
      '--port',
      port,
      '--hostname',
      '127.0.0.1',
      '--disable-log-to-file',
    ],
    command: 'mockoon-cli start --data plants.json --disable-log-to-file',
    differs:
      'is a CRUD route over a data bucket; returns ids, checks no token, and logs each request, ' +
      'which cannot be disabled',
  },
  {
    name: 'msw + http-middleware',
    packages: ['@mswjs/http-middleware@0.10.3', 'msw@2.15.0'],
    list: '/plants?limit=20',
    data: (_, plants) => plantArray(plants),
    args: ({ folder, file, port }) => [benchFile('msw-peer.js'), folder, file, port],
    command: '`createServer` of @mswjs/http-middleware 0.10 on msw 2.15, which depends on Express 4',
    differs: 'consists of two hand-written handlers over an array: they require a token and check no field',
  },
]

/**
 * Installs the peers. One that cannot be installed is unavailable with the reason.
 * @param {Workspace} workspace
 * @param {string} root A folder outside the repository.
 * @returns {AsyncGenerator<{ target: Target, facts: PeerFacts, installation?: Installation }>}
 */
export async function* installPeers(workspace, root) {
  for (const peer of peers) {
    const { name, packages, command, differs } = peer
    const facts = { name, packages, command, differs }
    const folder = join(root, packages.join('+').replaceAll('/', '-'))
    try {
      const installation = await install(workspace, folder, packages)
      const { engines } = readManifest(folder, packages[0].replace(/(?<=.)@.*/, ''))
      yield {
        target: targetOf(workspace, peer, folder),
        facts: { ...facts, ...(engines?.node !== undefined && { node: engines.node }) },
        installation,
      }
    } catch (error) {
      const unavailable = `not installed: ${shortReason(error)}`
      yield { target: { ...targetOf(workspace, peer, folder), unavailable }, facts }
    }
  }
}

let files = 0
/** The number of plants in the garden fixtures. */
const defaultPlants = 24

/**
 * @param {Workspace} workspace
 * @param {Peer} peer
 * @param {string} folder
 * @returns {Target}
 */
const targetOf = (workspace, { name, list, data, args, stateless }, folder) => ({
  name,
  list,
  mayFail: true,
  ...(stateless !== undefined && { stateless }),
  prepare: async (plants = defaultPlants) => {
    // Some peers write to their file, so each start gets a new one.
    const file = join(workspace.folder, `peer-${++files}.json`)
    await writeFile(file, await data(workspace, plants))
    const spawnOptions = {
      cwd: folder,
      env: { ...process.env, HOME: workspace.folder, NO_UPDATE_NOTIFIER: '1' },
    }
    return (options) =>
      startOnFreePort(workspace, (port) => args({ folder, file, port: String(port) }), options, spawnOptions)
  },
})
