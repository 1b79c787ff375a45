import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** @import { ChildProcess, StdioOptions } from 'node:child_process' */

/**
 * Where a benchmark puts its files and from where it starts its processes. Neither outlives this process,
 * however it ends.
 * @typedef {object} Workplace
 * @property {string} folder For temporary files.
 * @property {boolean} pins Whether processes can be kept to one core.
 * @property {(command: readonly string[], options?: SpawnOptions) => ChildProcess} spawn
 */

/**
 * @typedef {object} SpawnOptions
 * @property {number} [core] The core to keep the process to.
 * @property {'pipe' | 'ignore'} [stdout] Default: `pipe`.
 * @property {'inherit' | 'pipe'} [stderr] Default: `inherit`.
 * @property {string} [cwd] Default: that of this process.
 * @property {NodeJS.ProcessEnv} [env] Default: that of this process.
 * @property {boolean} [ipc] Whether to open a channel for messages.
 */

/** @returns {Workplace} */
export const openWorkplace = () => {
  const folder = mkdtempSync(join(tmpdir(), 'plant-mock-bench-'))
  /** @type {Set<ChildProcess>} */
  const running = new Set()
  process.on('exit', () => {
    for (const child of running) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  process.on('SIGINT', () => process.exit(130))
  process.on('SIGTERM', () => process.exit(143))

  const pins = hasProgram('taskset')
  return {
    folder,
    pins,
    spawn(command, { core, stdout = 'pipe', stderr = 'inherit', ipc = false, ...place } = {}) {
      const pinned = core === undefined || !pins ? command : ['taskset', '-c', String(core), ...command]
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
 * All that a process prints, once it has ended well.
 * @param {ChildProcess} child
 * @returns {Promise<string>}
 */
export const outputOf = (child) =>
  new Promise((resolve, reject) => {
    const said = lastWords(child)
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (code === 0) resolve(text)
      else reject(new Error(`${said() || child.spawnargs.join(' ')} (ended with ${code ?? signal})`))
    })
  })

/**
 * What a process complains of: the line that names an error, or else the last one.
 * @param {ChildProcess} child
 */
export const lastWords = (child) => {
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
 * Why something failed, in one line that tells nothing of where the files of this machine are.
 * @param {unknown} error
 */
export const reasonOf = (error) => {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return line.replaceAll(/(?:file:\/\/)?(?:\/[\w.@+-]+){2,}/g, '…')
}
