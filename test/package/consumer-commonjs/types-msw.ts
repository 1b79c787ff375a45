import { setupServer } from 'msw/node'
import { createPlantMock, type PlantMock } from 'plant-mock'
import { type PlantMockTestOptions, test } from 'plant-mock/jest'
import { handlers, plantHandlers, unhandled } from 'plant-mock/msw'

const mock: PlantMock = createPlantMock()
const serve = (served: PlantMock) => setupServer(...plantHandlers(served, { baseUrl: '/api' }), ...handlers)
serve(mock).listen(unhandled('error'))

const options: PlantMockTestOptions = { assume: { 'list.order': 'newest' }, unhandled: 'warn' }
test.override({ plantMock: options })
test('has types', async ({ plants, server }) => {
  server.resetHandlers()
  const count: number = await plants.requests.count()
  count.toFixed()
})
test.each([[1, 'a']])('has types in each row', (number, text, { plants }) => {
  number.toFixed()
  text.charAt(0)
  plants.session(text)
})

// @ts-expect-error Unknown strategy.
unhandled('fail')
