export type { OperationId } from './core/assumptions/operation-ids.ts'
export {
  type Assume,
  type Assumption,
  type AssumptionId,
  type Assumptions,
  type AssumptionValue,
  assumptionRegistry,
  defaultAssumptions,
} from './core/assumptions/registry.ts'
export { type Variation, type VariationOptions, variations } from './core/assumptions/variations.ts'
export { bearer } from './core/contract/caller.ts'
export type { ProblemDocument, ProblemType } from './core/contract/problems.ts'
export type { FixturePlant, NewPlant, Plant } from './core/contract/schemas.ts'
export type { Violation } from './core/contract/violation.ts'
export type { Delay, Fault } from './core/faults/fault.ts'
export type { ActiveFault } from './core/faults/faults.ts'
export type { FaultKind } from './core/http/reply.ts'
export type { JournalEntry, JournalLine, JournalSource, Message, RequestFilter } from './core/journal/entry.ts'
export { createPlantMock, type LocalPlantMock } from './core/mock/create-plant-mock.ts'
export type { PlantMockOptions } from './core/mock/options.ts'
export type { PlantFields, PlantMatch, PlantPatch } from './core/mock/plant-filter.ts'
export type {
  PlantMock,
  PlantsApi,
  RecordedViolation,
  RequestMatch,
  Requests,
  Session,
  Sessions,
  WaitOptions,
} from './core/mock/plant-mock.ts'
export type { ShippedFixture } from './core/mock/shipped.ts'
export { allowViolation } from './core/operations/override.ts'
export { PlantMockError } from './util/errors.ts'
