export { bearer } from './adapters/bearer.ts'
export { createPlantMock, type PlantMock } from './adapters/fetch.ts'
export { underVariations } from './behaviour/under-variations.ts'
export { type Variation, type VariationOptions, variations } from './behaviour/variations.ts'
export {
  type Assume,
  type Assumption,
  type AssumptionId,
  type Assumptions,
  type AssumptionValue,
  defaultAssumptions,
  register,
} from './contract/assumptions.ts'
export { PlantMockError } from './contract/errors.ts'
export type { ProblemDocument, ProblemType } from './contract/problems.ts'
export type { Caller, FixturePlant, NewPlant, Plant } from './contract/schemas.ts'
export type { PlantMockOptions, Plants } from './mock/world.ts'
export { memoryStore } from './store/memory-store.ts'
export type {
  CreateResult,
  ListOptions,
  MaybePromise,
  OnDuplicate,
  PlantStore,
  StoredPlant,
} from './store/plant-store.ts'
