import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { outputOf } from './workplace.js'

/** @import { Workplace } from './workplace.js' */

/**
 * A project of its own with packages in it.
 * @typedef {object} Installation
 * @property {string} folder
 * @property {number} mebibytes What `node_modules` takes on the disk.
 * @property {number} packages How many it holds.
 */

/**
 * Makes an empty project and installs packages there, unless that was done before. Their install scripts do not run.
 * @param {Workplace} work
 * @param {string} folder
 * @param {readonly string[]} specifiers
 * @returns {Promise<Installation>}
 */
export const install = async (work, folder, specifiers) => {
  const modules = join(folder, 'node_modules')
  // npm writes this file at the end of an install.
  const list = join(modules, '.package-lock.json')
  if (!existsSync(list)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
    await npm(work, folder, ['install', '--prefix', folder, ...flags, ...specifiers])
  }
  const { packages } = JSON.parse(readFileSync(list, 'utf8'))
  return { folder, mebibytes: bytesOf(modules) / 2 ** 20, packages: Object.keys(packages).length }
}

/**
 * Packs this package as it would be published.
 * @param {Workplace} work
 * @returns {Promise<string>} The path of the tarball.
 */
export const pack = async (work) => {
  const root = new URL('../../', import.meta.url).pathname
  const output = await npm(work, root, [
    'pack',
    '--ignore-scripts',
    '--json',
    '--pack-destination',
    work.folder,
  ])
  return join(work.folder, JSON.parse(output)[0].filename)
}

/**
 * What a package says of itself.
 * @param {string} folder
 * @param {string} name
 * @returns {{ version: string, engines?: { node?: string } }}
 */
export const manifestOf = (folder, name) =>
  JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'))

/**
 * @param {Workplace} work
 * @param {string} cwd
 * @param {readonly string[]} args
 */
const npm = (work, cwd, args) => outputOf(work.spawn(['npm', ...args], { cwd, stderr: 'pipe' }))

/**
 * As `du` counts: what files and folders take on the disk, which is more than what is in them.
 * @param {string} path
 * @returns {number}
 */
const bytesOf = (path) => {
  const { blocks, size } = lstatSync(path)
  const own = blocks === undefined ? size : blocks * 512
  if (!lstatSync(path).isDirectory()) return own
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), own)
}
