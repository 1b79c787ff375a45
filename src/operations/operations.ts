import { type OperationId, operationIds } from '../contract/operation-ids.ts'
import { createPlant } from './create-plant/create-plant.ts'
import { listPlants } from './list-plants/list-plants.ts'
import type { Operation } from './operation.ts'

const table = { createPlant, listPlants } as const satisfies Record<OperationId, Operation>

/** The operations of the plant store service (contract.md, 4). Everything that depends on an operation reads this table. */
export const operations: Readonly<Record<OperationId, Operation>> = table

/** An outcome of an operation. */
export type Outcome = { [Id in OperationId]: keyof (typeof table)[Id]['outcomes'] }[OperationId]

/** The paths of the contract, each once; the assumption `operation.other` decides about all others. */
export const contractPaths: readonly string[] = [...new Set(operationIds.map((id) => operations[id].path))]
