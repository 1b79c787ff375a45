const { test } = require('plant-mock/jest')
const { addPlant, listPlants } = require('./plant-store')

const aloe = { id: 1, name: 'Aloe vera', tag: 'succulent' }

test('lists a plant that was added', async ({ plants }) => {
  await addPlant(aloe)
  expect(await listPlants()).toEqual([{ name: 'Aloe vera', tag: 'succulent' }])
  expect(await plants.violations()).toEqual([])
})

test('fails if the number of the plant is taken', async ({ plants }) => {
  await plants.seed([aloe])
  await expect(addPlant(aloe)).rejects.toThrow('409')
})

describe('a service that is unavailable', () => {
  test.override({ plantMock: { faults: [{ operation: 'listPlants', status: 503 }] } })

  test('fails with its status', async () => {
    await expect(listPlants()).rejects.toThrow('503')
  })
})
