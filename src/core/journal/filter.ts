import { PlantMockError } from '../../util/errors.ts'
import { isJsonObject } from '../../util/json.ts'
import { shorten } from '../../util/text.ts'
import { suggestion } from '../../util/words.ts'
import { operationIds } from '../assumptions/operation-ids.ts'
import { problemTypes } from '../contract/problems.ts'
import { faultKinds } from '../http/reply.ts'
import { journalSources, type RequestFilter } from './entry.ts'

type FilterField = {
  readonly description: string
  readonly parse: (value: unknown) => unknown
}

const oneOf = (names: readonly string[], description = `one of ${names.join(', ')}`): FilterField => ({
  description,
  parse: (value) => names.find((name) => name === value),
})

const text = (description: string): FilterField => ({
  description,
  parse: (value) => (typeof value === 'string' ? value : undefined),
})

const filterFields: Readonly<Record<keyof RequestFilter, FilterField>> = {
  operation: oneOf(operationIds),
  method: text('a method such as POST'),
  status: {
    description: 'a status such as 409',
    parse: (value) =>
      typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value)) ? Number(value) : undefined,
  },
  caller: text('the pseudonym of a caller such as caller-1, or its token (only in a body, because URLs are logged)'),
  source: oneOf(journalSources),
  problem: oneOf(Object.keys(problemTypes), 'a problem type such as duplicate-id'),
  fault: oneOf(faultKinds),
  violating: {
    description: 'true for requests that violate the contract, false for all others',
    parse: (value) => {
      if (value === true || value === 'true') return true
      return value === false || value === 'false' ? false : undefined
    },
  },
}

export const parseFilter = (given: unknown): RequestFilter => {
  if (!isJsonObject(given)) throw new PlantMockError('Send a filter such as {"operation":"createPlant"}.')
  const { session: _, ...fields } = given
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, parseField(name, value)]])),
  )
}

const parseField = (name: string, value: unknown): unknown => {
  const names = Object.keys(filterFields)
  if (!Object.hasOwn(filterFields, name)) {
    const shown = shorten(name)
    throw new PlantMockError(`Unknown filter "${shown}".${suggestion(shown, names)} Filters are ${names.join(', ')}.`)
  }
  const { parse, description } = filterFields[name as keyof RequestFilter]
  const parsed = parse(value)
  if (parsed === undefined)
    throw new PlantMockError(`The filter ${name} cannot be ${shownValue(value)}. Use ${description}.`)
  return parsed
}

const shownValue = (value: unknown): string => {
  try {
    return shorten(JSON.stringify(value) ?? typeof value)
  } catch {
    return `a ${typeof value}`
  }
}
