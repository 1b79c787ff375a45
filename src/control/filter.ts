import { problemTypes } from '../contract/problems.ts'
import { faultKinds } from '../http/reply.ts'
import type { RequestFilter } from '../journal/entry.ts'
import { journalSources } from '../journal/recorded.ts'
import { operations } from '../operations/operations.ts'
import { PlantMockError } from '../util/errors.ts'

const oneOf = (names: readonly string[]) => (value: unknown) =>
  typeof value === 'string' && names.includes(value) ? value : undefined

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** Numbers and switches come as text from a query. */
const number = (value: unknown) =>
  typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value)) ? Number(value) : undefined

const flag = (value: unknown) => {
  if (value === true || value === 'true') return true
  return value === false || value === 'false' ? false : undefined
}

/** How each part of a filter is read; `undefined` for what it cannot be. */
const parts: Readonly<Record<keyof RequestFilter, (value: unknown) => unknown>> = {
  operation: oneOf(Object.keys(operations)),
  method: text,
  status: number,
  caller: text,
  source: oneOf(journalSources),
  problem: oneOf(Object.keys(problemTypes)),
  fault: oneOf(faultKinds),
  violating: flag,
}

/**
 * Reads a filter from a query or a body. `session` belongs to the request, not to the filter.
 * @throws PlantMockError for a part that there is not, or that cannot have its value.
 */
export const readFilter = (given: Readonly<Record<string, unknown>>): RequestFilter =>
  Object.fromEntries(
    Object.entries(given)
      .filter(([name]) => name !== 'session')
      .map(([name, value]) => {
        if (!Object.hasOwn(parts, name))
          throw new PlantMockError(
            `Requests cannot be filtered by "${name}", only by ${Object.keys(parts).join(', ')}.`,
          )
        const read = parts[name as keyof RequestFilter](value)
        if (read === undefined)
          throw new PlantMockError(`Requests cannot be filtered by ${name} ${JSON.stringify(value)}.`)
        return [name, read]
      }),
  )
