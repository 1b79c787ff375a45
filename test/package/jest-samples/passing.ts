// For .ci/consumers, which copies it as a test: an ES module in TypeScript that is JavaScript, too.
import { beforeEach, describe, expect, jest, test as plainTest } from '@jest/globals'
import { HttpResponse, http } from 'msw'
import { bearer, createPlantMock, PlantMockError } from 'plant-mock'
import { connectPlantMock } from 'plant-mock/control'
import { it, test } from 'plant-mock/jest'
import { startPlantMock } from 'plant-mock/node'

const url = 'https://api.example.com/plants'
const headers = bearer('alice')
const fern = { id: 1, name: 'Nephrolepis exaltata', tag: 'fern' }

const list = async (address = url) => (await fetch(address, { headers })).json()
const create = () =>
  fetch(url, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(fern),
  })

describe('a mock for each test', () => {
  test('has the plants that the test gives it', async ({ plants }) => {
    await plants.seed([fern])
    expect(await list()).toEqual([{ name: fern.name, tag: fern.tag }])
  })

  test('is empty in the next test, and its journal has only the requests of that test', async ({ plants }) => {
    expect(await list()).toEqual([])
    expect(await plants.requests.count()).toBe(1)
  })

  plainTest("responds in Jest's own test, too", async () => {
    expect(await list()).toEqual([])
  })

  test.each([1, 2])('is new in each row: %i', async (row, { plants }) => {
    expect((await create()).status).toBe(201)
    expect(await plants.plants.all()).toHaveLength(1)
    expect(row).toBeGreaterThan(0)
  })

  test.each([
    [1, 2],
    [3, 4],
  ])('passes the values of a row: %i, %i', async (first, second, { plants }) => {
    expect(second).toBe(first + 1)
    expect(await plants.plants.all()).toEqual([])
  })

  it('is available in `it`, too', ({ plants }) => {
    expect(typeof plants.fetch).toBe('function')
  })

  it.failing('can be meant to fail', async () => {
    expect(await list()).toEqual([fern])
  })
})

describe('retries', () => {
  let attempts = 0
  jest.retryTimes(2)

  test('start with a new mock', async ({ plants }) => {
    attempts++
    expect((await create()).status).toBe(201)
    expect(await plants.plants.all()).toHaveLength(1)
    expect(attempts).toBe(3)
  })
})

describe('hooks', () => {
  test.beforeEach(async ({ plants }) => {
    await plants.seed([fern])
  })
  beforeEach(async () => {
    expect(await list()).toHaveLength(1)
  })
  test.afterEach(async ({ plants }) => {
    expect(await plants.plants.all()).toHaveLength(1)
    expect(await list()).toHaveLength(1)
  })

  test('use the mock of their test', async () => {
    expect(await list()).toHaveLength(1)
  })
})

describe('options', () => {
  test.override({ plantMock: { baseUrl: 'https://shop.example/v1', fixtures: [fern] } })

  test('apply to all tests of a describe', async ({ plants, plantMock }) => {
    expect(await list('https://shop.example/v1/plants')).toHaveLength(1)
    expect(await plants.requests.count()).toBe(1)
    expect(plantMock.baseUrl).toBe('https://shop.example/v1')
  })

  describe('in a nested describe', () => {
    test.override('plantMock', ({ plantMock }) => ({ ...plantMock, assume: { 'list.order': 'newest' } }))

    test('can extend those outside', async ({ plants }) => {
      expect(await list('https://shop.example/v1/plants')).toHaveLength(1)
      expect(await plants.assumptions()).toMatchObject({ 'list.order': 'newest' })
    })
  })

  test('end with their describe', async ({ plants }) => {
    expect(await plants.assumptions()).toMatchObject({ 'list.order': 'added' })
  })
})

describe('other services', () => {
  const stock = 'https://stock.example/count'
  const respondWith = (count: number) => http.get(stock, () => HttpResponse.json({ count }))
  test.override({ plantMock: { handlers: [respondWith(3)] } })

  test('are mocked by handlers', async ({ server }) => {
    expect(await list(stock)).toEqual({ count: 3 })
    server.use(respondWith(4))
    expect(await list(stock)).toEqual({ count: 4 })
    server.resetHandlers()
    expect(await list(stock)).toEqual({ count: 3 })
    expect(await list()).toEqual([])
  })

  test('are unchanged for the next test', async () => {
    expect(await list(stock)).toEqual({ count: 3 })
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
