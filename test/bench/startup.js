import { writeFixtures } from './fixtures.js'
import { median, range, ratiosByRound } from './numbers.js'
import { startPlantMock } from './plant-mock.js'
import { noProc, residentMemory } from './proc.js'
import { getList } from './server.js'
import { baselineName, plantMockName } from './targets.js'
import { shortReason } from './workspace.js'

/** @import { Target, Start } from './targets.js' */
/** @import { Aim, Row } from './report.js' */
/** @import { Workspace } from './workspace.js' */

/** @typedef {{ milliseconds: number, memory: { now: number, peak: number } | undefined }} FirstResponse */

/**
 * Measures the time from the start of the process to the end of its first response; the servers take turns.
 * @param {readonly Target[]} targets The first is the baseline.
 * @param {{ coldStarts: number, peerStarts: number }} settings
 * @returns {AsyncGenerator<Row>}
 */
export async function* coldStart(targets, { coldStarts, peerStarts }) {
  const allSeries = targets.map((target) => ({
    target,
    times: /** @type {number[]} */ ([]),
    skipped: target.unavailable,
  }))
  for (const round of range(coldStarts))
    for (const series of allSeries) {
      const { list, prepare, mayFail } = series.target
      if (series.skipped !== undefined || (mayFail && round >= peerStarts)) continue
      try {
        series.times.push((await firstResponse(await prepare(), list)).milliseconds)
      } catch (error) {
        if (!mayFail) throw error
        series.skipped = shortReason(error)
      }
    }

  const baseline = allSeries[0]?.times ?? []
  for (const { target, times, skipped } of allSeries) {
    const row = { group: 'Start', what: 'cold start', server: target.name }
    if (skipped !== undefined) yield { ...row, skipped }
    else if (row.server === baselineName) yield { ...row, unit: 'ms', value: median(times) }
    else
      yield {
        ...row,
        unit: 'ms',
        value: median(times),
        ratio: median(ratiosByRound(times, baseline)),
        against: baselineName,
        ...(row.server === plantMockName && { aim: { of: 'ratio', atMost: 1.25 } }),
      }
  }
}

/** @typedef {{ plants: number, format: 'ndjson' | 'json', ready?: number, memory?: number }} LargeStore */

/**
 * Returns the large stores with their aims: `ready` in milliseconds to the first response, `memory` in MiB.
 * @param {number} million
 * @returns {readonly LargeStore[]}
 */
const largeStores = (million) => [
  { plants: 100_000, format: 'ndjson', ready: 400, memory: 150 },
  { plants: 100_000, format: 'json', ready: 400, memory: 150 },
  { plants: million, format: 'ndjson', ready: 1_500, memory: 400 },
  { plants: million, format: 'json' },
]

/**
 * @param {Workspace} workspace
 * @param {{ largeStarts: number, million: number }} settings
 * @returns {AsyncGenerator<Row>}
 */
export async function* largeStart(workspace, { largeStarts, million }) {
  for (const { plants, format, ...aims } of largeStores(million)) {
    const fixtures = await writeFixtures(workspace.folder, plants, format)
    /** @type {FirstResponse[]} */
    const starts = []
    for (const _ of range(largeStarts))
      starts.push(await firstResponse(() => startPlantMock(workspace, { fixtures }), '/plants?limit=20'))

    const store = `${plants.toLocaleString('en')} plants from .${format}`
    const row = { group: 'Large stores', server: plantMockName }
    yield {
      ...row,
      what: `${store}: first response`,
      unit: 'ms',
      value: median(starts.map(({ milliseconds }) => milliseconds)),
      ...atMost(aims.ready),
    }
    const memories = starts.flatMap(({ memory }) => memory ?? [])
    const what = `${store}: resident memory`
    if (memories.length === 0) yield { ...row, what, skipped: noProc }
    else {
      const unit = /** @type {const} */ ('MiB')
      yield { ...row, what, unit, value: median(memories.map(({ now }) => now)), ...atMost(aims.memory) }
      yield {
        ...row,
        what: `${store}: peak memory`,
        unit,
        value: median(memories.map(({ peak }) => peak)),
      }
    }
  }
}

/**
 * @param {number | undefined} limit
 * @returns {{ aim?: Aim }}
 */
const atMost = (limit) => (limit === undefined ? {} : { aim: { of: 'value', atMost: limit } })

/**
 * @param {Start} start
 * @param {string} list
 * @returns {Promise<FirstResponse>}
 */
const firstResponse = async (start, list) => {
  const began = performance.now()
  const server = await start()
  try {
    await getList(`${server.url}${list}`)
    const milliseconds = performance.now() - began
    return { milliseconds, memory: await residentMemory(server.pid) }
  } finally {
    await server.stop()
  }
}
