import type { Concern, Part } from './form.ts'
import { type AssumptionId, type AssumptionValue, assumptionRegistry, rowOf } from './registry.ts'
import type { rows } from './rows.ts'

type Rows = typeof rows

export type FormId = {
  [Id in AssumptionId]: Rows[Id]['decides'] extends { readonly failures: 'form' } ? Id : never
}[AssumptionId]

export const pointsOf = (concern: Concern, ...parts: readonly Part[]): readonly AssumptionId[] =>
  assumptionRegistry.map(({ id }) => id).filter((id) => parts.some((part) => rowOf(id).decides[concern] === part))

export const pointsBehind = (concerns: readonly Concern[]): readonly AssumptionId[] =>
  assumptionRegistry.map(({ id }) => id).filter((id) => concerns.some((one) => rowOf(id).decides[one] !== undefined))

export const decidesPart = (id: AssumptionId, ...parts: readonly Part[]): boolean =>
  Object.values(rowOf(id).decides).some((part) => parts.includes(part))

export const formAssumptions = pointsOf('failures', 'form') as readonly FormId[]

export const isForm = (id: AssumptionId): boolean => rowOf(id).decides.failures === 'form'

export const baseOf = (id: AssumptionId, value: AssumptionValue | undefined): AssumptionId | undefined =>
  rowOf(id).relative?.[String(value)]

export const bases: ReadonlyMap<AssumptionId, AssumptionId> = new Map(
  assumptionRegistry.flatMap(({ id }) => Object.values(rowOf(id).relative ?? {}).map((base) => [id, base] as const)),
)

export const dependentsOf = (base: AssumptionId): readonly AssumptionId[] =>
  [...bases].filter(([, one]) => one === base).map(([id]) => id)
