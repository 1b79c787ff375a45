export const operationIds = ['createPlant', 'listPlants', 'deletePlant'] as const
export type OperationId = (typeof operationIds)[number]

export type Effect = 'adds' | 'lists' | 'removes'
