/**
 * Calls in one process: `mock.fetch` and the handlers of msw beside static ones with the same response, and what a test
 * suite does for each test. As a program, it prints the processor time of one call in microseconds.
 * Usage: node inprocess.js KIND GET|POST MILLISECONDS
 */
import { pathToFileURL } from 'node:url'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { createPlantMock } from 'plant-mock'
import { garden } from 'plant-mock/fixtures'
import { plantHandlers } from 'plant-mock/msw'
import { authorization, benchFile, run } from './machine.js'
import { median, ratioFields } from './report.js'
import { plantsOf, plantText } from './servers.js'
import { inTurns } from './start.js'

/** @import { Context } from './run.js' */
/** @import { Row } from './report.js' */

/** @typedef {'GET' | 'POST'} Method */
/** @typedef {() => unknown} Call */

const baseUrl = 'https://api.example.com'
const plantsUrl = `${baseUrl}/plants`
const createMock = () => createPlantMock({ fixtures: plantsOf(1_000) })

/**
 * Returns a function that makes the next request.
 * @param {Method} method
 * @returns {() => Request}
 */
const requestsOf = (method) => {
  if (method === 'GET') return () => new Request(`${plantsUrl}?limit=20`, { headers: { authorization } })
  let id = 1_000_000
  const headers = { authorization, 'content-type': 'application/json' }
  return () => new Request(plantsUrl, { method, headers, body: plantText(++id) })
}

/**
 * @param {Method} method
 * @param {(request: Request) => Response | Promise<Response>} send
 * @returns {Call}
 */
const callsOf = (method, send) => {
  const nextRequest = requestsOf(method)
  return async () => {
    const response = await send(nextRequest())
    if (!response.ok) throw new Error(`${method} failed with status ${response.status}.`)
    return response.text()
  }
}

/**
 * Returns a handler with the response of plant-mock. It reads the body of a create, as any handler must.
 * @param {Method} method
 * @returns {Promise<(request: Request) => Promise<HttpResponse<string>>>}
 */
const staticHandler = async (method) => {
  const response = await createMock().fetch(requestsOf(method)())
  const [{ status }, headers, body] = [response, [...response.headers], await response.text()]
  return async (request) => {
    if (method === 'POST') await request.json()
    return new HttpResponse(body, { status, headers })
  }
}

/**
 * @param {Method} method
 * @param {Parameters<typeof setupServer>} handlers
 */
const callsOverMsw = (method, handlers) => {
  setupServer(...handlers).listen({ onUnhandledRequest: 'error' })
  return callsOf(method, fetch)
}

/** @type {Readonly<Record<string, (method: Method) => Call | Promise<Call>>>} */
const kinds = {
  'a static fetch handler': async (method) => callsOf(method, await staticHandler(method)),
  'mock.fetch': (method) => callsOf(method, createMock().fetch),
  'a static msw handler': async (method) => {
    const handler = await staticHandler(method)
    return callsOverMsw(method, [http.all(plantsUrl, ({ request }) => handler(request))])
  },
  'plantHandlers(mock)': (method) => callsOverMsw(method, plantHandlers(createMock(), { baseUrl })),
  'createPlantMock()': () => () => createPlantMock({ fixtures: garden }),
  'reset() of 1,000 plants': () => {
    const mock = createMock()
    return () => mock.reset()
  },
}

/** @type {readonly (readonly [kind: string, base: string, what: string])[]} */
const comparisons = [
  ['mock.fetch', 'a static fetch handler', 'GET'],
  ['mock.fetch', 'a static fetch handler', 'POST'],
  ['plantHandlers(mock)', 'a static msw handler', 'GET'],
  ['plantHandlers(mock)', 'a static msw handler', 'POST'],
  ['createPlantMock()', 'a static fetch handler', ''],
  ['reset() of 1,000 plants', 'a static fetch handler', ''],
]

/**
 * Measures each kind in turns with its base, each time in a new process, because processes of the same code differ in
 * what their compiler optimised.
 * @param {Context} context
 * @returns {AsyncGenerator<Row>}
 */
export async function* inProcess({ machine, settings }) {
  /** @type {(kind: string, what: string) => Promise<number>} */
  const timeOf = async (kind, what) => {
    const args = [kind, what, String(settings.callMilliseconds)]
    return Number(await run(machine, [process.execPath, benchFile('inprocess.js'), ...args]))
  }
  for (const [kind, base, what] of settings.quick ? comparisons.slice(0, 1) : comparisons) {
    const pairs = await inTurns(settings.calls, { base: () => timeOf(base, what), own: () => timeOf(kind, what) })
    const ratio = ratioFields(pairs.map(({ base, own }) => own / base))
    const value = median(pairs.map(({ own }) => own))
    yield { group: 'inprocess', what, subject: kind, ...ratio, value, unit: 'µs' }
  }
}

/**
 * Returns the processor time of one call in microseconds; the first half of the calls warms up.
 * @param {Call} call
 * @param {number} milliseconds
 */
const timeCalls = async (call, milliseconds) => {
  let perCall = Number.NaN
  for (const _ of ['warm-up', 'measured']) {
    const [before, end] = [process.cpuUsage(), performance.now() + milliseconds / 2]
    let calls = 0
    for (; performance.now() < end; calls++) await call()
    const { user, system } = process.cpuUsage(before)
    perCall = (user + system) / calls
  }
  return perCall
}

const [, program = '', kind = '', method, milliseconds] = process.argv
const open = kinds[kind]
if (import.meta.url === pathToFileURL(program).href && open !== undefined) {
  const call = await open(method === 'POST' ? 'POST' : 'GET')
  console.log(await timeCalls(call, Number(milliseconds)))
  process.exit()
}
