import { plantHandlers } from './adapters/msw.ts'
import { garden } from './fixtures/garden.ts'
import { createPlantMock, type LocalPlantMock } from './mock/create-plant-mock.ts'
import { shared } from './util/shared.ts'

export { type PlantHandlersOptions, plantHandlers, type UnhandledStrategy, unhandled } from './adapters/msw.ts'

/** The mock that `handlers` use, with the plants of the fixture `garden`. */
export const plantMock: LocalPlantMock = /* @__PURE__ */ shared('plantMock', () =>
  createPlantMock({ fixtures: garden }),
)

/** Ready-made handlers for `/plants` at any address. */
export const handlers = /* @__PURE__ */ plantHandlers(plantMock)
