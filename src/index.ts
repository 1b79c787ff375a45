export { bearer } from './adapters/bearer.ts'
export { createPlantMock, type LocalPlantMock } from './adapters/fetch.ts'
export type { Delay, Fault } from './behaviour/fault.ts'
export type { SetFault } from './behaviour/faults.ts'
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
export { addCoverage, type Coverage, type CoverageRow, renderCoverage } from './mock/coverage.ts'
export type { JournalEntry, JournalLine, Message, RequestFilter } from './mock/journal-entry.ts'
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
export type { Departure, Exchange, Origin, Reply } from './service/exchange.ts'
export { memoryStore } from './store/memory-store.ts'
export type {
  CreateResult,
  ListOptions,
  MaybePromise,
  OnDuplicate,
  PlantStore,
  StoredPlant,
} from './store/plant-store.ts'
