import { cleanup, render, screen } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { createPlantMock } from 'plant-mock'
import { plantHandlers, unhandled } from 'plant-mock/msw'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { PlantList } from './plant-list.tsx'

// For a project with its own msw server: adds the handlers of the mock to that server.
const mock = createPlantMock({ fixtures: [{ id: 1, name: 'Aloe vera', tag: 'succulent' }] })
const server = setupServer(
  ...plantHandlers(mock),
  http.get('https://stock.example.com/count', () => HttpResponse.json({ count: 3 })),
)

beforeAll(() => server.listen(unhandled('error')))
afterEach(() => {
  cleanup()
  server.resetHandlers()
  return mock.reset()
})
afterAll(() => server.close())

test('shows the fixtures of the mock', async () => {
  render(<PlantList />)
  expect((await screen.findByRole('listitem')).textContent).toBe('Aloe vera, succulent')
  expect(await (await fetch('https://stock.example.com/count')).json()).toEqual({ count: 3 })
})
