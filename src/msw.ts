import { garden } from './core/fixtures/garden.ts'
import { createPlantMock, type LocalPlantMock } from './core/mock/create-plant-mock.ts'
import { plantHandlers } from './integrations/msw.ts'
import { printRefusals } from './integrations/print-refusals.ts'
import { shared } from './util/shared.ts'

export { type PlantHandlersOptions, plantHandlers, type UnhandledStrategy, unhandled } from './integrations/msw.ts'
export { checkOverrides, type Network, type OverrideWatch } from './integrations/overrides.ts'

/** The mock that `handlers` use, with the fixture `garden`. The console shows refused requests. */
export const plantMock: LocalPlantMock = /* @__PURE__ */ shared('plantMock', () => {
  const mock = createPlantMock({ fixtures: garden })
  printRefusals(mock, (text) => console.warn(`plant-mock: ${text}`))
  return mock
})

/** msw handlers that let `plantMock` respond to requests to `/plants` at any address. */
export const handlers = /* @__PURE__ */ plantHandlers(plantMock)
