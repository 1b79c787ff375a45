import { expect } from '@jest/globals'
import { bearer } from 'plant-mock'
import { test } from 'plant-mock/jest'

test('a page requests plants', async ({ plants }) => {
  await plants.seed([{ id: 1, name: 'Aloe vera', tag: 'succulent' }])
  const response = await fetch('https://api.example.com/plants', { headers: bearer('alice') })
  const shelf = document.createElement('ul')
  for (const { name } of await response.json()) shelf.append(name)
  expect(shelf.outerHTML).toBe('<ul>Aloe vera</ul>')
})
