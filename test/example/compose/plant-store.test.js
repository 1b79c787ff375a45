import { deepEqual, rejects } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { connectPlantMock } from 'plant-mock/control'
import { plantStore } from './plant-store.js'

const { REPLICAS = 'http://127.0.0.1:4010 http://127.0.0.1:4011' } = process.env
const replicas = REPLICAS.split(' ')
const key = readFileSync(new URL('control-key.txt', import.meta.url), 'utf8').trim()
const mock = connectPlantMock(replicas[0], { key })
const rose = { id: 700, name: 'Rosa gallica', tag: 'flower' }

test('a plant that one replica creates is in the list of each', async () => {
  await mock.replaceFixtures([])
  const stores = replicas.map((url) => plantStore(url, 'alice'))
  await stores[0].add(rose)
  for (const store of stores) deepEqual(await store.list(), [{ name: 'Rosa gallica', tag: 'flower' }])
  for (const store of stores) await rejects(store.add(rose), /409/)
})
