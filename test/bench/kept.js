import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isTrusted } from './noise.js'

/** @import { Environment, GroupResult } from './report.js' */

const folder = fileURLToPath(new URL('../../node_modules/.cache/plant-mock-bench', import.meta.url))
const dist = fileURLToPath(new URL('../../dist', import.meta.url))

/**
 * Returns a key of everything that results depend on: the build, the settings and the environment.
 * @param {Environment} environment
 * @param {object} settings
 */
export const runKey = (environment, settings) => {
  const hash = createHash('sha256').update(JSON.stringify([environment, settings]))
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' }).sort())
    if (file.endsWith('.js')) hash.update(file).update(readFileSync(join(dist, file)))
  return hash.digest('hex')
}

/** @param {string} name */
const fileOf = (name) => join(folder, `${name}.json`)

/**
 * Keeps the result of a group for a later run with `--resume`.
 * @param {string} key
 * @param {GroupResult} result
 */
export const keepGroup = (key, result) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(fileOf(result.name), JSON.stringify({ key, result }))
}

/**
 * Returns the kept result of a group, if it has the same key and passed its noise check.
 * @param {string} key
 * @param {string} name
 * @returns {GroupResult | undefined}
 */
export const keptGroup = (key, name) => {
  try {
    const kept = JSON.parse(readFileSync(fileOf(name), 'utf8'))
    return kept.key === key && isTrusted(kept.result.noise) ? kept.result : undefined
  } catch {
    return undefined
  }
}
