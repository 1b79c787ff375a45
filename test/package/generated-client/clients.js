// The clients that hey-api and orval generate from openapi.yaml, with a mock that behaves as the document says.
import { bearer } from 'plant-mock'
import { loadAssumptions } from 'plant-mock/node'
import { test as base } from 'plant-mock/vitest'
import { expect } from 'vitest'
import { client } from './hey/client.gen.ts'
import * as hey from './hey/sdk.gen.ts'
import * as orval from './orval/plants.ts'

const test = base.override({ plantMock: { assumptions: await loadAssumptions('openapi.yaml') } })
const asAlice = { headers: bearer('alice') }
client.setConfig({ auth: () => 'alice' })

test('the client of hey-api', async ({ plants }) => {
  const created = await hey.createPlant({ body: { id: 901, name: 'Fern' } })
  expect([created.response?.status, created.data]).toEqual([200, { name: 'Fern' }])
  expect((await hey.listPlants({ query: { limit: 1 } })).data).toEqual([{ name: 'Fern' }])
  const refused = await hey.createPlant({ body: { id: 901, name: 'Fern' } })
  expect([refused.response?.status, refused.error]).toEqual([400, { error: 400, message: expect.any(String) }])
  expect(await plants.requests.count()).toBe(3)
})

test('the client of orval', async ({ plants }) => {
  expect(await orval.createPlant({ id: 902, name: 'Aloe', tag: 'x' }, asAlice)).toMatchObject({
    status: 200,
    data: { name: 'Aloe', tag: 'x' },
  })
  expect((await orval.listPlants({}, asAlice)).data).toEqual([{ name: 'Aloe', tag: 'x' }])
  expect((await orval.listPlants()).data).toMatchObject({ error: 400 })
  expect(await plants.requests.count()).toBe(3)
})

test('the handlers of orval as overrides', async ({ plants, server }) => {
  // Its handler for creates must answer with the plant that was sent (contract 4.1).
  const echo = orval.getCreatePlantMockHandler(async ({ request }) => {
    const { name, tag } = await request.json()
    return { name, tag }
  })
  server.use(orval.getListPlantsMockHandler(), echo)
  expect((await orval.listPlants({}, asAlice)).status).toBe(200)
  expect((await orval.createPlant({ id: 903, name: 'Mint' }, asAlice)).data).toEqual({ name: 'Mint' })
  expect(await plants.plants.all()).toEqual([])
})
