import { setupServer } from 'msw/node'
import { createPlantMock } from 'plant-mock'
import { plantHandlers, unhandled } from 'plant-mock/msw'
import { afterAll, afterEach, beforeAll } from 'vitest'

export const baseUrl = 'https://plants.example'

/** Newest first, which is the order that the authors of the client assume. */
const mock = createPlantMock({
  fixtures: [
    { id: 3, name: 'Monstera deliciosa', tag: 'tropical' },
    { id: 2, name: 'Ficus lyrata', tag: 'tree' },
    { id: 1, name: 'Aloe vera', tag: 'succulent' },
  ],
})
const server = setupServer(...plantHandlers(mock, { baseUrl }))

/** Starts the mock for the calling test file. */
export const usePlantMock = (): void => {
  beforeAll(() => server.listen(unhandled('error')))
  afterEach(() => mock.reset())
  afterAll(() => server.close())
}
