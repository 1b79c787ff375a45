import type { Reply } from '../../core/http/reply.ts'
import { plural } from '../../util/words.ts'
import { type Item, listIn, parts } from './fold.ts'
import { describeRequest } from './request-kind.ts'
import { succeeded, type TestResponse } from './response.ts'
import { isList } from './test-request.ts'

const maxNumbered = 2

/** An exchange in words that are the same in each check: without labels, ids and lengths. */
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
