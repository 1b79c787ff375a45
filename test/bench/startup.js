import { writeFixtures } from './fixtures.js'
import { median, range } from './numbers.js'
import { noProc, residentMemory } from './proc.js'
import { answerOf, startFloor, startOurs } from './server.js'

/** @import { Row } from './report.js' */
/** @import { Server } from './server.js' */
/** @import { Workplace } from './workplace.js' */

/** @typedef {{ milliseconds: number, memory: number | undefined }} Start */

const many = 100_000

/**
 * From the start of the process to the end of its first answer, floor and plant-mock in turns.
 * @param {Workplace} work
 * @param {{ coldStarts: number }} settings
 * @returns {AsyncGenerator<Row>}
 */
export async function* coldStart(work, { coldStarts }) {
  /** @type {{ floor: number[], ours: number[] }} */
  const times = { floor: [], ours: [] }
  for (const _ of range(coldStarts)) {
    times.floor.push((await firstAnswer(() => startFloor(work))).milliseconds)
    times.ours.push((await firstAnswer(() => startOurs(work))).milliseconds)
  }
  const [floor, ours] = [median(times.floor), median(times.ours)]
  yield {
    group: 'Start',
    what: 'Cold start to the first answer, garden',
    unit: 'ms',
    floor,
    ours,
    ratio: ours / floor,
    aim: { of: 'ratio', atMost: 1.3 },
  }
}

/**
 * The same with many plants, from both formats of fixtures.
 * @param {Workplace} work
 * @param {{ largeStarts: number }} settings
 * @returns {AsyncGenerator<Row>}
 */
export async function* largeStart(work, { largeStarts }) {
  for (const format of /** @type {const} */ (['ndjson', 'json'])) {
    const fixtures = await writeFixtures(work.folder, many, format)
    /** @type {Start[]} */
    const starts = []
    for (const _ of range(largeStarts)) starts.push(await firstAnswer(() => startOurs(work, { fixtures })))
    const about = `${many.toLocaleString('en')} plants from .${format}`
    yield {
      group: 'Start',
      what: `${about}: first answer`,
      unit: 'ms',
      ours: median(starts.map(({ milliseconds }) => milliseconds)),
      aim: { of: 'ours', atMost: 400 },
    }
    const memories = starts.flatMap(({ memory }) => memory ?? [])
    const what = `${about}: resident memory`
    if (memories.length === 0) yield { group: 'Start', what, skipped: noProc }
    else yield { group: 'Start', what, unit: 'MiB', ours: median(memories), aim: { of: 'ours', atMost: 150 } }
  }
}

/**
 * @param {() => Promise<Server>} start
 * @returns {Promise<Start>}
 */
const firstAnswer = async (start) => {
  const began = performance.now()
  const server = await start()
  await answerOf(`${server.url}/plants?limit=20`)
  const milliseconds = performance.now() - began
  const memory = await residentMemory(server.pid)
  await server.stop()
  return { milliseconds, memory }
}
