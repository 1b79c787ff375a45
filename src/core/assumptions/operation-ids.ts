/** The operations of the plant store service (contract.md, 4). */
export const operationIds = ['createPlant', 'listPlants', 'deletePlant'] as const
export type OperationId = (typeof operationIds)[number]

/** What a success does with plants. */
export type Effect = 'adds' | 'lists' | 'removes'
