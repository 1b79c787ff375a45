import { once } from 'node:events'
import { createServer, get } from 'node:http'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'

/** @import { ChildProcess } from 'node:child_process' */
/** @import { IncomingMessage } from 'node:http' */
/** @import { Workplace } from './workplace.js' */

/**
 * @typedef {object} Server
 * @property {string} url
 * @property {number} pid
 * @property {() => Promise<void>} stop
 */

const floorFile = fileURLToPath(new URL('floor.js', import.meta.url))

/** The command line's program, as it ships. */
export const programFile = fileURLToPath(new URL('../../dist/bin.js', import.meta.url))

/**
 * The caller of every request.
 * @type {Readonly<Record<string, string>>}
 */
export const headers = { authorization: 'Bearer bench' }

/** The core for servers; the load has the other. */
const serverCore = 0

/**
 * Starts the floor.
 * @param {Workplace} work
 * @param {{ list?: string, plant?: string, pin?: boolean }} [options]
 */
export const startFloor = (work, { list = '[]', plant = '{}', pin = false } = {}) =>
  startPrinting(work, [floorFile, list, plant], pin)

/**
 * Starts plant-mock, by default with the shipped garden. With `log` it prints a line a request to nowhere.
 * @param {Workplace} work
 * @param {{ fixtures?: string, log?: boolean, pin?: boolean }} [options]
 */
export const startOurs = (work, { fixtures = 'garden', log = false, pin = false } = {}) => {
  const args = [programFile, '--fixtures', fixtures]
  return log ? startSilent(work, args, pin) : startPrinting(work, [...args, '--port', '0', '--quiet'], pin)
}

/**
 * A server that says where it listens.
 * @param {Workplace} work
 * @param {readonly string[]} args
 * @param {boolean} pin
 * @returns {Promise<Server>}
 */
const startPrinting = async (work, args, pin) => {
  const child = work.spawn([process.execPath, ...args], pin ? { core: serverCore } : {})
  return asServer(child, await firstLine(child))
}

/**
 * A server that cannot say so: it gets a port that was free, and is there when it takes a connection.
 * @param {Workplace} work
 * @param {readonly string[]} args
 * @param {boolean} pin
 * @returns {Promise<Server>}
 */
const startSilent = async (work, args, pin) => {
  const port = await freePort()
  const child = work.spawn([process.execPath, ...args, '--port', String(port)], {
    stdout: 'ignore',
    ...(pin && { core: serverCore }),
  })
  while (!(await listens(port))) if (child.exitCode !== null) throw ended(child)
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
    child.once('exit', () => reject(ended(child)))
  })

/** @param {ChildProcess} child */
const ended = (child) => new Error(`${child.spawnargs.join(' ')} ended before it listened.`)

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
  const request = get(url, { agent: false, headers })
  const [response] = /** @type {[IncomingMessage]} */ (await once(request, 'response'))
  let body = ''
  for await (const chunk of response.setEncoding('utf8')) body += chunk
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}: ${body}`)
  return body
}
