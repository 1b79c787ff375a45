import { writeFixtures } from './fixtures.js'
import { plantText } from './load.js'
import { range, spreadOf } from './numbers.js'
import { startPlantMock } from './plant-mock.js'
import { noProc, residentMemory } from './proc.js'
import { createPlant, getList } from './server.js'
import { createPath, plantMockName } from './targets.js'

/** @import { Context } from './groups.js' */
/** @import { Row } from './report.js' */
/** @import { Workspace } from './workspace.js' */

const plants = 100_000
const sessions = 256

/**
 * Measures the resident memory of many sessions over a large store, without that of one session.
 * @param {Context} context
 * @returns {AsyncGenerator<Row>}
 */
export async function* sessionMemory({ workspace, settings }) {
  const what = `${sessions} sessions over ${plants.toLocaleString('en')} plants: memory above that of 1 session`
  const row = { group: 'Sessions', what, server: plantMockName }
  /** @type {number[]} */
  const differences = []
  for (const _ of range(settings.sessionRounds)) {
    const one = await memoryWith(workspace, 1)
    const many = await memoryWith(workspace, sessions)
    if (one !== undefined && many !== undefined) differences.push(many - one)
  }
  const { median: value, range: valueRange } = spreadOf(differences)
  if (differences.length === 0) yield { ...row, skipped: noProc }
  else yield { ...row, unit: 'MiB', value, valueRange, aim: { of: 'value', atMost: 150 } }
}

/**
 * Returns the resident memory in MiB after one list and one create in each session.
 * @param {Workspace} workspace
 * @param {number} count
 */
const memoryWith = async (workspace, count) => {
  const fixtures = await writeFixtures(workspace.folder, plants, 'ndjson')
  const { url, pid, stop } = await startPlantMock(workspace, { fixtures })
  try {
    for (const index of range(count)) {
      const session = { 'plant-mock-session': `session-${index}` }
      await getList(`${url}/plants?limit=20`, session)
      await createPlant(`${url}${createPath}`, plantText(1_000_000), session)
    }
    return (await residentMemory(pid))?.now
  } finally {
    await stop()
  }
}
