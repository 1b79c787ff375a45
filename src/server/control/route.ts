import type { Json } from '../../core/contract/json-schema.ts'
import { type CommandName, commandNamed, commands } from '../../core/mock/commands.ts'
import type { MockInstance } from '../../core/mock/instance.ts'
import type { MockInstances } from '../../core/mock/instances.ts'
import { exactJson } from '../../util/exact-json.ts'
import { flatMapLazily } from '../../util/lazy.ts'
import { textChunks } from '../../util/text.ts'
import type { SchemaName } from './shapes.ts'

/** The mock under control, and the state of the control interface itself. */
export type ControlContext = {
  readonly instances: Pick<
    MockInstances,
    'refresh' | 'listen' | 'nameCallers' | 'root' | 'session' | 'callers' | 'sessions' | 'startedWith'
  >
  readonly version: string
  /** Why an assumption has its first value, such as `learned at staging.example on 2026-11-20`. */
  readonly provenance: Readonly<Record<string, string>>
}

export type ControlRequest = ControlContext & {
  /** The mock instance of the selected session, or the root instance. */
  readonly instance: MockInstance
  readonly session: string | undefined
  /** The value of the path's `{parameter}`, percent-decoded; empty when the path has none. */
  readonly parameter: string
  readonly query: URLSearchParams
  readonly body: unknown
}

export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/__plant-mock`, with at most one `{parameter}`. */
  readonly path: string
  readonly summary: string
  /**
   * Whether everybody may call it, without key and on every address. Such a route gets no session, query and body of the
   * request, so that it changes nothing. Default: false.
   */
  readonly isOpen?: true
  readonly query?: Readonly<Record<string, { readonly description: string; readonly schema: Json }>>
  /** The schema of the request body; left out for none. */
  readonly body?: SchemaName
  /** The schema of the response; left out for 204 without a body. `Events` is an event stream, all others are JSON. */
  readonly response?: SchemaName
  /**
   * Returns the response: a value or a JsonList for JSON, an EventSubscription for `Events`. If the path has a parameter, `false` or
   * `undefined` means that it names nothing.
   * @throws PlantMockError for a request that cannot be used.
   */
  readonly run: (request: ControlRequest) => unknown
}

export type RouteTable = Readonly<Record<`${Route['method']} /${string}`, Omit<Route, 'method' | 'path'>>>

/** The JSON text of `{"name":[…]}`: whole if it is short, otherwise in chunks, whose items are taken while it is sent. */
export class JsonList {
  readonly text: string | Iterable<string>

  constructor(name: string, items: Iterable<unknown>) {
    const chunks = textChunks(listTexts(name, items))
    const [{ value: first = '' }, second] = [chunks.next(), chunks.next()]
    this.text = second.done ? first : flatMapLazily([[first, second.value], chunks], (part) => part)
  }
}

function* listTexts(name: string, items: Iterable<unknown>): Generator<string> {
  yield `{${JSON.stringify(name)}:[`
  let separator = ''
  for (const item of items) {
    yield `${separator}${exactJson(item)}`
    separator = ','
  }
  yield ']}'
}

/** The routes that run a command of a mock instance, as its row says. */
export const commandRoutes: RouteTable = Object.fromEntries(
  (Object.keys(commands) as CommandName[]).flatMap((name) => {
    const { route } = commandNamed(name)
    // A variant of another command's route.
    if (route === undefined || route.at.includes('?')) return []
    const { at, summary, body: schema, response, result, parse = (body) => body } = route
    const row: RouteTable[keyof RouteTable] = {
      summary,
      ...(schema !== undefined && { body: schema as SchemaName }),
      ...(response !== undefined && { response: response as SchemaName }),
      run: async ({ instance, parameter, body }) => {
        // A route without a body ignores one.
        const argument = at.includes('{') ? parameter : parse(schema === undefined ? undefined : body)
        const value = await instance.run(name, argument as never)
        return result === undefined ? value : { [result]: value }
      },
    }
    return [[at, row]]
  }),
)

/** A route of a command that the control interface runs in a way of its own. */
export const ownRoute = (at: keyof RouteTable, own: Partial<RouteTable[keyof RouteTable]>): RouteTable => {
  const route = commandRoutes[at]
  if (route === undefined) throw new Error(`No command has the route ${at}.`)
  return { [at]: { ...route, ...own } }
}
