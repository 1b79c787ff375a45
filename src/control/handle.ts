import { type ProblemType, problemDocument, problemTypes } from '../contract/problems.ts'
import type { Exchange } from '../http/exchange.ts'
import { matchPath } from '../http/path-template.ts'
import { PlantMockError, StorageError } from '../util/errors.ts'
import { messageOf } from '../util/words.ts'
import type { EventSubscription } from './events.ts'
import { controlPath } from './paths.ts'
import { parseBody } from './request-body.ts'
import { type ControlContext, type ControlRequest, NotFoundError, type Route } from './route.ts'
import { routes } from './routes.ts'

/** A response of the control interface; a subscription is the body of an event stream. */
export type ControlResponse = {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly body: string | EventSubscription | undefined
}

/** Responses change with each request, and no browser may sniff another media type. */
const commonHeaders = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff']

/** A response with a problem document (RFC 9457). */
export const problemResponse = (
  type: ProblemType,
  detail: string,
  headers: readonly string[] = [],
): ControlResponse => {
  const { status } = problemTypes[type]
  return {
    status,
    headers: ['Content-Type', 'application/problem+json', ...headers, ...commonHeaders],
    body: JSON.stringify(problemDocument(type, status, detail)),
  }
}

/**
 * Handles a request of the control interface. It never throws.
 * @param exchange Its path is the part below `/__plant-mock`.
 */
export const handleControl = async (exchange: Exchange, context: ControlContext): Promise<ControlResponse> => {
  const found = findRoute(exchange)
  if ('status' in found) return found
  const parsed = parseBody(exchange)
  if ('problem' in parsed) return problemResponse(parsed.problem, parsed.detail)
  const { route, parameter } = found
  try {
    const result = await route.run(requestOf(exchange, parameter, parsed.value, context))
    if (route.response === undefined) return { status: 204, headers: commonHeaders, body: undefined }
    if (route.response === 'Events') return ok('text/event-stream', result as EventSubscription)
    return ok('application/json', JSON.stringify(result))
  } catch (error) {
    return problemResponse(problemTypeOf(error), messageOf(error))
  }
}

const ok = (type: string, body: string | EventSubscription): ControlResponse => ({
  status: 200,
  headers: ['Content-Type', type, ...commonHeaders],
  body,
})

const problemTypeOf = (error: unknown): ProblemType => {
  if (error instanceof NotFoundError) return 'not-found'
  if (error instanceof StorageError) return error.problem
  return error instanceof PlantMockError ? 'control-invalid' : 'internal-error'
}

/** @throws PlantMockError for an invalid session id. */
const requestOf = (exchange: Exchange, parameter: string, body: unknown, context: ControlContext): ControlRequest => {
  const query = new URLSearchParams(exchange.query)
  const session = query.get('session') ?? exchange.header('plant-mock-session')
  const { instances, version } = context
  return {
    ...context,
    instance: session === undefined ? instances.root : instances.session(session),
    session,
    parameter,
    query,
    body,
    openApi: async () => (await import('./openapi.ts')).controlDocument(version),
  }
}

type FoundRoute = { readonly route: Route; readonly parameter: string }

const findRoute = ({ method, path }: Exchange): FoundRoute | ControlResponse => {
  const matching = routes.flatMap((route): FoundRoute[] => {
    const parameters = matchPath(route.path, path)
    return parameters === undefined ? [] : [{ route, parameter: Object.values(parameters)[0] ?? '' }]
  })
  // A fixed path takes precedence over one with a parameter.
  const exact = matching.filter(({ route }) => route.path === path)
  const candidates = exact.length > 0 ? exact : matching
  const wanted = method === 'HEAD' ? 'GET' : method
  const found = candidates.find(({ route }) => route.method === wanted)
  if (found !== undefined) return found
  if (candidates.length === 0)
    return problemResponse('not-found', `Unknown path ${path}. GET ${controlPath}/ lists the routes.`)
  const allow = candidates.map(({ route }) => route.method).join(', ')
  return problemResponse('method-not-allowed', `${path} accepts ${allow}, not ${method}.`, ['Allow', allow])
}
