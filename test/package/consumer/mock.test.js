import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearer, createPlantMock } from 'plant-mock'
import garden from 'plant-mock/fixtures/garden.json' with { type: 'json' }
import { startPlantMock } from 'plant-mock/node'

const fern = { id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }
const shown = { name: fern.name, tag: fern.tag }
const create = {
  method: 'POST',
  headers: { ...bearer('alice'), 'Content-Type': 'application/json' },
  body: JSON.stringify(fern),
}

test('a mock responds to its fetch method', async () => {
  const mock = createPlantMock()
  const created = await mock.fetch('/plants', create)
  assert.equal(created.status, 201)
  assert.deepEqual(await created.json(), shown)
  assert.deepEqual(await (await mock.fetch('/plants', { headers: bearer('alice') })).json(), [shown])
})

test('fixture files can be imported as JSON', async () => {
  const mock = createPlantMock({ fixtures: garden.plants })
  assert.deepEqual(await mock.plants.all(), garden.plants)
})

test('a server responds at its URL until it is closed', async () => {
  const { url, close } = await startPlantMock({ port: 0, fixtures: ['garden'] })
  assert.equal((await fetch(`${url}/plants`, { ...create, body: '{}' })).status, 400)
  const listed = await fetch(`${url}/plants?limit=2`, { headers: bearer('alice') })
  assert.equal((await listed.json()).length, 2)
  await close()
  await assert.rejects(fetch(`${url}/plants`))
})
