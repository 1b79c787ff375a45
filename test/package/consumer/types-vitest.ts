import { type PlantMockTestOptions, test } from 'plant-mock/vitest'
import { inject } from 'vitest'
import { defineConfig } from 'vitest/config'

export const config = defineConfig({
  test: { provide: { plantMock: { baseUrl: '/api' } } },
})

const options: PlantMockTestOptions = { assume: { 'list.order': 'newest' }, unhandled: 'warn' }
test.override({ plantMock: options })
test.override('plantMock', ({ plantMock }) => ({ ...plantMock, ...inject('plantMock') }))

export const extendedTest = test.extend<{ count: number }>({
  count: async ({ plants }, use) => use(await plants.requests.count()),
})
extendedTest('has types', async ({ count, server }) => {
  server.resetHandlers()
  count.toFixed()
})

// @ts-expect-error Unknown value.
export const wrong: PlantMockTestOptions = { assume: { 'create.status': 418 } }
