import { type PlantMockTestOptions, reportCoverage, test } from 'plant-mock/vitest'
import PlantMockReporter from 'plant-mock/vitest-reporter'
import { inject } from 'vitest'
import { defineConfig } from 'vitest/config'

export const config = defineConfig({
  test: { provide: { plantMock: { baseUrl: '/api' } }, reporters: ['default', new PlantMockReporter()] },
})

const options: PlantMockTestOptions = { assume: { 'list.order': 'newest' }, unhandled: 'warn' }
test.override({ plantMock: options })
test.override('plantMock', ({ plantMock }) => ({ ...plantMock, ...inject('plantMock') }))

export const extendedTest = test.extend<{ count: number }>({
  count: async ({ plants }, use) => use(await plants.requests.count()),
})
extendedTest('has types', async ({ count, plants, server, task }) => {
  server.resetHandlers()
  reportCoverage(plants)
  const rows = task.meta.plantMockCoverage ?? []
  rows.at(0)?.outcome.toUpperCase()
  count.toFixed()
})

// @ts-expect-error Unknown value.
export const wrong: PlantMockTestOptions = { assume: { 'create.status': 418 } }
