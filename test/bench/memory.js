/** Memory and open files of a server under a long load of mixed requests, with clients that send garbage and disappear. */
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { applyLoad, openFiles, residentMemory, send } from './machine.js'
import { median } from './report.js'
import { plantMock, plantText } from './servers.js'

/** @import { Socket } from 'node:net' */
/** @import { Context } from './run.js' */
/** @import { Row } from './report.js' */

/** Headers of the default instance and of the lasting sessions. */
const sessions = [{}, ...Array.from({ length: 20 }, (_, i) => ({ 'plant-mock-session': `lasting ${i}` }))]

/**
 * Lists, creates and invalid requests of 200 callers. In one of five, they name a session: mostly one of the lasting
 * ones, sometimes a new one.
 */
const script = `
local id
local invalid = {
  { 'GET', '/plants?limit=-1' }, { 'GET', '/' .. string.rep('x', 10000) }, { 'DELETE', '/plants' },
  { 'POST', '/plants', '{"id":1' }, { 'POST', '/plants', '"' .. string.rep('x', 1048576) .. '"' },
  { 'POST', '/plants', '{"__proto__":{"x":' .. string.rep('[', 5000) .. string.rep(']', 5000) .. '}}' },
}
function init(args) id = tonumber(args[1]) end
function request()
  local headers = { ['Authorization'] = 'Bearer caller-' .. math.random(200), ['Content-Type'] = 'application/json' }
  local kind = math.random()
  if kind > 0.99 then headers['Plant-Mock-Session'] = 'new ' .. id .. math.random()
  elseif kind > 0.8 then headers['Plant-Mock-Session'] = 'lasting ' .. math.random(0, 19) end
  kind = math.random()
  if kind < 0.6 then return wrk.format('GET', '/plants?limit=' .. math.random(0, 30), headers) end
  local one = invalid[math.random(#invalid)]
  if kind > 0.98 then return wrk.format(one[1], one[2], headers, one[3]) end
  id = id + 1
  return wrk.format('POST', '/plants', headers, '${plantText("' .. id .. '")}')
end
`

/**
 * How far the median memory of the last quarter may exceed that of the second one. In runs of a minute on a busy machine,
 * the difference was up to 23 MiB without a leak, and 117 MiB with the headers of every request leaked.
 */
const maxGrowth = { share: 0.15, mebibytes: 20 }

/**
 * Measures the growth under load, and the files that stay open after it.
 * @param {Context} context
 * @returns {AsyncGenerator<Row>}
 * @throws Error if the memory grows, files stay open or valid requests fail.
 */
export async function* memory({ machine, settings }) {
  const server = await plantMock(machine).start()
  const filesBefore = openFiles(server.pid)
  const faulty = startFaultyClients(Number(new URL(server.url).port))
  /** @type {number[]} */
  const samples = []
  let count = 0
  for (let slice = 1; slice <= settings.slices; slice++) {
    const args = [String(slice * 1_000_000)]
    const { responses, failed } = await applyLoad(machine, server.url, settings.sliceSeconds, script, args)
    if (failed > responses * 0.1) throw new Error(`${failed} of ${responses} requests failed, where 2 % are invalid`)
    count += responses
    samples.push(residentMemory(server.pid))
    // Created plants fill the memory rightly.
    for (const session of sessions) await send(`${server.url}/__plant-mock/reset`, { body: '', headers: session })
  }
  faulty.close()
  // A busy machine takes a while to close the connections of the load. One that leaks stays for ever.
  for (let attempts = 0; openFiles(server.pid) > filesBefore && attempts < 600; attempts++) await delay(100)
  const leftOpen = Math.max(0, openFiles(server.pid) - filesBefore)
  await server.stop()
  const quarter = Math.ceil(samples.length / 4)
  const [second, last] = [median(samples.slice(quarter, 2 * quarter)), median(samples.slice(-quarter))]
  /** @type {(what: string, value: number, unit: string) => Row} */
  const row = (what, value, unit) => ({ group: 'memory', subject: 'plant-mock', what, value, unit })
  yield row(`after ${count.toLocaleString('en')} mixed requests`, last, 'MiB')
  yield row('growth in their second half', last - second, 'MiB')
  yield row(`open files left by ${faulty.opened()} broken connections`, leftOpen, '')
  if (leftOpen > 0) throw new Error(`${leftOpen} files or sockets stay open after the load`)
  // A short load ends before the memory has reached its level.
  if (!settings.quick && last > second * (1 + maxGrowth.share) + maxGrowth.mebibytes)
    throw new Error(`The memory grows from ${second.toFixed()} to ${last.toFixed()} MiB`)
}

/** Incomplete, pipelined and invalid requests. */
const faultyBytes = [
  '',
  'NOISE\r\n\r\n',
  `GET /plants HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}`,
  'GET /plants HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(20),
  'GET /__plant-mock/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
  'POST /plants HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{"id":',
  'POST /plants HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'CONNECT evil.example:80 HTTP/1.1\r\nHost: x\r\n\r\n',
]
const maxOpen = 60

/**
 * Opens a connection every 10 ms that sends faulty bytes; beyond `maxOpen`, the oldest one ends.
 * @param {number} port
 */
const startFaultyClients = (port) => {
  /** @type {Socket[]} */
  const open = []
  let opened = 0
  const connecting = setInterval(() => {
    const socket = connect(port, '127.0.0.1')
    // The server ends most of these connections itself.
    socket.on('error', () => undefined).resume()
    socket.write(faultyBytes[opened % faultyBytes.length] ?? '')
    open.push(socket)
    const oldest = open.length > maxOpen ? open.shift() : undefined
    if (++opened % 2 === 0) oldest?.resetAndDestroy()
    else oldest?.end()
  }, 10)
  return {
    opened: () => opened,
    close() {
      clearInterval(connecting)
      for (const socket of open) socket.destroy()
    },
  }
}
