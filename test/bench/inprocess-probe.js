/**
 * Fetches plants through msw, as many as a message says, and answers each message with the user time that one
 * took in microseconds. Usage, with a channel: node inprocess-probe.js ours|static GET|POST
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

/** A handler that answers with what plant-mock would; of a create it reads the body, as every handler must. */
const staticHandler = async () => {
  const answer = await mock.fetch(url, nextRequest())
  const body = await answer.text()
  /** @type {ResponseInit} */
  const init = { status: answer.status, headers: [...answer.headers] }
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
    if (!response.ok) throw new Error(`${method} was answered ${response.status}.`)
    await response.text()
  }
  process.send?.(process.cpuUsage(before).user / Number(count))
})
process.send?.('ready')
