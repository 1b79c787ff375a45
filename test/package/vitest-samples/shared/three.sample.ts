import { test } from 'plant-mock/vitest'
import { expect } from 'vitest'

test.override('plantMock', ({ plantMock }) => ({ ...plantMock, assume: { 'list.order': 'newest' } }))

test('options of a third file take precedence over those of the project', async ({ plants }) => {
  expect(await plants.plants.all()).toEqual([])
  expect(await plants.assumptions()).toMatchObject({ 'list.order': 'newest', 'create.status': 201 })
})
