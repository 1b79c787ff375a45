import { cleanup, render, screen } from '@testing-library/react'
import { test } from 'plant-mock/vitest'
import { afterEach, expect } from 'vitest'
import { PlantList } from './plant-list.tsx'

afterEach(cleanup)

test('shows the plants that the caller may access', async ({ plants }) => {
  await plants.seed([
    { id: 1, name: 'Aloe vera', tag: 'succulent' },
    { id: 2, name: 'Secret rose', tag: 'flower', access: ['bob'] },
  ])
  render(<PlantList />)
  const items = await screen.findAllByRole('listitem')
  expect(items.map(({ textContent }) => textContent)).toEqual(['Aloe vera, succulent'])
})

test('shows why the list failed', async ({ plants }) => {
  await plants.fail({ operation: 'listPlants', status: 503 })
  render(<PlantList />)
  expect((await screen.findByRole('alert')).textContent).toContain('503')
})

test('sends one request, which keeps the contract', async ({ plants }) => {
  render(<PlantList />)
  await screen.findByRole('list')
  expect(await plants.requests.all()).toMatchObject([{ url: '/plants?limit=10', status: 200 }])
  expect(await plants.violations()).toEqual([])
})
