/** The processes of a run, and what /proc tells about them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { reasonOf } from './report.js'

/** @import { ChildProcess, SpawnOptions } from 'node:child_process' */

/**
 * @typedef {object} Machine
 * @property {string} folder For temporary files. It is removed, and child processes are ended, when this process exits.
 * @property {(command: readonly string[], options?: SpawnOptions, core?: number) => ChildProcess} spawn Pins the process
 *   to a core, by default to that of the servers.
 */

/** Servers run on one core, the load generator on another. */
const [serverCore, loadCore] = [0, 1]

/** @returns {Machine} */
export const openMachine = () => {
  const folder = mkdtempSync(join(tmpdir(), 'plant-mock-bench-'))
  /** @type {Set<ChildProcess>} */
  const running = new Set()
  process.on('exit', () => {
    for (const child of running) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130))
  return {
    folder,
    spawn(command, options = {}, core = serverCore) {
      const child = spawn('taskset', ['-c', String(core), ...command], options)
      running.add(child)
      child.once('close', () => running.delete(child))
      return child
    },
  }
}

/** @param {string} name */
export const benchFile = (name) => fileURLToPath(new URL(name, import.meta.url))

/** The built command line program. */
export const programFile = benchFile('../../dist/bin.js')

/** @param {string} name */
export const hasProgram = (name) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)))

/**
 * Runs a command to its end.
 * @param {Machine} machine
 * @param {readonly string[]} command
 * @param {SpawnOptions} [options]
 * @param {number} [core]
 * @returns {Promise<string>} Its output.
 * @throws Error with the end of its standard error if it fails.
 */
export const run = async (machine, command, options, core) => {
  const child = machine.spawn(command, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }, core)
  const [output, errors] = [textOf(child.stdout), textOf(child.stderr)]
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${errors()}`)
  return output()
}

/** @param {import('node:stream').Readable | null} stream */
const textOf = (stream) => {
  let text = ''
  stream?.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  return () => text.trim()
}

/** Processor time of a process in microseconds: user and system, all threads. @param {number} pid */
export const cpuTime = (pid) => {
  const threads = readdirSync(`/proc/${pid}/task`)
  const times = threads.map((id) => Number.parseInt(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8'), 10))
  return times.reduce((sum, nanoseconds) => sum + nanoseconds / 1_000, 0)
}

/** Resident memory of a process in MiB. @param {number} pid */
export const residentMemory = (pid) =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024

/** The number of files and sockets that a process has open. @param {number} pid */
export const openFiles = (pid) => readdirSync(`/proc/${pid}/fd`).length

/**
 * @typedef {object} Server
 * @property {string} url
 * @property {number} pid
 * @property {number} milliseconds From the start of the process to the end of its first response.
 * @property {(signal: NodeJS.Signals) => void} kill SIGSTOP pauses it, so that its remaining work does not disturb the
 *   next load, until SIGCONT.
 * @property {(signal?: NodeJS.Signals) => Promise<void>} stop Default: SIGKILL.
 */

const startTimeout = 60_000

/**
 * Starts a server, and waits for its first list.
 * @param {Machine} machine
 * @param {(port: string) => readonly string[]} argsFor The arguments of Node.js.
 * @param {string} list The path of a list.
 * @param {SpawnOptions} [options]
 * @returns {Promise<Server>}
 * @throws Error if the process ends, or does not answer within a minute.
 */
export const startServer = async (machine, argsFor, list, options) => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const began = performance.now()
  const child = machine.spawn([process.execPath, ...argsFor(port)], { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  const errors = textOf(child.stderr)
  for (;;) {
    const reason = await send(`${url}${list}`).then(() => undefined, reasonOf)
    if (reason === undefined) break
    if (child.exitCode !== null || performance.now() - began > startTimeout)
      throw new Error(`no successful response after the start: ${errors() || reason}`)
    await delay(2)
  }
  return {
    url,
    pid: child.pid ?? 0,
    milliseconds: performance.now() - began,
    kill: (signal) => void child.kill(signal),
    stop: async (signal = 'SIGKILL') => {
      const ended = once(child, 'exit')
      if (child.kill(signal)) await ended
    },
  }
}

/** @returns {Promise<string>} */
const freePort = async () => {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address())
  await once(probe.close(), 'close')
  return String(port)
}

/** The caller of every request. */
export const authorization = 'Bearer bench'

/**
 * Sends a GET, or a POST if there is a body, over a new connection.
 * @param {string} url
 * @param {{ body?: string, headers?: Readonly<Record<string, string>> }} [options]
 * @returns {Promise<string>} The body of the response.
 * @throws Error if nothing listens there, or for a status of an error.
 */
export const send = async (url, { body, headers } = {}) => {
  const sent = { authorization, 'content-type': 'application/json', connection: 'close', ...headers }
  const response = await fetch(url, body === undefined ? { headers: sent } : { method: 'POST', headers: sent, body })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} answered with status ${response.status}: ${text}`)
  return text
}

const printSummary = `
function done(summary)
  local seconds, errors = summary.duration / 1e6, summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  local text = '{"responses":%d,"perSecond":%f,"failed":%d}'
  io.write('\\n', string.format(text, summary.requests, summary.requests / seconds, failed))
end
`

/**
 * Runs wrk with 32 connections.
 * @param {Machine} machine
 * @param {string} url
 * @param {number} seconds
 * @param {string} script Lua.
 * @param {readonly string[]} args For `init` of the script.
 * @returns {Promise<{ responses: number, perSecond: number, failed: number }>}
 */
export const applyLoad = async (machine, url, seconds, script, args) => {
  const file = join(machine.folder, 'load.lua')
  writeFileSync(file, `${script}${printSummary}`)
  const options = ['--threads', '1', '--connections', '32', '--duration', `${seconds}s`, '--script', file]
  const output = await run(machine, ['wrk', ...options, url, '--', ...args], {}, loadCore)
  return JSON.parse(output.split('\n').at(-1) ?? '')
}
