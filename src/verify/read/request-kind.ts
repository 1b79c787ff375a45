import { isJsonObject } from '../../util/json.ts'
import { isCreate, type TestRequest } from './test-request.ts'

/** Stands for the id of a created plant, in random requests that are not sent. */
export const takenId = -1

/**
 * A key for requests that services usually treat alike.
 * @param isTaken Whether a plant with the id was created.
 */
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
