import { type OperationId, operationIds } from '../contract/operation-ids.ts'
import type { Exchange } from '../http/exchange.ts'
import { matchPath } from '../http/path-template.ts'
import { createPlant } from './create-plant.ts'
import { listPlants } from './list-plants.ts'
import type { Effect, Operation } from './operation.ts'

/**
 * The operations of the plant store service (contract.md, 4). Everything that depends on an operation reads this table.
 */
export const operations: Readonly<Record<OperationId, Operation>> = { createPlant, listPlants }

/** The operations as data: method, path, section and summary. */
export const operationSummaries = Object.fromEntries(
  Object.entries(operations).map(([id, { method, path, section, summary }]) => [
    id,
    { method, path, section, summary },
  ]),
) as Readonly<Record<OperationId, Pick<Operation, 'method' | 'path' | 'section' | 'summary'>>>

/** The paths of the contract, each once. `operation.other` decides about other methods of these paths. */
export const contractPaths: readonly string[] = [...new Set(operationIds.map((id) => operations[id].path))]

/** The operation that a request asks for; `undefined` outside of the contract. */
export const findOperation = ({ method, path }: Pick<Exchange, 'method' | 'path'>): OperationId | undefined => {
  const wanted = method === 'HEAD' ? 'GET' : method
  for (const id of operationIds)
    if (operations[id].method === wanted && matchPath(operations[id].path, path) !== undefined) return id
  return undefined
}

/** What a successful request does with plants; `undefined` outside of the contract. The path may have a query. */
export const effectOf = ({ method, path }: Pick<Exchange, 'method' | 'path'>): Effect | undefined => {
  const operation = findOperation({ method, path: path.split('?', 1)[0] ?? '' })
  return operation && operations[operation].effect
}

/** Whether the contract has this path, with any method. */
export const isContractPath = (path: string): boolean =>
  contractPaths.some((template) => matchPath(template, path) !== undefined)

/** For `Allow` (RFC 9110, 10.2.1): HEAD goes with GET (9.3.2), and OPTIONS with every path (9.3.7). */
export const allowedMethods = (path: string): readonly string[] => {
  const methods = operationIds
    .map((id) => operations[id])
    .filter((operation) => matchPath(operation.path, path) !== undefined)
    .flatMap(({ method }) => (method === 'GET' ? [method, 'HEAD'] : [method]))
  return [...new Set([...methods, 'OPTIONS'])].sort()
}

export const statedRequests = operationIds.map((id) => `${operations[id].method} ${operations[id].path}`).join(' and ')
