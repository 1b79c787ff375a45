import type { Reply } from '../../core/http/reply.ts'
import { isJsonObject } from '../../util/json.ts'
import { plural } from '../../util/words.ts'
import { type Item, listIn, parts } from './fold.ts'
import { succeeded, type TestResponse } from './response.ts'
import { isCreate, isList, type TestRequest } from './test-request.ts'

const maxNumbered = 2

/** Omits names and ids of plants and lengths of long lists, because all three change from check to check. */
export const describeExchange = ({ request, seen }: Item, reply: Reply, differs: number): string => {
  const is =
    differs & (parts.outcome | parts.status)
      ? `${seen.status}${isList(request) && succeeded(seen) ? plantsIn(seen.json) : ''}, not ${reply.status}`
      : difference(seen, differs, listIn(reply).length)
  return `${describeRequest(request)}: ${is}`
}

const plantsIn = (json: unknown): string => {
  if (!Array.isArray(json)) return ' without a list'
  return json.length > maxNumbered ? '' : ` with ${plural(json.length, 'plant')}`
}

const difference = ({ headers, json }: TestResponse, differs: number, replied: number): string => {
  if (differs & parts.type) return `Content-Type ${headers.get('content-type') ?? 'missing'}`
  if (!Array.isArray(json)) return 'another body'
  if (differs & parts.order) return 'another order'
  if (differs & parts.form) return 'plants in another form'
  if (differs & parts.length && json.length <= maxNumbered) return plural(json.length, 'plant')
  if (differs & parts.length) return json.length < replied ? 'fewer plants' : 'more plants'
  return 'other plants'
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
