import { once } from 'node:events'
import { createServer, get } from 'node:http'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { lastWords } from './workplace.js'

/** @import { ChildProcess } from 'node:child_process' */
/** @import { IncomingMessage } from 'node:http' */
/** @import { SpawnOptions, Workplace } from './workplace.js' */

/**
 * @typedef {object} Server
 * @property {string} url
 * @property {number} pid
 * @property {() => void} pause Takes the cores away from it, until `resume`: what it still does on the quiet is
 *   not to disturb another's turn.
 * @property {() => void} resume
 * @property {() => Promise<void>} stop
 */

/**
 * The caller of every request.
 * @type {Readonly<Record<string, string>>}
 */
export const headers = { authorization: 'Bearer bench' }

/** The core for servers; the load has the other. */
export const serverCore = 0
/** How long a server may take to listen and to answer, in milliseconds. */
const patience = 60_000

/**
 * Starts a server that prints its URL as its first line.
 * @param {Workplace} work
 * @param {readonly string[]} args
 * @param {boolean} pin
 * @returns {Promise<Server>}
 */
export const startPrinting = async (work, args, pin) => {
  const child = work.spawn([process.execPath, ...args], pin ? { core: serverCore } : {})
  return asServer(child, await firstLine(child))
}

/**
 * Starts a server that prints to nowhere: it gets a port that was free, and is there when it takes a connection.
 * @param {Workplace} work
 * @param {(port: number) => readonly string[]} argsFor
 * @param {boolean} pin
 * @param {SpawnOptions} [options]
 * @returns {Promise<Server>}
 */
export const startSilent = async (work, argsFor, pin, options = {}) => {
  const port = await freePort()
  const child = work.spawn([process.execPath, ...argsFor(port)], {
    ...options,
    stdout: 'ignore',
    stderr: 'pipe',
    ...(pin && { core: serverCore }),
  })
  const said = lastWords(child)
  const end = performance.now() + patience
  while (!(await listens(port))) {
    if (child.exitCode !== null) throw new Error(`it ended before it listened: ${said()}`)
    if (performance.now() > end) throw new Error(`it did not listen within ${patience / 1000} s`)
    await setTimeout(2)
  }
  return asServer(child, `http://127.0.0.1:${port}`)
}

/**
 * @param {ChildProcess} child
 * @param {string} url
 * @returns {Server}
 */
const asServer = (child, url) => ({
  url,
  pid: child.pid ?? 0,
  pause: () => void child.kill('SIGSTOP'),
  resume: () => void child.kill('SIGCONT'),
  stop: async () => {
    const ended = once(child, 'exit')
    if (child.kill('SIGKILL')) await ended
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
const listens = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

/**
 * One GET over a connection of its own.
 * @param {string} url
 * @returns {Promise<string>} The body of the answer.
 */
export const answerOf = async (url) => {
  const request = get(url, { agent: false, headers, signal: AbortSignal.timeout(patience) })
  const [response] = /** @type {[IncomingMessage]} */ (await once(request, 'response'))
  let body = ''
  for await (const chunk of response.setEncoding('utf8')) body += chunk
  if (response.statusCode !== 200) throw new Error(`a list was answered ${response.statusCode}`)
  return body
}

/**
 * One create over a connection of its own.
 * @param {string} url
 * @param {string} plant JSON.
 * @returns {Promise<string>} The body of the answer.
 */
export const createdAt = async (url, plant) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', connection: 'close' },
    body: plant,
    signal: AbortSignal.timeout(patience),
  })
  if (response.status !== 201) throw new Error(`a create was answered ${response.status}`)
  return response.text()
}

/** @param {string} name */
export const fileBeside = (name) => fileURLToPath(new URL(name, import.meta.url))
