import { expect, test } from 'vitest'
import { baseUrl, usePlantMock } from '../server.ts'
import { listPage, plantClient } from './plants.ts'

usePlantMock()
const client = plantClient(baseUrl, 'alice')

test('creates a plant', async () => {
  expect(await client.create({ id: 4, name: 'Hoya carnosa', tag: 'climber' })).toEqual({
    name: 'Hoya carnosa',
    tag: 'climber',
  })
})

test('shows the newest plant on top', async () => {
  expect(listPage(await client.list())).toMatch(/^Newest: Monstera deliciosa\n/)
})

test('shows every plant', async () => {
  expect(listPage(await client.list()).split('\n')).toHaveLength(4)
})

test('reports a list that failed', async () => {
  await expect(plantClient(baseUrl, '').list()).rejects.toThrow('The plants could not be listed')
})
