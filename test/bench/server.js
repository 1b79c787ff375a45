import { once } from 'node:events'
import { createServer, get } from 'node:http'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { collectErrorLine } from './workspace.js'

/** @import { ChildProcess } from 'node:child_process' */
/** @import { IncomingMessage } from 'node:http' */
/** @import { SpawnOptions, Workspace } from './workspace.js' */

/**
 * @typedef {object} Server
 * @property {string} url
 * @property {number} pid
 * @property {() => void} pause Stops the process (SIGSTOP) until `resume`, so that its background tasks do not disturb
 *   the measurement of another server.
 * @property {() => void} resume
 * @property {(signal?: 'SIGKILL' | 'SIGTERM') => Promise<void>} stop Default: SIGKILL.
 */

/**
 * The caller of every request.
 * @type {Readonly<Record<string, string>>}
 */
export const headers = { authorization: 'Bearer bench' }

/** The core of the servers; the load generator runs on the other one. */
export const serverCore = 0
/** The limit for listening and for one response, in milliseconds. */
const responseTimeout = 60_000

/**
 * @typedef {object} StartOptions
 * @property {boolean} [pin] Whether to pin the server to its core. Default: false.
 * @property {string} [node] The executable of Node.js. Default: that of this process.
 */

/**
 * Starts a server whose first line of output is its URL.
 * @param {Workspace} workspace
 * @param {readonly string[]} args
 * @param {StartOptions} [options]
 * @returns {Promise<Server>}
 */
export const startWithUrl = async (workspace, args, { pin = false, node = process.execPath } = {}) => {
  const child = workspace.spawn([node, ...args], pin ? { core: serverCore } : {})
  return serverOf(child, await firstLine(child))
}

/**
 * Starts a server on a free port, without output. It is ready when it accepts a connection.
 * @param {Workspace} workspace
 * @param {(port: number) => readonly string[]} argsFor
 * @param {StartOptions} [options]
 * @param {SpawnOptions} [spawnOptions]
 * @returns {Promise<Server>}
 */
export const startOnFreePort = async (
  workspace,
  argsFor,
  { pin = false, node = process.execPath } = {},
  spawnOptions = {},
) => {
  const port = await freePort()
  const child = workspace.spawn([node, ...argsFor(port)], {
    ...spawnOptions,
    stdout: 'ignore',
    stderr: 'pipe',
    ...(pin && { core: serverCore }),
  })
  const errorLine = collectErrorLine(child)
  const end = performance.now() + responseTimeout
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`it ended before it listened: ${errorLine()}`)
    if (performance.now() > end) throw new Error(`it did not listen within ${responseTimeout / 1000} s`)
    await setTimeout(2)
  }
  return serverOf(child, `http://127.0.0.1:${port}`)
}

/**
 * @param {ChildProcess} child
 * @param {string} url
 * @returns {Server}
 */
const serverOf = (child, url) => ({
  url,
  pid: child.pid ?? 0,
  pause: () => void child.kill('SIGSTOP'),
  resume: () => void child.kill('SIGCONT'),
  stop: async (signal = 'SIGKILL') => {
    const ended = once(child, 'exit')
    if (child.kill(signal)) await ended
  },
})

/**
 * @param {ChildProcess} child
 * @returns {Promise<string>}
 */
const firstLine = (child) =>
  new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      const end = text.indexOf('\n')
      if (end !== -1) resolve(text.slice(0, end))
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`${child.spawnargs.join(' ')} ended before it listened.`)))
  })

/** @returns {Promise<number>} */
const freePort = async () => {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
const isListening = (port) => connects({ port, host: '127.0.0.1' })

/**
 * Whether something accepts connections there.
 * @param {import('node:net').NetConnectOpts} address
 * @returns {Promise<boolean>}
 */
export const connects = (address) =>
  new Promise((resolve) => {
    const socket = connect(address, () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

/**
 * Sends one GET over a new connection.
 * @param {string} url
 * @param {Readonly<Record<string, string>>} [session] Further headers.
 * @returns {Promise<string>} The body of the response.
 */
export const getList = async (url, session = {}) => {
  const request = get(url, {
    agent: false,
    headers: { ...headers, ...session },
    signal: AbortSignal.timeout(responseTimeout),
  })
  const [response] = /** @type {[IncomingMessage]} */ (await once(request, 'response'))
  let body = ''
  for await (const chunk of response.setEncoding('utf8')) body += chunk
  if (response.statusCode !== 200) throw new Error(`the list failed with status ${response.statusCode}`)
  return body
}

/**
 * Sends one create over a new connection.
 * @param {string} url
 * @param {string} plant JSON.
 * @param {Readonly<Record<string, string>>} [session] Further headers.
 * @returns {Promise<string>} The body of the response.
 */
export const createPlant = async (url, plant, session = {}) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, ...session, 'content-type': 'application/json', connection: 'close' },
    body: plant,
    signal: AbortSignal.timeout(responseTimeout),
  })
  if (response.status !== 201) throw new Error(`the create failed with status ${response.status}`)
  return response.text()
}

/** @param {string} name */
export const benchFile = (name) => fileURLToPath(new URL(name, import.meta.url))
