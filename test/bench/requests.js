/** Lists and creates over HTTP: processor time of the baseline to that of a server. */
import { applyLoad, authorization, cpuTime, residentMemory } from './machine.js'
import { median, ratioFields, reasonOf } from './report.js'
import { baseline, plantMock, plantMockWithStore, plantText } from './servers.js'

/** @import { Context } from './run.js' */
/** @import { Machine, Server } from './machine.js' */
/** @import { Row } from './report.js' */
/** @import { Subject } from './servers.js' */

const methods = /** @type {const} */ (['GET', 'POST'])
/** @typedef {typeof methods[number]} Method */
/** @typedef {{ server: Server, list: string }} Target */
/** @typedef {{ perSecond: number, ratio: number, memory: number }} Round */

// Ids of POST requests have the same number of digits, so one template with one Content-Length suffices.
const script = `
function init(args)
  wrk.method = args[1]
  wrk.headers['Authorization'] = args[2]
  if wrk.method == 'GET' then return end
  wrk.headers['Content-Type'] = 'application/json'
  wrk.body = '${plantText("' .. args[3] .. '")}'
  local template = wrk.format()
  local from, to = template:find(args[3], 1, true)
  local before, after, id = template:sub(1, from - 1), template:sub(to + 1), tonumber(args[3])
  function request()
    id = id + 1
    return before .. string.format('%d', id) .. after
  end
end
`

/** Each load of POST requests has its own range of ids. */
const idsPerLoad = 100_000_000

/**
 * Measures plant-mock with 1,000 and more plants, with its request log and with its state in a store, and its peers. The
 * subjects take turns; the order reverses each round.
 * @param {Context} context
 * @returns {AsyncGenerator<Row>}
 */
export async function* requests(context) {
  const { machine, settings, peers } = context
  const base = await baseline(machine)
  const variants = settings.quick
    ? []
    : [plantMock(machine, 'plant-mock, request log on', []), ...(await plantMockWithStore(machine)), ...peers]
  const sizes = [1_000, ...settings.largeStores]
  const all = [
    ...sizes.map((plants) => ({ subject: plantMock(machine), plants })),
    ...variants.map((subject) => ({ subject, plants: 1_000 })),
  ].map((one) => ({ ...one, rounds: /** @type {Record<Method, Round>[]} */ ([]), skipped: '' }))
  for (let round = 0; round < settings.rounds; round++) {
    console.error(`requests: round ${round + 1} of ${settings.rounds}`)
    // Started anew in each round, because processes of the same code differ in what their compiler optimised.
    const floor = { server: await base.start(), list: base.list }
    for (const method of methods) await load(machine, method, floor, settings.warmUp)
    for (const one of round % 2 === 0 ? all : all.toReversed())
      try {
        if (one.skipped === '') one.rounds.push(await measureRound(context, floor, one))
      } catch (error) {
        if (!one.subject.isPeer) throw error
        one.skipped = reasonOf(error)
      }
    await floor.server.stop()
  }
  for (const { subject, plants, rounds, skipped } of all) {
    const name = plants > 1_000 ? `${subject.name}, ${plants.toLocaleString('en')} plants` : subject.name
    for (const method of methods) {
      const row = { group: /** @type {const} */ ('requests'), what: method, subject: name }
      const own = rounds.map((round) => round[method])
      const value = median(own.map(({ perSecond }) => perSecond))
      if (skipped !== '') yield { ...row, skipped }
      else yield { ...row, ...ratioFields(own.map(({ ratio }) => ratio)), value, unit: 'per s' }
    }
    const value = median(rounds.map((round) => round.GET.memory))
    if (skipped === '') yield { group: 'memory', what: 'lists', subject: name, value, unit: 'MiB' }
  }
}

/**
 * Starts a server anew, and loads it in turns with the baseline.
 * @param {Context} context
 * @param {Target} floor
 * @param {{ subject: Subject, plants: number }} own
 * @returns {Promise<Record<Method, Round>>}
 */
const measureRound = async ({ machine, settings }, floor, { subject, plants }) => {
  const own = { server: await subject.start(plants), list: subject.list }
  own.server.kill('SIGSTOP')
  /** @param {Method} method */
  const measure = async (method) => {
    await load(machine, method, own, settings.warmUp, 1)
    const before = await load(machine, method, floor, settings.seconds)
    const { perSecond, micros } = await load(machine, method, own, settings.seconds, 2)
    const after = await load(machine, method, floor, settings.seconds)
    const ratio = (before.micros + after.micros) / 2 / micros
    return { perSecond, ratio, memory: residentMemory(own.server.pid) }
  }
  try {
    return { GET: await measure('GET'), POST: await measure('POST') }
  } finally {
    await own.server.stop()
  }
}

/**
 * @param {Machine} machine
 * @param {Method} method
 * @param {Target} target
 * @param {number} seconds
 * @param {number} [range] Of the ids of POST requests.
 * @returns {Promise<{ perSecond: number, micros: number }>} Responses, and the processor time of each.
 */
const load = async (machine, method, { server, list }, seconds, range = 1) => {
  if (seconds === 0) return { perSecond: 0, micros: 0 }
  const url = `${server.url}${method === 'GET' ? list : '/plants'}`
  const args = [method, authorization, String(range * idsPerLoad)]
  server.kill('SIGCONT')
  const before = cpuTime(server.pid)
  const { responses, failed, perSecond } = await applyLoad(machine, url, seconds, script, args)
  const micros = (cpuTime(server.pid) - before) / responses
  server.kill('SIGSTOP')
  // An error response costs less than the response that it replaces.
  if (failed > 0) throw new Error(`${failed} of ${responses} ${method} requests failed`)
  return { perSecond, micros }
}
