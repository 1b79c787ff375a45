import { withoutUserInfo } from '../../core/http/address.ts'
import { type CommandName, commandNamed, type RunMockCommand } from '../../core/mock/commands.ts'
import { addConnected } from '../../core/mock/connected.ts'
import { instanceApi } from '../../core/mock/instance-api.ts'
import type { PlantMock, Session } from '../../core/mock/plant-mock.ts'
import { checkSessionId, isSessionId, sessionHeader } from '../../core/mock/sessions.ts'
import { checkOptions, type OptionNames } from '../../util/check-options.ts'
import { PlantMockError } from '../../util/errors.ts'
import { type Connection, call, callNamed, fetchThrough, followEvents, openEvents } from './connection.ts'
import type { StreamEvent } from './events.ts'
import { checkControlKey, keyHeader } from './paths.ts'

export type ConnectOptions = {
  /** The server's control key (`--control-key`, or the option `controlKey`). Default: none. */
  readonly key?: string
  /** Sends the requests of the client. Default: the global `fetch`, looked up at each request. */
  readonly fetch?: typeof globalThis.fetch
}

const optionNames: OptionNames<ConnectOptions> = { key: true, fetch: 'function' }

/**
 * Connects to a running mock: a `plant-mock` server, or a server of yours with `plantMiddleware`. The methods of the
 * returned mock throw UnreachableError if the server does not respond.
 * @param url The address of the service, such as `http://127.0.0.1:4010` or `http://localhost:5173/api`.
 * @throws PlantMockError for a URL that is not HTTP, for an unknown option, and for an invalid key.
 */
export const connectPlantMock = (url: string | URL, options: ConnectOptions = {}): PlantMock => {
  checkOptions(options, optionNames, 'connectPlantMock', { controlKey: 'key' })
  const { key, fetch: send = (input, init) => globalThis.fetch(input, init) } = options
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw new PlantMockError(
      `"${withoutUserInfo(url)}" is not the URL of a mock. Use a URL such as http://127.0.0.1:4010.`,
    )
  checkControlKey(key, 'The option key')
  const address = `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, '')
  addConnected(address)
  return remoteMock({
    url: address,
    headers: key === undefined ? {} : { [keyHeader]: key },
    send,
  })
}

const remoteRun = (connection: Connection): RunMockCommand =>
  (async (name: CommandName, argument?: unknown) => {
    const { route } = commandNamed(name)
    if (route === undefined) throw new PlantMockError(`The control interface has no ${name}.`)
    const [method = '', path = ''] = route.at.split(' ')
    if (path.includes('{')) return callNamed(connection, method, path, String(argument))
    const response = await call<Readonly<Record<string, unknown>>>(connection, method, path, argument)
    return route.result === undefined ? response : response[route.result]
  }) as RunMockCommand

const remoteMock = (connection: Connection, withoutSession = connection): PlantMock => ({
  ...instanceApi({ run: remoteRun(connection), isRemote: true, listen: (onEntry) => listen(connection, onEntry) }),
  fetch: fetchThrough(connection),
  session(id) {
    checkSessionId(id)
    return remoteMock({ ...connection, headers: { ...connection.headers, [sessionHeader]: id } }, withoutSession)
  },
  sessions: {
    all: async () => (await call<{ sessions: readonly Session[] }>(withoutSession, 'GET', '/sessions')).sessions,
    drop: async (id) => isSessionId(id) && callNamed(withoutSession, 'DELETE', '/sessions/{id}', id),
  },
})

const listen = async (connection: Connection, onEntry: () => void): Promise<() => void> => {
  const leaving = new AbortController()
  const events = await openEvents(connection, leaving.signal)
  let connections = 0
  const onEvent = ({ name }: StreamEvent): void => {
    if (name === 'requests') onEntry()
  }
  const onConnection = (isConnected: boolean): void => {
    if (isConnected && connections++ > 0) onEntry()
  }
  void followEvents(connection, { onEvent, onConnection }, leaving.signal, events)
  return () => leaving.abort()
}
