import { HttpResponse, http } from 'msw'
import { bearer } from 'plant-mock'
import { it, test } from 'plant-mock/vitest'
import { afterEach, beforeEach, describe, expect, expectTypeOf, test as plainTest } from 'vitest'

const url = 'https://api.example.com/plants'
const headers = bearer('alice')
const fern = { id: 1, name: 'Nephrolepis exaltata', tag: 'fern' }

const list = async (address = url): Promise<unknown> => (await fetch(address, { headers })).json()
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

  test('exists even if the test does not name plants', async () => {
    expect(await list()).toEqual([])
  })

  test('is new in each retry', { retry: 2 }, async ({ plants, task }) => {
    expect((await create()).status).toBe(201)
    expect(await plants.plants.all()).toHaveLength(1)
    if (task.result?.retryCount !== 2) throw new Error('not yet')
  })

  test.for([1, 2])('is new in each row: %i', async (_, { plants }) => {
    expect((await create()).status).toBe(201)
    expect(await plants.plants.all()).toHaveLength(1)
  })

  it('is available in `it`, too', ({ plants }) => {
    expect(plants.fetch).toBeTypeOf('function')
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

  test('use the mock of their test', async () => {
    expect(await list()).toHaveLength(1)
  })
})

describe('fixtures built on plants', () => {
  const extendedTest = test.extend<{ created: number }>({
    created: [
      async ({ plants: _ }, use) => {
        await use((await create()).status)
        expect(await list()).toHaveLength(1)
      },
      { auto: true },
    ],
  })

  extendedTest('use the mock of their test, automatic ones too', async ({ plants }) => {
    expect(await plants.plants.all()).toHaveLength(1)
  })
})

describe('options', () => {
  test.override({ plantMock: { baseUrl: 'https://shop.example/v1', fixtures: [fern] } })

  test('apply to all tests of a describe', async ({ plants }) => {
    expect(await list('https://shop.example/v1/plants')).toHaveLength(1)
    expect(await plants.requests.count()).toBe(1)
  })

  describe('in a nested describe', () => {
    test.override('plantMock', ({ plantMock }) => ({ ...plantMock, assume: { 'list.order': 'newest' } }))

    test('can extend those outside', async ({ plants }) => {
      expect(await list('https://shop.example/v1/plants')).toHaveLength(1)
      expect(await plants.assumptions()).toMatchObject({ 'list.order': 'newest' })
    })
  })

  const extended = test.extend({ plantMock: { assume: { 'create.status': 200 } } })
  extended('can be set by test.extend', async () => {
    expect((await create()).status).toBe(200)
  })

  test('have types', ({ plantMock }) => {
    expectTypeOf(plantMock.baseUrl).toEqualTypeOf<string | undefined>()
    // @ts-expect-error Unknown value.
    test.override.bind(test, { plantMock: { assume: { 'create.status': 418 } } })
  })
})

describe('other services', () => {
  const stock = 'https://stock.example/count'
  const respondWith = (count: number) => http.get(stock, () => HttpResponse.json({ count }))

  describe('in the options', () => {
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
})

plainTest("Vitest's own test is unaffected", async ({ task }) => {
  await expect(fetch('http://127.0.0.1:2/plants')).rejects.toThrow('fetch failed')
  expect(task.meta).toEqual({})
})
