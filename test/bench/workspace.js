import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** @import { ChildProcess, StdioOptions } from 'node:child_process' */

/**
 * The temporary files and the child processes of a benchmark. Both are removed when this process ends.
 * @typedef {object} Workspace
 * @property {string} folder For temporary files.
 * @property {boolean} canPin Whether `taskset` can pin a process to a core.
 * @property {(command: readonly string[], options?: SpawnOptions) => ChildProcess} spawn
 */

/**
 * @typedef {object} SpawnOptions
 * @property {number} [core] The core to pin the process to.
 * @property {'pipe' | 'ignore'} [stdout] Default: `pipe`.
 * @property {'inherit' | 'pipe'} [stderr] Default: `inherit`.
 * @property {string} [cwd] Default: that of this process.
 * @property {NodeJS.ProcessEnv} [env] Default: that of this process.
 * @property {boolean} [ipc] Whether to open an IPC channel.
 */

/** @returns {Workspace} */
export const openWorkspace = () => {
  const folder = mkdtempSync(join(tmpdir(), 'plant-mock-bench-'))
  /** @type {Set<ChildProcess>} */
  const running = new Set()
  process.on('exit', () => {
    for (const child of running) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  process.on('SIGINT', () => process.exit(130))
  process.on('SIGTERM', () => process.exit(143))

  const canPin = hasProgram('taskset')
  return {
    folder,
    canPin,
    spawn(command, { core, stdout = 'pipe', stderr = 'inherit', ipc = false, ...place } = {}) {
      const pinned = core === undefined || !canPin ? command : ['taskset', '-c', String(core), ...command]
      const [file = '', ...args] = pinned
      /** @type {StdioOptions} */
      const stdio = ['ignore', stdout, stderr, ...(ipc ? /** @type {const} */ (['ipc']) : [])]
      const child = spawn(file, args, { stdio, ...place })
      running.add(child)
      child.once('exit', () => running.delete(child))
      return child
    },
  }
}

/** @param {string} name */
export const hasProgram = (name) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)))

/**
 * Returns the output of a process after it exits with code 0, and rejects otherwise.
 * @param {ChildProcess} child
 * @returns {Promise<string>}
 */
export const readOutput = (child) =>
  new Promise((resolve, reject) => {
    const errorLine = collectErrorLine(child)
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (code === 0) resolve(text)
      else reject(new Error(`${errorLine() || child.spawnargs.join(' ')} (ended with ${code ?? signal})`))
    })
  })

/**
 * Returns the next message of a process with an IPC channel, and rejects when the process ends.
 * @param {ChildProcess} child
 */
export const nextMessage = (child) =>
  new Promise((resolve, reject) => {
    /** @param {number | null} code */
    const fail = (code) => reject(new Error(`${child.spawnargs.join(' ')} ended with ${code}.`))
    child.once('exit', fail)
    child.once('message', (message) => {
      child.off('exit', fail)
      resolve(message)
    })
  })

/**
 * Collects stderr. The returned function gives its first line with "error", or else its last line.
 * @param {ChildProcess} child
 */
export const collectErrorLine = (child) => {
  let text = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk) => {
    text = (text + chunk).slice(-4000)
  })
  return () => {
    const lines = text.trim().split('\n')
    return (lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? '').trim()
  }
}

/**
 * Returns the first line of an error message without the paths of this machine.
 * @param {unknown} error
 */
export const shortReason = (error) => {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return line.replaceAll(/(?:file:\/\/)?(?:\/[\w.@+-]+){2,}/g, '…')
}
