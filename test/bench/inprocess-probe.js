/**
 * Sends requests through msw: each message is a number of requests, and the reply is the user CPU time of one in
 * microseconds. Usage, with an IPC channel: node inprocess-probe.js ours|static GET|POST
 */
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { createPlantMock } from 'plant-mock'
import { plantHandlers } from 'plant-mock/msw'
import { plantArray } from './fixtures.js'
import { plantText } from './load.js'
import { headers } from './server.js'

const [, , kind, method = 'GET'] = process.argv
const baseUrl = 'https://api.example.com'
const plantsUrl = `${baseUrl}/plants`

const mock = createPlantMock({ fixtures: JSON.parse(plantArray(1_000)) })

let id = 1_000_000
const url = method === 'GET' ? `${plantsUrl}?limit=20` : plantsUrl
/** @returns {RequestInit} */
const nextRequest = () =>
  method === 'GET'
    ? { headers }
    : { method, headers: { ...headers, 'content-type': 'application/json' }, body: plantText(++id) }

/** Returns a handler with the same response as plant-mock. For a create it reads the body, as any handler must. */
const staticHandler = async () => {
  const response = await mock.fetch(url, nextRequest())
  const body = await response.text()
  /** @type {ResponseInit} */
  const init = { status: response.status, headers: [...response.headers] }
  return method === 'GET'
    ? http.get(plantsUrl, () => new HttpResponse(body, init))
    : http.post(plantsUrl, async ({ request }) => {
        await request.json()
        return new HttpResponse(body, init)
      })
}

const server = setupServer(...(kind === 'ours' ? plantHandlers(mock, { baseUrl }) : [await staticHandler()]))
server.listen({ onUnhandledRequest: 'error' })

process.on('message', async (count) => {
  const before = process.cpuUsage()
  for (let i = 0; i < Number(count); i++) {
    const response = await fetch(url, nextRequest())
    if (!response.ok) throw new Error(`${method} failed with status ${response.status}.`)
    await response.text()
  }
  process.send?.(process.cpuUsage(before).user / Number(count))
})
process.send?.('ready')
