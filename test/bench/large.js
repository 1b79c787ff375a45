import { ratioFields, ratiosByRound } from './compare.js'
import { writeFixtures } from './fixtures.js'
import { median, spreadOf } from './numbers.js'
import { measurePairs } from './pairs.js'
import { startPlantMock } from './plant-mock.js'
import { noProc } from './proc.js'
import { firstResponse } from './ready.js'
import { benchFile } from './server.js'
import { plantMockName } from './targets.js'
import { readOutput } from './workspace.js'

/** @import { Context } from './groups.js' */
/** @import { FirstResponse } from './ready.js' */
/** @import { Aim, Row } from './report.js' */
/** @import { Workspace } from './workspace.js' */

/**
 * A large store and its aims.
 * @typedef {object} LargeStore
 * @property {number} plants
 * @property {'ndjson' | 'json'} format
 * @property {boolean} [access] Whether each plant has an access list.
 * @property {number} [ready] The ratio of the first response to reading and parsing the file.
 * @property {number} [memory] In MiB.
 */

/**
 * @param {number} million
 * @returns {readonly LargeStore[]}
 */
const largeStores = (million) => [
  { plants: 100_000, format: 'ndjson', access: true, ready: 2, memory: 100 },
  { plants: 100_000, format: 'ndjson' },
  { plants: 100_000, format: 'json' },
  { plants: million, format: 'ndjson', access: true, ready: 1.7, memory: 300 },
  { plants: million, format: 'ndjson' },
  { plants: million, format: 'json' },
]

/**
 * Measures the time until the first response from a large file, in turns with a process that reads the file and parses
 * its plants, and the memory after that response.
 * @param {Context} context
 * @returns {AsyncGenerator<Row>}
 */
export async function* largeStart({ workspace, settings, round }) {
  for (const { plants, format, access = false, ...aims } of largeStores(settings.million)) {
    const fixtures = await writeFixtures(workspace.folder, plants, format, { access })
    const { base, ours } = await measurePairs(round, settings.largeStarts, {
      base: () => parseFile(workspace, fixtures),
      ours: () => firstResponse(() => startPlantMock(workspace, { fixtures }), '/plants?limit=20'),
    })
    const store = `${plants.toLocaleString('en')} plants${access ? ' with access' : ''} from .${format}`
    yield* storeRows(store, base, ours, aims)
  }
}

/**
 * @param {Workspace} workspace
 * @param {string} file
 * @returns {Promise<FirstResponse>}
 */
const parseFile = async (workspace, file) => {
  const began = performance.now()
  await readOutput(workspace.spawn([process.execPath, benchFile('parse-file.js'), file]))
  return { milliseconds: performance.now() - began, memory: undefined }
}

/**
 * @param {string} store
 * @param {readonly FirstResponse[]} base
 * @param {readonly FirstResponse[]} ours
 * @param {Pick<LargeStore, 'ready' | 'memory'>} aims
 * @returns {Generator<Row>}
 */
function* storeRows(store, base, ours, aims) {
  const row = { group: 'Large stores', server: plantMockName }
  const [baseTimes, times] = [base, ours].map((starts) => starts.map(({ milliseconds }) => milliseconds))
  yield {
    ...{ ...row, what: `${store}: first response`, unit: 'ms', value: median(times ?? []) },
    ...ratioFields(ratiosByRound(times ?? [], baseTimes ?? [])),
    against: 'parsing the file',
    ...atMost('ratio', aims.ready),
  }
  const memories = ours.flatMap(({ memory }) => memory ?? [])
  const what = `${store}: resident memory`
  if (memories.length === 0) yield { ...row, what, skipped: noProc }
  else {
    const { median: value, range: valueRange } = spreadOf(memories.map(({ now }) => now))
    yield { ...row, what, unit: 'MiB', value, valueRange, ...atMost('value', aims.memory) }
    const peak = median(memories.map(({ peak }) => peak))
    yield { ...row, what: `${store}: peak memory`, unit: 'MiB', value: peak }
  }
}

/**
 * @param {Aim['of']} figure
 * @param {number | undefined} limit
 * @returns {{ aim?: Aim }}
 */
const atMost = (figure, limit) => (limit === undefined ? {} : { aim: { of: figure, atMost: limit } })
