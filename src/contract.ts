export { type AssumptionFile, assumptionFileSchema } from './core/assumptions/file.ts'
export { type OperationId, operationIds } from './core/assumptions/operation-ids.ts'
export { checkAssume, parseAssume } from './core/assumptions/parse.ts'
export {
  allValuesOf,
  assumptionRegistry,
  defaultAssumptions,
  findAssumption,
  valuesOf,
} from './core/assumptions/registry.ts'
export { type ProblemType, problemTypes, problemUri } from './core/contract/problems.ts'
export { fixtureFileSchema } from './core/contract/schemas.ts'
export { type ContractSection, contractSection, contractSections } from './core/contract/sections.ts'
export { openApiDocument } from './core/operations/openapi.ts'
export { operationSummaries as operations } from './core/operations/operations.ts'
