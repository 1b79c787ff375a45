import { setupServer } from 'msw/node'
import { createPlantMock } from 'plant-mock'
import { plantHandlers, unhandled } from 'plant-mock/msw'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { listPage, plantClient } from './plants.ts'

const baseUrl = 'https://plants.example'
const mock = createPlantMock({
  fixtures: [
    { id: 3, name: 'Monstera deliciosa', tag: 'tropical' },
    { id: 2, name: 'Ficus lyrata', tag: 'tree' },
    { id: 1, name: 'Aloe vera', tag: 'succulent' },
  ],
})
const server = setupServer(...plantHandlers(mock, { baseUrl }))
beforeAll(() => server.listen(unhandled('error')))
afterEach(() => mock.reset())
afterAll(() => server.close())

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
