export { bearer } from './http/bearer.ts'
export { createPlantMock, type LocalPlantMock } from './mock/create-plant-mock.ts'
export type { Delay, Fault } from './faults/fault.ts'
export type { SetFault } from './faults/faults.ts'
export { underVariations } from './assumptions/under-variations.ts'
export { type Variation, type VariationOptions, variations } from './assumptions/variations.ts'
export {
  type Assume,
  type Assumption,
  type AssumptionId,
  type Assumptions,
  type AssumptionValue,
  defaultAssumptions,
  register,
} from './assumptions/registry.ts'
export { PlantMockError } from './util/errors.ts'
export type { ProblemDocument, ProblemType } from './contract/problems.ts'
export type { Caller, FixturePlant, NewPlant, Plant } from './contract/schemas.ts'
export { addCoverage, type Coverage, type CoverageRow, renderCoverage } from './mock/coverage.ts'
export type { JournalEntry, JournalLine, Message, RequestFilter } from './journal/entry.ts'
export type { PlantMockOptions } from './mock/options.ts'
export type {
  PlantMock,
  Plants,
  RequestMatch,
  Requests,
  Session,
  Sessions,
  Violation,
  WaitOptions,
} from './mock/plant-mock.ts'
export type { Departure, Exchange, Origin, Reply } from './http/exchange.ts'
export { memoryStore } from './store/memory-store.ts'
export type {
  CreateResult,
  ListOptions,
  MaybePromise,
  OnDuplicate,
  PlantStore,
  StoredPlant,
} from './store/plant-store.ts'
