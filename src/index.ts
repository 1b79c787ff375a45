export {
  type Assume,
  type Assumption,
  type AssumptionId,
  type Assumptions,
  type AssumptionValue,
  assumptionRegistry,
  defaultAssumptions,
} from './assumptions/registry.ts'
export { underVariations } from './assumptions/under-variations.ts'
export { type Variation, type VariationOptions, variations } from './assumptions/variations.ts'
export type { OperationId } from './contract/operation-ids.ts'
export type { ProblemDocument, ProblemType } from './contract/problems.ts'
export type { Caller, FixturePlant, NewPlant, Plant } from './contract/schemas.ts'
export type { Violation } from './contract/violation.ts'
export type { Delay, Fault } from './faults/fault.ts'
export type { ActiveFault } from './faults/faults.ts'
export type { ShippedFixture } from './fixtures/shipped.ts'
export { bearer } from './http/bearer.ts'
export type { FaultKind } from './http/reply.ts'
export type { JournalEntry, JournalLine, Message, RequestFilter } from './journal/entry.ts'
export type { JournalSource } from './journal/recorded.ts'
export { addCoverage, type Coverage, type CoverageRow, renderCoverage } from './mock/coverage.ts'
export { createPlantMock, type LocalPlantMock } from './mock/create-plant-mock.ts'
export type { PlantMockOptions } from './mock/options.ts'
export type { PlantFields, PlantMatch, PlantPatch } from './mock/plant-filter.ts'
export type {
  PlantMock,
  Plants,
  RecordedViolation,
  RequestMatch,
  Requests,
  Session,
  Sessions,
  WaitOptions,
} from './mock/plant-mock.ts'
export { memoryStore } from './store/memory-store.ts'
export type {
  CreateResult,
  ListOptions,
  OnDuplicate,
  PlantChanges,
  PlantStore,
  StoredPlant,
} from './store/plant-store.ts'
export { PlantMockError } from './util/errors.ts'
export type { MaybePromise } from './util/maybe-promise.ts'
