/**
 * The operations of the plant store service (contract.md, section 4).
 * Everything that needs to know a method or a path reads this table.
 */
export const operations = {
  createPlant: { method: 'POST', path: '/plants', section: '4.1', summary: 'Add a plant to the store' },
  listPlants: {
    method: 'GET',
    path: '/plants',
    section: '4.2',
    summary: 'List the plants the caller may access',
  },
} as const

export type OperationId = keyof typeof operations

/** The one path of the contract; what the service answers elsewhere is the assumption `operation.other`. */
export const plantsPath = '/plants'

/**
 * Methods that `/plants` answers, for `Allow` (RFC 9110, 10.2.1).
 * HEAD goes with every GET (RFC 9110, 9.3.2); OPTIONS says what there is (9.3.7).
 */
export const allowedMethods = [
  ...new Set(
    Object.values(operations).flatMap(({ method }) => (method === 'GET' ? [method, 'HEAD'] : [method])),
  ),
  'OPTIONS',
]
  .sort()
  .join(', ')
