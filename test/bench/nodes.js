import { join } from 'node:path'
import { install, readManifest } from './install.js'
import { shortReason } from './workspace.js'

/** @import { Context } from './groups.js' */

/** @typedef {{ name: string, node: string, skipped?: string }} NodeVersion */

/** The versions of Node.js that are measured beside that of this process. */
const otherMajors = [24, 26]

/**
 * Installs further versions of Node.js, unless packages are not to be installed.
 * @param {Context} context
 * @returns {AsyncGenerator<NodeVersion>}
 */
export async function* nodes({ workspace, packages }) {
  yield { name: process.version, node: process.execPath }
  if (packages === undefined) return
  // The package `node` would fetch this one in an install script.
  const name = `node-${process.platform}-${process.arch}`
  for (const major of otherMajors) {
    const folder = join(packages, `node-${major}`)
    try {
      await install(workspace, folder, [`${name}@${major}`])
      const { version } = readManifest(folder, name)
      yield { name: `v${version}`, node: join(folder, 'node_modules', name, 'bin', 'node') }
    } catch (error) {
      yield { name: String(major), node: '', skipped: `not installed: ${shortReason(error)}` }
    }
  }
}
