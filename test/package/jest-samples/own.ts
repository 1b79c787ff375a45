// `.ci/consumers` runs a copy of this test: without type annotations, the text is valid TypeScript and JavaScript.
import { describe, expect, jest, test as plainTest } from '@jest/globals'
import { bearer, createPlantMock, PlantMockError } from 'plant-mock'
import { connectPlantMock } from 'plant-mock/control'
import { it, test } from 'plant-mock/jest'
import { startPlantMock } from 'plant-mock/node'

const url = 'https://api.example.com/plants'
const headers = bearer('alice')
const fern = { id: 1, name: 'Nephrolepis exaltata', tag: 'fern' }

const list = async (address = url) => (await fetch(address, { headers })).json()

plainTest("a mock responds in Jest's own test, too", async () => {
  expect(await list()).toEqual([])
})

test.each([
  [1, 2],
  [3, 4],
])('a row passes its values: %i, %i', async (first, second, { plants }) => {
  expect(second).toBe(first + 1)
  expect(await plants.plants.all()).toEqual([])
})

it.failing('a test can be meant to fail', async () => {
  expect(await list()).toEqual([fern])
})

describe('retries', () => {
  let attempts = 0
  jest.retryTimes(2)

  test('start with a new mock', async ({ plants }) => {
    attempts++
    await plants.seed([fern])
    expect(await plants.plants.all()).toHaveLength(1)
    expect(attempts).toBe(3)
  })
})

describe('a server', () => {
  test.override({ plantMock: { unhandled: 'bypass', baseUrl: 'https://api.example.com' } })
  const mock = createPlantMock({ fixtures: [fern] })

  test('responds at its address', async () => {
    const { url: address, close } = await startPlantMock({ mock })
    expect(await list(`${address}/plants`)).toHaveLength(1)
    const remote = connectPlantMock(address)
    await remote.assume({ 'list.order': 'newest' })
    await expect(remote.seed([{ tag: 'fern' } as never])).rejects.toBeInstanceOf(PlantMockError)
    await close()
    await expect(remote.reset()).rejects.toThrow(`No mock responds at ${address}`)
  })
})
