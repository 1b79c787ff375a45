import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { install, pack } from './install.js'
import { plantMockName } from './targets.js'

/** @import { Context } from './groups.js' */
/** @import { Row } from './report.js' */

const group = 'Install'

/**
 * Measures `node_modules` after installing each server in an empty project, plant-mock from its tarball.
 * @param {Context} context
 * @returns {AsyncGenerator<Row>}
 */
export async function* footprint({ workspace, peers }) {
  const folder = join(workspace.folder, 'consumer')
  rmSync(folder, { recursive: true, force: true })
  const plantMock = await install(workspace, folder, [await pack(workspace)])
  const all = [
    { server: plantMockName, installed: plantMock },
    ...(await peers()).map(({ target, installation }) => ({
      server: target.name,
      installed: installation ?? target.unavailable ?? 'not installed',
    })),
  ]
  for (const { server, installed } of all) {
    const row = { group, what: 'size of node_modules', server }
    if (typeof installed === 'string') yield { ...row, skipped: installed }
    else yield { ...row, unit: 'MiB', value: installed.mebibytes }
  }
  for (const { server, installed } of all)
    if (typeof installed !== 'string') yield { group, what: 'packages', server, unit: '', value: installed.packages }
}
