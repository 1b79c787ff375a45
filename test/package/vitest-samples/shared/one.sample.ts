import { bearer } from 'plant-mock'
import { test } from 'plant-mock/vitest'
import { expect } from 'vitest'

const aloe = { id: 1, name: 'Aloe vera', tag: 'succulent' }
test.override('plantMock', ({ plantMock }) => ({ ...plantMock, fixtures: [aloe] }))

test('options of one file are merged with those of the project', async ({ plants }) => {
  const response = await fetch('https://api.example.com/plants', { headers: bearer('alice') })
  expect(await response.json()).toHaveLength(1)
  expect(await plants.assumptions()).toMatchObject({ 'list.order': 'added', 'create.status': 200 })
})
