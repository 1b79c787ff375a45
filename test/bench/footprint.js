import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { oursName } from './entrants.js'
import { install, pack } from './install.js'

/** @import { Entrant } from './entrants.js' */
/** @import { Installation } from './install.js' */
/** @import { Row } from './report.js' */
/** @import { Workplace } from './workplace.js' */

const group = 'Install'

/**
 * What installing each server in an empty project brings: plant-mock as packed, and the peers.
 * @param {Workplace} work
 * @param {readonly { entrant: Entrant, installation?: Installation }[]} peers
 * @returns {AsyncGenerator<Row>}
 */
export async function* footprint(work, peers) {
  const folder = join(work.folder, 'consumer')
  rmSync(folder, { recursive: true, force: true })
  const ours = await install(work, folder, [await pack(work)])
  const all = [
    { server: oursName, installed: ours },
    ...peers.map(({ entrant, installation }) => ({
      server: entrant.name,
      installed: installation ?? entrant.missing ?? 'not installed',
    })),
  ]
  for (const { server, installed } of all) {
    const row = { group, what: 'size of node_modules', server }
    if (typeof installed === 'string') yield { ...row, skipped: installed }
    else yield { ...row, unit: 'MiB', value: installed.mebibytes }
  }
  for (const { server, installed } of all)
    if (typeof installed !== 'string')
      yield { group, what: 'packages there', server, unit: '', value: installed.packages }
}
