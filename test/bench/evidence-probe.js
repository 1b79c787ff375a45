/**
 * Plays short tests, each with a mock of its own behind msw: a list, a create, a list. Each message is a number of tests,
 * and the reply is the user CPU time of one in microseconds. Usage, with an IPC channel: node evidence-probe.js
 */
import { setupServer } from 'msw/node'
import { createPlantMock } from 'plant-mock'
import { plantHandlers } from 'plant-mock/msw'
import { plantArray } from './fixtures.js'
import { plantText } from './load.js'
import { headers } from './server.js'

const plantsUrl = 'https://api.example.com/plants'
const fixtures = JSON.parse(plantArray(24))
const sentHeaders = { ...headers, 'content-type': 'application/json' }
const server = setupServer()
server.listen({ onUnhandledRequest: 'error' })

const playTest = async () => {
  server.use(...plantHandlers(createPlantMock({ fixtures }), { baseUrl: 'https://api.example.com' }))
  for (const init of [{ headers }, { method: 'POST', headers: sentHeaders, body: plantText(1_000_000) }, { headers }]) {
    const response = await fetch(plantsUrl, init)
    if (!response.ok) throw new Error(`A request failed with status ${response.status}.`)
    await response.json()
  }
  server.resetHandlers()
}

process.on('message', async (count) => {
  const before = process.cpuUsage()
  for (let i = 0; i < Number(count); i++) await playTest()
  process.send?.(process.cpuUsage(before).user / Number(count))
})
process.send?.('ready')
