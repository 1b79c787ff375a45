import type { Concern } from '../assumptions/form.ts'
import { type Effect, type OperationId, operationIds } from '../assumptions/operation-ids.ts'
import { type AssumptionId, type Assumptions, defaultAssumptions } from '../assumptions/registry.ts'
import type { ReceivedRequest } from '../http/exchange.ts'
import { matchPath } from '../http/path-template.ts'
import { createPlant } from './create-plant.ts'
import { deletePlant } from './delete-plant.ts'
import { listPlants } from './list-plants.ts'
import type { Operation } from './operation.ts'

export const operations: Readonly<Record<OperationId, Operation>> = { createPlant, listPlants, deletePlant }

export const operationSummaries = Object.fromEntries(
  Object.entries(operations).map(([id, { method, path, section, summary }]) => [
    id,
    { method, path, section, summary },
  ]),
) as Readonly<Record<OperationId, Pick<Operation, 'method' | 'path' | 'section' | 'summary'>>>

export const isServed = (id: OperationId, assumptions: Assumptions = defaultAssumptions): boolean => {
  const { servedBy } = operations[id]
  return servedBy === undefined || assumptions[servedBy] !== 'none'
}

const servedUnder = (assumptions?: Assumptions): readonly Operation[] =>
  operationIds.flatMap((id) => (isServed(id, assumptions) ? operations[id] : []))

const pathsOf = (given: readonly Operation[]): readonly string[] => [...new Set(given.map(({ path }) => path))]

export const knownPaths = pathsOf(Object.values(operations))

export const contractPaths = pathsOf(servedUnder())

export const findOperation = ({ method, path }: Pick<ReceivedRequest, 'method' | 'path'>): OperationId | undefined => {
  const wanted = method === 'HEAD' ? 'GET' : method
  for (const id of operationIds)
    if (operations[id].method === wanted && matchPath(operations[id].path, path) !== undefined) return id
  return undefined
}

export const findServed = (request: Pick<ReceivedRequest, 'method' | 'path'>, assumptions?: Assumptions) => {
  const operation = findOperation(request)
  return operation !== undefined && isServed(operation, assumptions) ? operation : undefined
}

export const concernsOf = (operation: OperationId | undefined): readonly Concern[] =>
  operation !== undefined && operations[operation].servedBy === undefined
    ? [operation, 'requests']
    : [operation ?? 'other', 'other', 'requests']

export const effectOf = ({ method, path }: Pick<ReceivedRequest, 'method' | 'path'>): Effect | undefined => {
  const operation = findOperation({ method, path: path.split('?', 1)[0] ?? '' })
  return operation && operations[operation].effect
}

export const isServicePath = (path: string, assumptions?: Assumptions): boolean =>
  servedUnder(assumptions).some((operation) => matchPath(operation.path, path) !== undefined)

export const servedAtBy = (path: string): readonly AssumptionId[] =>
  Object.values(operations).flatMap(({ path: template, servedBy }) =>
    servedBy !== undefined && matchPath(template, path) !== undefined ? [servedBy] : [],
  )

/** For the header `Allow`. Adds HEAD to GET (RFC 9110, 9.3.2), and OPTIONS to every path (9.3.7). */
export const allowedMethods = (path: string, assumptions?: Assumptions): readonly string[] =>
  methodsOf(servedUnder(assumptions).filter((operation) => matchPath(operation.path, path) !== undefined))

export const servedMethods = (assumptions: Assumptions): readonly string[] => methodsOf(servedUnder(assumptions))

const methodsOf = (given: readonly Operation[]): readonly string[] =>
  [...new Set([...given.flatMap(({ method }) => (method === 'GET' ? [method, 'HEAD'] : [method])), 'OPTIONS'])].sort()

export const statedRequests = servedUnder()
  .map(({ method, path }) => `${method} ${path}`)
  .join(' and ')
