export {
  type AssumptionResult,
  type ConformanceOptions,
  type ConformanceReport,
  checkConformance,
  type RuleResult,
} from './conformance/check.ts'
export type { FetchLike } from './conformance/client.ts'
export { renderConformance } from './conformance/report.ts'
export { UnreachableError } from './util/errors.ts'
