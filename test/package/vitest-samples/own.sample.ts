import { bearer } from 'plant-mock'
import { test } from 'plant-mock/vitest'
import { describe, expect, expectTypeOf, test as plainTest } from 'vitest'

const url = 'https://api.example.com/plants'
const headers = { ...bearer('alice'), 'Content-Type': 'application/json' }
const body = '{"id":1,"name":"Nephrolepis exaltata","tag":"fern"}'
const create = async () => (await fetch(url, { method: 'POST', headers, body })).status

test('a mock is new in each retry', { retry: 2 }, async ({ plants, task }) => {
  expect(await create()).toBe(201)
  expect(await plants.plants.all()).toHaveLength(1)
  if (task.result?.retryCount !== 2) throw new Error('not yet')
})

const withCreated = test.extend<{ created: number }>({
  created: [
    async ({ plants: _ }, use) => {
      await use(await create())
      expect(await (await fetch(url, { headers })).json()).toHaveLength(1)
    },
    { auto: true },
  ],
})

withCreated('fixtures built on plants use the mock of their test, automatic ones too', async ({ plants }) => {
  expect(await plants.plants.all()).toHaveLength(1)
})

describe('options', () => {
  const extended = test.extend({ plantMock: { assume: { 'create.status': 200 } } })
  extended('can be set by test.extend', async () => {
    expect(await create()).toBe(200)
  })

  test('have types', ({ plantMock }) => {
    expectTypeOf(plantMock.baseUrl).toEqualTypeOf<string | undefined>()
    // @ts-expect-error Unknown value.
    test.override.bind(test, { plantMock: { assume: { 'create.status': 418 } } })
  })
})

plainTest("Vitest's own test is unaffected", async ({ task }) => {
  await expect(fetch('http://127.0.0.1:2/plants')).rejects.toThrow('fetch failed')
  expect(task.meta).toEqual({})
})
