import type { Assumptions } from '../assumptions/registry.ts'
import { type ProblemType, problemDocument, problemTypes } from '../contract/problems.ts'
import { bodyNotUtf8, bodyTooLarge, type Exchange } from '../http/exchange.ts'
import { isJsonType } from '../http/media-type.ts'
import type { MockInstances } from '../mock/instances.ts'
import { PlantMockError, StorageError } from '../util/errors.ts'
import { isNestedTooDeep } from '../util/json.ts'
import { eventsPath } from './events.ts'
import { type Call, Missing, type Route, routes } from './routes.ts'
import type { Snapshots } from './snapshots.ts'

/** An answer of the control interface. */
export type Answer = {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: string | undefined
}

/** The mock that is controlled, and what the control interface keeps for it. */
export type Controlled = {
  readonly instances: Pick<MockInstances, 'root' | 'session' | 'callers' | 'sessions'>
  readonly snapshots: Snapshots
  readonly version: string
  readonly provenance: Readonly<Record<string, string>>
  readonly startedWith: Assumptions
}

/** Nothing here is for caches, nor to be taken for anything but what it says it is. */
const always = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff']

export const refuse = (type: ProblemType, detail: string, headers: readonly string[] = []): Answer => {
  const { status } = problemTypes[type]
  return {
    status,
    headers: ['Content-Type', 'application/problem+json', ...headers, ...always],
    body: JSON.stringify(problemDocument(type, status, detail)),
  }
}

/** Answers a request below `/__plant-mock`; its path is what follows that. It never throws. */
export const answerControl = async (exchange: Exchange, controlled: Controlled): Promise<Answer> => {
  const found = find(exchange)
  if ('body' in found) return found
  const body = bodyOf(exchange)
  if ('problem' in body) return refuse(body.problem, body.detail)
  try {
    const result = await found.route.run(callOf(exchange, found.parameter, body.value, controlled))
    if (result === undefined) return { status: 204, headers: always, body: undefined }
    return {
      status: 200,
      headers: ['Content-Type', 'application/json', ...always],
      body: JSON.stringify(result),
    }
  } catch (error) {
    if (error instanceof Missing) return refuse('not-found', error.message)
    if (error instanceof StorageError) return refuse(error.problem, error.message)
    if (error instanceof PlantMockError) return refuse('control-invalid', error.message)
    return refuse('internal-error', error instanceof Error ? error.message : String(error))
  }
}

/** The session that a control request is about, by its query or header. */
export const sessionIn = ({ query, header }: Pick<Exchange, 'query' | 'header'>): string | undefined =>
  new URLSearchParams(query).get('session') ?? header('plant-mock-session')

const callOf = (
  exchange: Exchange,
  parameter: string,
  body: unknown,
  { instances, snapshots, version, provenance, startedWith }: Controlled,
): Call => {
  const session = sessionIn(exchange)
  return {
    instance: session === undefined ? instances.root : instances.session(session),
    session,
    sessions: instances.sessions,
    snapshots,
    version,
    pseudonym: instances.callers.pseudonymOf,
    provenance,
    startedWith,
    parameter,
    query: new URLSearchParams(exchange.query),
    body,
    document: async () => (await import('./openapi.ts')).controlDocument(version),
  }
}

const find = ({ method, path }: Exchange): { route: Route; parameter: string } | Answer => {
  const matching = routes.flatMap((route) => {
    const parameter = match(route.path, path)
    return parameter === undefined ? [] : [{ route, parameter }]
  })
  // A fixed path wins over one with a parameter.
  const nearest = matching.filter(({ route }) => route.path === path)
  const candidates = nearest.length > 0 ? nearest : matching
  const wanted = method === 'HEAD' ? 'GET' : method
  const found = candidates.find(({ route }) => route.method === wanted)
  if (found !== undefined) return found
  const allow = candidates.map(({ route }) => route.method)
  if (path === eventsPath) allow.push('GET')
  return allow.length === 0
    ? refuse('not-found', `The control interface has no ${path}; openapi.json names what it has.`)
    : refuse('method-not-allowed', `${path} takes ${allow.join(', ')}, not ${method}.`, [
        'Allow',
        allow.join(', '),
      ])
}

/** What stands in a path in the place of `{parameter}`; `''` where the path has none, `undefined` where it differs. */
const match = (pattern: string, path: string): string | undefined => {
  const [before = '', after] = pattern.split(/\{\w+\}/)
  if (after === undefined) return path === pattern ? '' : undefined
  if (!path.startsWith(before) || !path.endsWith(after)) return undefined
  const text = path.slice(before.length, path.length - after.length)
  if (text === '' || text.includes('/')) return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const bodyOf = (
  exchange: Exchange,
): { readonly value: unknown } | { readonly problem: ProblemType; readonly detail: string } => {
  const { body } = exchange
  if (body === undefined || body === '') return { value: undefined }
  if (body === bodyTooLarge) return { problem: 'body-too-large', detail: 'The body may have 64 MiB.' }
  if (!isJsonType(exchange.header('content-type')))
    return { problem: 'unsupported-media-type', detail: 'Send the header Content-Type: application/json.' }
  if (body === bodyNotUtf8) return { problem: 'malformed-json', detail: 'The body is not UTF-8.' }
  if (isNestedTooDeep(body as string))
    return { problem: 'control-invalid', detail: 'The body is nested deeper than anything here is.' }
  try {
    return { value: JSON.parse(body as string) as unknown }
  } catch (error) {
    return { problem: 'malformed-json', detail: `${(error as Error).message}.` }
  }
}
