import { controlPath } from '../../core/http/control-path.ts'
import { bodyTooLarge, type ReceivedRequest } from '../../core/http/exchange.ts'
import type { RawHeaders } from '../../core/http/headers.ts'
import { isJsonType } from '../../core/http/media-type.ts'
import { matchPath } from '../../core/http/path-template.ts'
import { sessionHeader } from '../../core/mock/sessions.ts'
import type { Problem } from '../../core/model/result.ts'
import { PlantMockError, StorageError, storeAway } from '../../util/errors.ts'
import { exactJson, parseExactJson } from '../../util/exact-json.ts'
import { isNestedTooDeep } from '../../util/json.ts'
import { messageOf } from '../../util/words.ts'
import { problemResponse } from '../listener/respond.ts'
import type { EventSubscription } from './events.ts'
import { type ControlContext, type ControlRoute, commandRoutes, JsonList, type RouteTable } from './route.ts'
import { instanceRoutes, interfaceRoutes } from './routes/instance.ts'
import { plantRoutes } from './routes/plants.ts'

export type ControlResponse = {
  readonly status: number
  readonly headers: RawHeaders
  readonly body: string | Iterable<string> | EventSubscription | undefined
}

export const handleControl = async (received: ReceivedRequest, context: ControlContext): Promise<ControlResponse> => {
  const { method, path } = received
  const atPath = routesAt(path)
  if (atPath.length === 0)
    return problemResponse('not-found', `Unknown path ${path}. GET ${controlPath}/ lists the routes.`)
  const route = atPath.find((candidate) => candidate.method === (method === 'HEAD' ? 'GET' : method))
  if (route === undefined) {
    const allow = atPath.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
    return problemResponse('method-not-allowed', `${path} accepts ${allow}, not ${method}.`, ['Allow', allow])
  }
  const parsed = parseBody(received)
  if ('problem' in parsed) return problemResponse(parsed.problem, parsed.detail)
  try {
    const query = new URLSearchParams(received.query)
    const session = query.get('session') ?? received.header(sessionHeader)
    const { instances } = context
    const instance = session === undefined ? instances.root : instances.session(session)
    const [parameter = ''] = Object.values(matchPath(route.path, path) ?? {})
    await instances.refresh(session)
    const result = await route.run({ ...context, instance, session, parameter, query, body: parsed.value })
    return responseOf(route, parameter, result)
  } catch (error) {
    if (!(error instanceof StorageError))
      return problemResponse(error instanceof PlantMockError ? 'control-invalid' : 'internal-error', messageOf(error))
    const detail = route.isOpen ? storeAway : messageOf(error)
    const isTemporary = route.isOpen || error.problem === 'store-unreachable'
    return problemResponse(error.problem, detail, isTemporary ? ['Retry-After', '1'] : [])
  }
}

export const openExchange = ({
  method,
  path,
}: Pick<ReceivedRequest, 'method' | 'path'>): ReceivedRequest | undefined =>
  (method === 'GET' || method === 'HEAD') && routes.some((route) => route.isOpen && route.path === path)
    ? { method, path, query: '', header: () => undefined, headers: () => [], body: undefined }
    : undefined

export const maxBodyBytes = 64 * 1024 * 1024

const parseBody = ({ body, header }: ReceivedRequest): { readonly value: unknown } | Problem => {
  if (body === undefined || body === '') return { value: undefined }
  if (body === bodyTooLarge)
    return { problem: 'body-too-large', detail: 'The body is larger than 64 MiB, the limit here.' }
  if (!isJsonType(header('content-type')))
    return { problem: 'unsupported-media-type', detail: 'Send the header Content-Type: application/json.' }
  if (typeof body === 'symbol') return { problem: 'malformed-json', detail: 'The body is not UTF-8.' }
  if (isNestedTooDeep(body))
    return { problem: 'control-invalid', detail: 'The body is nested more than 500 levels deep.' }
  const parsed = parseExactJson(body)
  return 'error' in parsed ? { problem: 'malformed-json', detail: `The body is not JSON: ${parsed.error}.` } : parsed
}

const routesAt = (path: string): readonly ControlRoute[] => {
  const fixed = routes.filter((route) => route.path === path)
  return fixed.length > 0 ? fixed : routes.filter((route) => matchPath(route.path, path) !== undefined)
}

const responseOf = ({ path, response }: ControlRoute, parameter: string, result: unknown): ControlResponse => {
  if (parameter !== '' && (result === false || result === undefined)) {
    const [, collection = ''] = path.split('/')
    const unknown = `Unknown ${collection.slice(0, -1)} ${JSON.stringify(parameter)}.`
    return problemResponse('not-found', `${unknown} GET ${controlPath}/${collection} lists all of them.`)
  }
  if (response === undefined) return { status: 204, headers: [], body: undefined }
  const [type, body] =
    response === 'events'
      ? ['text/event-stream', result as EventSubscription]
      : ['application/json', result instanceof JsonList ? result.text : exactJson(result)]
  return { status: 200, headers: ['Content-Type', type], body }
}

const table: RouteTable = {
  ...interfaceRoutes(() => routes),
  ...commandRoutes,
  ...instanceRoutes,
  ...plantRoutes,
}

const areaOf = (path: string): string => path.split('/')[1] ?? ''
const areas = [...new Set(Object.keys(table).map((key) => areaOf(key)))]

export const routes: readonly ControlRoute[] = Object.entries(table)
  .map(([key, row]): ControlRoute => {
    const [method, path = ''] = key.split(' ')
    return { method: method as ControlRoute['method'], path, ...row }
  })
  .sort((a, b) => areas.indexOf(areaOf(a.path)) - areas.indexOf(areaOf(b.path)))
