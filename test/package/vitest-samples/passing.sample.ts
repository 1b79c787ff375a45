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

describe('a instance for each test', () => {
  test('it has the plants that the test gives it', async ({ plants }) => {
    await plants.seed([fern])
    expect(await list()).toEqual([{ name: fern.name, tag: fern.tag }])
  })

  test('the next finds none of them, and its requests alone in the journal', async ({ plants }) => {
    expect(await list()).toEqual([])
    expect(await plants.requests.count()).toBe(1)
  })

  test('one that does not ask for plants has a instance too', async () => {
    expect(await list()).toEqual([])
  })

  test('a retry begins anew', { retry: 2 }, async ({ plants, task }) => {
    expect((await create()).status).toBe(201)
    expect(await plants.plants.all()).toHaveLength(1)
    if (task.result?.retryCount !== 2) throw new Error('not yet')
  })

  test.for([1, 2])('so does each row: %i', async (_, { plants }) => {
    expect((await create()).status).toBe(201)
    expect(await plants.plants.all()).toHaveLength(1)
  })

  it('is there under the name of it', ({ plants }) => {
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

  test('are in the instance of their test', async () => {
    expect(await list()).toHaveLength(1)
  })
})

describe('fixtures built on it', () => {
  const own = test.extend<{ created: number }>({
    created: [
      async ({ plants: _ }, use) => {
        await use((await create()).status)
        expect(await list()).toHaveLength(1)
      },
      { auto: true },
    ],
  })

  own('are in the instance of their test, automatic ones too', async ({ plants }) => {
    expect(await plants.plants.all()).toHaveLength(1)
  })
})

describe('options', () => {
  test.override({ plantMock: { baseUrl: 'https://shop.example/v1', fixtures: [fern] } })

  test('hold for all tests of a describe', async ({ plants }) => {
    expect(await list('https://shop.example/v1/plants')).toHaveLength(1)
    expect(await plants.requests.count()).toBe(1)
  })

  describe('further in', () => {
    test.override('plantMock', ({ plantMock }) => ({ ...plantMock, assume: { 'list.order': 'newest' } }))

    test('build on those outside', async ({ plants }) => {
      expect(await list('https://shop.example/v1/plants')).toHaveLength(1)
      expect(await plants.assumptions()).toMatchObject({ 'list.order': 'newest' })
    })
  })

  const extended = test.extend({ plantMock: { assume: { 'create.status': 200 } } })
  extended('may be those of a test of its own', async () => {
    expect((await create()).status).toBe(200)
  })

  test('have types', ({ plantMock }) => {
    expectTypeOf(plantMock.baseUrl).toEqualTypeOf<string | undefined>()
    // @ts-expect-error There is no such value.
    test.override.bind(test, { plantMock: { assume: { 'create.status': 418 } } })
  })
})

describe('other services', () => {
  const stock = 'https://stock.example/count'
  const answer = (count: number) => http.get(stock, () => HttpResponse.json({ count }))

  describe('of the options', () => {
    test.override({ plantMock: { handlers: [answer(3)] } })

    test('answer', async ({ server }) => {
      expect(await list(stock)).toEqual({ count: 3 })
      server.use(answer(4))
      expect(await list(stock)).toEqual({ count: 4 })
      server.resetHandlers()
      expect(await list(stock)).toEqual({ count: 3 })
      expect(await list()).toEqual([])
    })

    test('are as they were for the next test', async () => {
      expect(await list(stock)).toEqual({ count: 3 })
    })
  })
})

plainTest("vitest's own test is left alone", async ({ task }) => {
  await expect(fetch('http://127.0.0.1:2/plants')).rejects.toThrow('fetch failed')
  expect(task.meta).toEqual({})
})
