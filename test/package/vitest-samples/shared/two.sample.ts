import { bearer } from 'plant-mock'
import { test } from 'plant-mock/vitest'
import { describe, expect, test as plainTest } from 'vitest'

const list = () => fetch('http://127.0.0.1:2/plants', { headers: bearer('alice') })

describe('another file of the same process', () => {
  test('has separate mocks', async ({ plants }) => {
    expect(await (await list()).json()).toEqual([])
    expect(await plants.requests.count()).toBe(1)
  })
})

plainTest('releases the network after its tests', async () => {
  await expect(list()).rejects.toThrow('fetch failed')
})
