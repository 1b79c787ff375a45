import { expect, test } from 'vitest'
import { baseUrl, usePlantMock } from '../server.ts'
import { listPage, plantClient } from './plants.ts'

usePlantMock()
const client = plantClient(baseUrl, 'alice')

test('shows a created plant on top', async () => {
  const created = await client.create({ id: 4, name: 'Hoya carnosa', tag: 'climber' })
  expect(created).toEqual({ name: 'Hoya carnosa', tag: 'climber' })
  expect(listPage(await client.list(), created)).toMatch(/^Newest: Hoya carnosa\n/)
})

test('shows every plant by name', async () => {
  expect(listPage(await client.list())).toBe(
    ['Newest: none yet', '- Aloe vera (succulent)', '- Ficus lyrata (tree)', '- Monstera deliciosa (tropical)'].join(
      '\n',
    ),
  )
})

test('reports a list that failed', async () => {
  await expect(plantClient(baseUrl, '').list()).rejects.toThrow('The plants could not be listed')
})
