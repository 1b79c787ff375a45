import { HttpResponse, http } from 'msw'
import { bearer } from 'plant-mock'
import { it, test } from 'plant-mock/vitest'
import { afterEach, beforeEach, describe, expect } from 'vitest'

// `.ci/consumers.ts` replaces vitest by Jest in this text, and `test.for` by `test.each`.
const url = 'https://api.example.com/plants'
const headers = bearer('alice')
const fern = { id: 1, name: 'Nephrolepis exaltata', tag: 'fern' }

const list = async (address = url) => (await fetch(address, { headers })).json()

describe('a mock for each test', () => {
  test('has the plants that the test gives it', async ({ plants }) => {
    await plants.seed([fern])
    expect(await list()).toEqual([{ name: fern.name, tag: fern.tag }])
  })

  test('is empty in the next test, and its journal has only the requests of that test', async ({ plants }) => {
    expect(await list()).toEqual([])
    expect(await plants.requests.count()).toBe(1)
  })

  test('exists even if the test does not name plants', async () => {
    expect(await list()).toEqual([])
  })

  test.for([1, 2])('is new in each row: %i', async (row, { plants }) => {
    await plants.seed([{ ...fern, id: row }])
    expect(await list()).toHaveLength(1)
  })

  it('is available in `it`, too', ({ plants }) => {
    expect(typeof plants.fetch).toBe('function')
  })
})

describe('hooks', () => {
  test.beforeEach(async ({ plants }) => {
    await plants.seed([fern])
  })
  beforeEach(async () => {
    expect(await list()).toHaveLength(1)
  })
  afterEach(async () => {
    expect(await list()).toHaveLength(1)
  })
  test.afterEach(async ({ plants }) => {
    expect(await plants.plants.all()).toHaveLength(1)
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
