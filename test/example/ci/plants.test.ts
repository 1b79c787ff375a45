import { setupServer } from 'msw/node'
import { createPlantMock } from 'plant-mock'
import { plantHandlers, unhandled } from 'plant-mock/msw'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { listPage, plantClient } from './plants.ts'

const baseUrl = 'https://plants.example'
const mock = createPlantMock({
  fixtures: [
    { id: 2, name: 'Ficus lyrata', tag: 'tree' },
    { id: 1, name: 'Aloe vera', tag: 'succulent' },
  ],
})
const server = setupServer(...plantHandlers(mock, { baseUrl }))
beforeAll(() => server.listen(unhandled('error')))
afterEach(() => mock.reset())
afterAll(() => server.close())

const client = plantClient(baseUrl, 'alice')

test('shows a created plant on top', async () => {
  const created = await client.create({ id: 4, name: 'Hoya carnosa', tag: 'climber' })
  expect(created).toEqual({ name: 'Hoya carnosa', tag: 'climber' })
  expect(listPage(await client.list(), created)).toMatch(/^Newest: Hoya carnosa\n/)
})

test('shows every plant by name', async () => {
  expect(listPage(await client.list())).toBe(
    ['Newest: none yet', '- Aloe vera (succulent)', '- Ficus lyrata (tree)'].join('\n'),
  )
})

test('reports a list that failed', async () => {
  await expect(plantClient(baseUrl, '').list()).rejects.toThrow('The plants could not be listed')
})
