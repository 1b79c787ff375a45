import { type CommandName, commandNamed, commands } from '../../core/mock/commands.ts'
import type { MockInstance } from '../../core/mock/instance.ts'
import type { MockInstances } from '../../core/mock/instances.ts'
import { exactJson } from '../../util/exact-json.ts'
import { flatMapLazily } from '../../util/lazy.ts'
import { textChunks } from '../../util/text.ts'

export type ControlContext = {
  readonly instances: Pick<
    MockInstances,
    'refresh' | 'listen' | 'nameCallers' | 'root' | 'session' | 'callers' | 'sessions' | 'startedWith'
  >
  readonly version: string
  readonly provenance: Readonly<Record<string, string>>
}

export type ControlRequest = ControlContext & {
  readonly instance: MockInstance
  readonly session: string | undefined
  readonly parameter: string
  readonly query: URLSearchParams
  readonly body: unknown
}

export type ControlRoute = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly summary: string
  /** True if the route needs no control key. Such a route gets no session, query or body, and changes nothing. */
  readonly isOpen?: true
  readonly response?: 'json' | 'events'
  readonly run: (request: ControlRequest) => unknown
}

export type RouteTable = Readonly<Record<`${ControlRoute['method']} /${string}`, Omit<ControlRoute, 'method' | 'path'>>>

/** Serializes a long list in chunks while sending, because the whole text may not fit into memory. */
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

export const commandRoutes: RouteTable = Object.fromEntries(
  (Object.keys(commands) as CommandName[]).flatMap((name) => {
    const { route } = commandNamed(name)
    if (route === undefined || route.at.includes('?')) return []
    const { at, summary, body: argumentIn = () => undefined, result } = route
    const row: RouteTable[keyof RouteTable] = {
      summary,
      ...(result !== undefined && { response: 'json' }),
      run: async ({ instance, parameter, body }) => {
        const argument = at.includes('{') ? parameter : argumentIn(body)
        const value = await instance.run(name, argument as never)
        return result === undefined ? value : { [result]: value }
      },
    }
    return [[at, row]]
  }),
)

export const ownRoute = (at: keyof RouteTable, own: Partial<RouteTable[keyof RouteTable]>): RouteTable => {
  const route = commandRoutes[at]
  if (route === undefined) throw new Error(`No command has the route ${at}.`)
  return { [at]: { ...route, ...own } }
}
