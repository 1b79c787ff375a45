/**
 * What a user would pick instead of plant-mock, each in the version that is measured: the newest of each that was
 * published when this table was written, but for msw, whose middleware does not work with msw 3.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { plantArray, plantObject } from './fixtures.js'
import { install, manifestOf } from './install.js'
import { mockoonEnvironment } from './mockoon.js'
import { programFile } from './ours.js'
import { fileBeside, startSilent } from './server.js'
import { outputOf, reasonOf } from './workplace.js'

/** @import { Installation } from './install.js' */
/** @import { Entrant } from './entrants.js' */
/** @import { PeerFacts } from './report.js' */
/** @import { Workplace } from './workplace.js' */

/**
 * @typedef {object} Peer
 * @property {string} name
 * @property {readonly [string, ...string[]]} packages The first is the one that its version stands for.
 * @property {string} list Its nearest to `GET /plants?limit=20`.
 * @property {string} [keepsNothing] Why a size of the store means nothing to it.
 * @property {(work: Workplace, plants: number) => string | Promise<string>} data The text of its data file.
 * @property {(place: { folder: string, file: string, port: string }) => readonly string[]} args Node's arguments.
 * @property {string} command The same for a reader.
 * @property {string} differs What it does otherwise than the contract asks.
 */

/** @type {(folder: string, name: string) => string} */
const binary = (folder, name) => join(folder, 'node_modules', '.bin', name)

/** What both versions of json-server are told. @type {Peer['args']} */
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
    differs: 'is asked with `_limit=20`; answers with ids, writes its file at each create, looks at no token',
  },
  {
    name: 'json-server 1 beta',
    packages: ['json-server@1.0.0-beta.15'],
    list: '/plants?_page=1&_per_page=20',
    data: (_, plants) => plantObject(plants, String),
    args: jsonServer,
    command: 'json-server plants.json',
    differs:
      'is asked with `_page=1&_per_page=20`; answers with a page object around the plants and with ids of its own, ' +
      'writes its file after creates, looks at no token',
  },
  {
    name: 'Prism 5',
    packages: ['@stoplight/prism-cli@5.16.0'],
    list: '/plants?limit=20',
    keepsNothing: 'keeps no plants',
    data: (work) => outputOf(work.spawn([process.execPath, programFile, 'contract'])),
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
      'serves the document of `plant-mock contract`: checks requests against it and answers with an example; ' +
      'keeps no plants, so a list is always the same one',
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
      'is a CRUD route over a data bucket; answers with ids, looks at no token, and logs each request, ' +
      'which cannot be switched off',
  },
  {
    name: 'msw + http-middleware',
    packages: ['@mswjs/http-middleware@0.10.3', 'msw@2.15.0'],
    list: '/plants?limit=20',
    data: (_, plants) => plantArray(plants),
    args: ({ folder, file, port }) => [fileBeside('msw-peer.js'), folder, file, port],
    command: '`createServer` of @mswjs/http-middleware 0.10 on msw 2.15, which brings Express 4',
    differs:
      'is two handlers over an array, as one would write them: a token is asked for, no field is checked',
  },
]

/**
 * Installs the peers, or says why that cannot be.
 * @param {Workplace} work
 * @param {string} root A folder outside the repository.
 * @returns {AsyncGenerator<{ entrant: Entrant, facts: PeerFacts, installation?: Installation }>}
 */
export async function* enterPeers(work, root) {
  for (const peer of peers) {
    const { name, packages, command, differs } = peer
    const facts = { name, packages, command, differs }
    const folder = join(root, packages.join('+').replaceAll('/', '-'))
    try {
      const installation = await install(work, folder, packages)
      const { engines } = manifestOf(folder, packages[0].replace(/(?<=.)@.*/, ''))
      yield {
        entrant: entrantOf(work, peer, folder),
        facts: { ...facts, ...(engines?.node !== undefined && { node: engines.node }) },
        installation,
      }
    } catch (error) {
      const missing = `not installed: ${reasonOf(error)}`
      yield { entrant: { ...entrantOf(work, peer, folder), missing }, facts }
    }
  }
}

let files = 0
/** As many as plant-mock starts with when nothing is said. */
const few = 24

/**
 * @param {Workplace} work
 * @param {Peer} peer
 * @param {string} folder
 * @returns {Entrant}
 */
const entrantOf = (work, { name, list, data, args, keepsNothing }, folder) => ({
  name,
  list,
  tolerant: true,
  ...(keepsNothing !== undefined && { keepsNothing }),
  prepare: async (plants = few) => {
    // Some write to their file, so each start gets one of its own.
    const file = join(work.folder, `peer-${++files}.json`)
    await writeFile(file, await data(work, plants))
    const place = { cwd: folder, env: { ...process.env, HOME: work.folder, NO_UPDATE_NOTIFIER: '1' } }
    return (pin = false) =>
      startSilent(work, (port) => args({ folder, file, port: String(port) }), pin, place)
  },
})
