import { type OperationId, operationIds } from '../contract/operation-ids.ts'
import { createPlant } from './create-plant/create-plant.ts'
import { listPlants } from './list-plants/list-plants.ts'
import type { Operation } from './operation.ts'

const table = { createPlant, listPlants } as const satisfies Record<OperationId, Operation>

/** The operations of the plant store service (contract.md, 4). Everything that depends on an operation reads this table. */
export const operations: Readonly<Record<OperationId, Operation>> = table

/** The operations as data: method, path, section and summary. */
export const operationSummaries = Object.fromEntries(
  Object.entries(table).map(([id, { method, path, section, summary }]) => [id, { method, path, section, summary }]),
) as Readonly<Record<OperationId, Pick<Operation, 'method' | 'path' | 'section' | 'summary'>>>

/** An outcome of an operation. */
export type Outcome = { [Id in OperationId]: keyof (typeof table)[Id]['outcomes'] }[OperationId]

/** The paths of the contract, each once; the assumption `operation.other` decides about all others. */
export const contractPaths: readonly string[] = [...new Set(operationIds.map((id) => operations[id].path))]
