import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOutput } from './workspace.js'

/** @import { Workspace } from './workspace.js' */

/**
 * A project with installed packages.
 * @typedef {object} Installation
 * @property {string} folder
 * @property {number} mebibytes Disk usage of `node_modules`.
 * @property {number} packages Number of installed packages.
 */

/**
 * Installs packages in an empty project unless an earlier run did. Install scripts do not run.
 * @param {Workspace} workspace
 * @param {string} folder
 * @param {readonly string[]} specifiers
 * @returns {Promise<Installation>}
 */
export const install = async (workspace, folder, specifiers) => {
  const modules = join(folder, 'node_modules')
  // npm writes this file at the end of an install.
  const list = join(modules, '.package-lock.json')
  if (!existsSync(list)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
    await npm(workspace, folder, ['install', '--prefix', folder, ...flags, ...specifiers])
  }
  const { packages } = JSON.parse(readFileSync(list, 'utf8'))
  return { folder, mebibytes: diskUsage(modules) / 2 ** 20, packages: Object.keys(packages).length }
}

/**
 * Packs this package as it would be published.
 * @param {Workspace} workspace
 * @returns {Promise<string>} The path of the tarball.
 */
export const pack = async (workspace) => {
  const root = new URL('../../', import.meta.url).pathname
  const output = await npm(workspace, root, [
    'pack',
    '--ignore-scripts',
    '--json',
    '--pack-destination',
    workspace.folder,
  ])
  return join(workspace.folder, JSON.parse(output)[0].filename)
}

/**
 * Reads the package.json of an installed package.
 * @param {string} folder
 * @param {string} name
 * @returns {{ version: string, engines?: { node?: string } }}
 */
export const readManifest = (folder, name) =>
  JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'))

/**
 * @param {Workspace} workspace
 * @param {string} cwd
 * @param {readonly string[]} args
 */
const npm = (workspace, cwd, args) => readOutput(workspace.spawn(['npm', ...args], { cwd, stderr: 'pipe' }))

/**
 * Returns the disk usage in bytes as `du` counts it: allocated blocks, not file sizes.
 * @param {string} path
 * @returns {number}
 */
const diskUsage = (path) => {
  const { blocks, size } = lstatSync(path)
  const bytes = blocks === undefined ? size : blocks * 512
  if (!lstatSync(path).isDirectory()) return bytes
  return readdirSync(path).reduce((sum, name) => sum + diskUsage(join(path, name)), bytes)
}
