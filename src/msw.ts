import { plantHandlers } from './adapters/msw.ts'
import { garden } from './fixtures/garden.ts'
import { createPlantMock } from './mock/create-plant-mock.ts'

export {
  type PlantHandlersOptions,
  plantHandlers,
  type UnhandledStrategy,
  unhandled,
} from './adapters/msw.ts'

/** The mock behind `handlers`. */
export const plantMock = /* @__PURE__ */ createPlantMock({ fixtures: garden })

/** Ready-made handlers for any address, over a mock that starts with the fixture `garden`. */
export const handlers = /* @__PURE__ */ plantHandlers(plantMock)
