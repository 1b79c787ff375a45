import { isJsonObject } from '../../util/json.ts'
import { isCreate, type TestRequest } from './test-request.ts'

/** Stands for the id of a created plant, in random requests that are not sent. */
export const takenId = -1

/** A key for requests that services usually treat alike. */
export const requestKind = (request: TestRequest, isTaken: (id: unknown) => boolean): string => {
  const { method, path, as, headers, json } = request
  const { authorization = as, 'content-type': type = '' } = headers
  const who = authorization.replaceAll(/\d+/g, '1')
  if (!isCreate(request)) return [method, who, path.replace(/(?<=[?]limit=).*/s, limitKind)].join(' ')
  if (!isJsonObject(json)) return [method, who, type, typeof json].join(' ')
  const { id, name, tag, ...further } = json
  const isAscii = /^[ -~]*$/.test(`${name}${tag}`)
  return [method, who, type, ...[id, name, tag].map(kindOf), isTaken(id), isAscii, Object.keys(further).length].join(
    ' ',
  )
}

const limitKind = (limit: string): string => {
  if (/^\d+$/.test(limit)) return Number(limit) === 0 ? '0' : '1'
  if (limit.includes('&')) return 'repeated'
  return /^-?\d/.test(limit) ? 'almost a number' : 'text'
}

const kindOf = (value: unknown): string => {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return value === '' ? 'empty' : typeof value
}

export const describeRequest = ({ method, path, as, scheme, headers, json, body }: TestRequest): string => {
  const { authorization, 'content-type': type } = headers
  const other = scheme === 'Bearer' ? undefined : scheme
  const who = authorization ?? (as === 'caller' ? other : as === 'anonymous' ? 'no token' : `the ${as} token`)
  const told = [
    ...(who === undefined ? [] : [who]),
    ...(isCreate({ method, path }) ? describePlant(json) : []),
    ...(body === undefined || type === 'application/json'
      ? []
      : [type === undefined ? 'without a Content-Type' : `as ${type}`]),
  ]
  // An id differs from check to check.
  const shown = `${method} ${path.replace(/\/\d+$/, '/{id}')}`
  return told.length === 0 ? shown : `${shown} (${told.join(', ')})`
}

const describePlant = (json: unknown): readonly string[] => {
  if (json === undefined) return ['not JSON']
  if (!isJsonObject(json)) return [`the body ${JSON.stringify(json)?.slice(0, 20)}`]
  const fields = ['name', 'id', 'tag'] as const
  const further = Object.keys(json).filter((key) => !fields.some((one) => one === key))
  return [
    ...fields.flatMap((field) => {
      const [value, wanted] = [json[field], field === 'id' ? 'number' : 'string']
      if (value === undefined) return [`no ${field}`]
      if (value === '') return [`an empty ${field}`]
      return typeof value === wanted ? [] : [`${field} as ${value === null ? 'null' : typeof value}`]
    }),
    ...(further.length === 0 ? [] : ['further fields']),
  ]
}
