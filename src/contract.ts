export { type AssumptionFile, assumptionFileSchema } from './assumptions/file.ts'
export { checkAssume, parseAssume } from './assumptions/parse.ts'
export {
  allValuesOf,
  assumptionRegistry,
  defaultAssumptions,
  findAssumption,
  valuesOf,
} from './assumptions/registry.ts'
export { fixtureFileSchema } from './contract/json-schema.ts'
export { type OperationId, operationIds } from './contract/operation-ids.ts'
export { type ProblemType, problemTypes, problemUri } from './contract/problems.ts'
export { type ContractSection, contractSection, contractSections } from './contract/sections.ts'
export { openApiDocument } from './operations/openapi.ts'
export { operationSummaries as operations } from './operations/operations.ts'
