/** Processor time of starting servers, and of importing the entry points of the package. */
import { readdirSync } from 'node:fs'
import { cpuTime, residentMemory, run } from './machine.js'
import { median, ratioFields, reasonOf } from './report.js'
import { baseline, plantMock } from './servers.js'

/** @import { Context } from './run.js' */
/** @import { Machine } from './machine.js' */
/** @import { Row } from './report.js' */
/** @import { Subject } from './servers.js' */

/**
 * Measures processes from their start to the end of their first response, in turns with the baseline.
 * @param {Context} context
 * @returns {AsyncGenerator<Row>}
 */
export async function* starts({ machine, settings, peers }) {
  const base = await baseline(machine)
  const ours = plantMock(machine)
  // Node.js 22.8 and later write the compile cache when a process ends by itself.
  await (await ours.start()).stop('SIGTERM')
  const all = [undefined, ...settings.largeStores].map((plants) => ({ subject: ours, plants }))
  for (const subject of peers) all.push({ subject, plants: undefined })
  for (const { subject, plants } of all) {
    const name = plants === undefined ? subject.name : `${subject.name}, ${plants.toLocaleString('en')} plants`
    const row = { group: /** @type {const} */ ('start'), what: '', subject: name }
    try {
      const pairs = await inTurns(settings.starts, { base: () => startOf(base), own: () => startOf(subject, plants) })
      const [value, memory] = [median(pairs.map(({ own }) => own.wall)), median(pairs.map(({ own }) => own.memory))]
      yield { ...row, ...ratioFields(pairs.map(({ base, own }) => own.cpu / base.cpu)), value, unit: 'ms' }
      yield { ...row, group: 'memory', what: 'start', value: memory, unit: 'MiB' }
    } catch (error) {
      if (!subject.isPeer) throw error
      yield { ...row, skipped: reasonOf(error) }
    }
  }
}

/**
 * Measures two subjects in turns; the order reverses each round.
 * @template Figure
 * @param {number} rounds
 * @param {{ base: () => Promise<Figure>, own: () => Promise<Figure> }} subjects
 */
export const inTurns = async (rounds, { base, own }) => {
  const pairs = []
  for (let round = 0; round < rounds; round++) {
    const early = round % 2 === 0 ? await base() : undefined
    const measured = await own()
    pairs.push({ base: early ?? (await base()), own: measured })
  }
  return pairs
}

/**
 * @param {Subject} subject
 * @param {number} [plants]
 */
const startOf = async (subject, plants) => {
  const server = await subject.start(plants)
  try {
    return { cpu: cpuTime(server.pid), wall: server.milliseconds, memory: residentMemory(server.pid) }
  } finally {
    await server.stop()
  }
}

const dist = new URL('../../dist/', import.meta.url)

/**
 * Measures a process that imports an entry point, in turns with an empty process. Some entry points import a peer
 * dependency (msw, vitest).
 * @param {Context} context
 * @returns {AsyncGenerator<Row>}
 */
export async function* imports({ machine, settings }) {
  const entryPoints = readdirSync(dist).filter((file) => file.endsWith('.js') && file !== 'bin.js')
  const subjects = [
    ...entryPoints.map((file) => ({
      subject: file === 'index.js' ? 'plant-mock' : `plant-mock/${file.slice(0, -'.js'.length)}`,
      module: new URL(file, dist).href,
    })),
    { subject: 'msw alone', module: import.meta.resolve('msw') },
  ]
  for (const { subject, module } of settings.quick ? subjects.slice(-1) : subjects) {
    const code = `await import('${module}')`
    const pairs = await inTurns(settings.imports, { base: () => cpuOf(machine, ''), own: () => cpuOf(machine, code) })
    const value = median(pairs.map(({ base, own }) => (own - base) / 1_000))
    const ratio = median(pairs.map(({ base, own }) => own / base))
    yield { group: 'import', what: '', subject, ratio, value, unit: 'ms' }
  }
}

/**
 * Returns the processor time of a process that runs a module, in microseconds.
 * @param {Machine} machine
 * @param {string} code
 */
const cpuOf = async (machine, code) => {
  const print = 'const { user, system } = process.cpuUsage(); console.log(user + system)'
  const command = [process.execPath, '--input-type=module', '--eval', `${code}; ${print}`]
  return Number(await run(machine, command))
}
