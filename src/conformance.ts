export { type Entries, type Entry, parseEntries } from './assumptions/file.ts'
export {
  type AssumptionResult,
  type ConformanceReport,
  checkConformance,
  type RuleResult,
} from './conformance/check.ts'
export type { CreatedPlant } from './conformance/client.ts'
export { type Change, learn } from './conformance/learned.ts'
export type { ConformanceOptions } from './conformance/options.ts'
export { renderConformance } from './conformance/report.ts'
export type { FetchLike } from './conformance/send-request.ts'
export { UnreachableError } from './util/errors.ts'
