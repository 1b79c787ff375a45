import { setMaxListeners } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import { trackLastResponse } from '../adapters/node/last-response.ts'
import { logUpgrade } from '../adapters/node/logged-request.ts'
import { isLoopback } from '../control/guard.ts'
import { controlPath } from '../control/paths.ts'
import { plantsIn } from '../fixtures/load.ts'
import { createForwardingMock, createPlantMock, type LocalPlantMock } from '../mock/create-plant-mock.ts'
import type { PlantMockOptions } from '../mock/options.ts'
import type { PersistedPlants } from '../persist/open.ts'
import { memoryStore } from '../store/memory-store.ts'
import type { Recorder } from '../upstream/recorder.ts'
import type { createUpstream as CreateUpstream, Upstream } from '../upstream/upstream.ts'
import { PlantMockError } from '../util/errors.ts'
import { listen, urlOf } from './address.ts'
import { refuser } from './client-error.ts'
import { compose, warn } from './compose.ts'
import { drainOf } from './drain.ts'
import type { StartOptions } from './options.ts'
import type { Tls } from './tls.ts'
import { type NoteUpgrade, upgrades } from './upgrades.ts'

export type StartedPlantMock = {
  /** The address really bound, such as `http://127.0.0.1:4010`. */
  readonly url: string
  readonly mock: LocalPlantMock
  /** Where the mock can be asked about itself; `undefined` when that is off, on an address that others reach. */
  readonly controlUrl: string | undefined
  /** The file in which plants are kept; `undefined` without `persist`. */
  readonly persisted: Pick<PersistedPlants, 'initialCount' | 'path' | 'reload'> | undefined
  /** Stops: no new connections, idle ones closed, requests in flight finished. May be called more than once. */
  readonly close: () => Promise<void>
}

/** How often node:http looks for requests that took too long, in milliseconds, at the most. */
const longestCheck = 1_000

/**
 * Starts the mock as an HTTP server.
 * @throws AddressError when the address cannot be bound; PlantMockError when a fixture, token or assumption cannot be used.
 */
export const startPlantMock = async (options: StartOptions = {}): Promise<StartedPlantMock> => {
  const persisted = options.persist === undefined ? undefined : await openPersisted(options.persist, options)
  try {
    return await start(options, persisted)
  } catch (error) {
    persisted?.discard()
    throw error
  }
}

const start = async (
  options: StartOptions,
  persisted: PersistedPlants | undefined,
): Promise<StartedPlantMock> => {
  const { port = 0, host = '127.0.0.1', grace = 5_000 } = options
  const { headersTimeout = 10_000, requestTimeout = 30_000 } = options
  const httpOptions = {
    headersTimeout,
    requestTimeout,
    connectionsCheckingInterval: Math.min(
      longestCheck,
      headersTimeout || longestCheck,
      requestTimeout || longestCheck,
    ),
    // Of two tokens, or two hosts, none is taken by chance: they are one value that is refused, as fetch joins them.
    joinDuplicateHeaders: true,
  }
  let recorder: Recorder | undefined
  const upstream =
    options.upstream && (await openUpstream(options.upstream, (observed) => recorder?.observe(observed)))
  if (options.mock !== undefined && upstream?.handler !== undefined)
    throw new PlantMockError('A mock that is given answers by itself: leave out mock, or upstream.for.')
  const mock = options.mock ?? (await createMock(options, upstream, persisted))
  if (options.upstream?.record !== undefined)
    recorder = await record(options.upstream.record, mock, options.onNotice)
  const closing = new AbortController()
  const { signal } = closing
  // Each stream of events and each WebSocket listens to it, however many there are.
  setMaxListeners(0, signal)
  let url = ''
  const listener = trackLastResponse(compose({ ...options, host }, mock, upstream, signal, () => url))
  const server = await makeServer(httpOptions, options.tls, listener)
  if (upstream !== undefined) {
    const note: NoteUpgrade = (req) =>
      logUpgrade({ instances: mock.instances, onRequest: options.onRequest }, req)
    server.on('upgrade', upgrades(upstream, listener, note, signal))
  }
  server.on('clientError', refuser(mock))
  const drain = drainOf(server)
  await listen(server, port, host)
  url = urlOf(server.address() as AddressInfo, options.tls === undefined ? 'http' : 'https')

  let closed: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing.abort()
    closed ??= drain(grace).then(() => {
      upstream?.close()
      persisted?.close()
      return recorder?.close()
    })
    return closed
  }
  const isOpen = options.controlKey !== undefined || isLoopback(host)
  return {
    url,
    mock,
    controlUrl: isOpen ? `${url}${controlPath}/` : undefined,
    persisted: persisted && {
      initialCount: persisted.initialCount,
      path: persisted.path,
      reload: () => reload(persisted, mock),
    },
    close,
  }
}

const createMock = async (
  { fixtures = [], ...options }: StartOptions,
  upstream: Upstream | undefined,
  persisted: PersistedPlants | undefined,
): Promise<LocalPlantMock> => {
  const mockOptions: PlantMockOptions = {
    ...options,
    ...(persisted !== undefined && {
      store: (session?: string) => (session === undefined ? persisted.store : memoryStore()),
    }),
    fixtures: await plantsIn(fixtures),
  }
  return upstream?.handler === undefined
    ? createPlantMock(mockOptions)
    : createForwardingMock(mockOptions, upstream.handler)
}

/** What only some servers need is loaded for these: it would make the start of all others slower. */
const openUpstream = async (...args: Parameters<typeof CreateUpstream>): Promise<Upstream> => {
  const { createUpstream } = await import('../upstream/upstream.ts')
  return createUpstream(...args)
}

const openPersisted = async (
  file: string,
  { mock, store, upstream, onNotice = warn }: StartOptions,
): Promise<PersistedPlants> => {
  if (mock !== undefined || store !== undefined)
    throw new PlantMockError(
      'A mock or store that is given has its plants already: leave it out, or persist.',
    )
  if (upstream?.for !== undefined && upstream.for !== 'rest')
    throw new PlantMockError(
      `With the upstream for ${upstream.for}, plants are there and not in a file: leave that out, or persist.`,
    )
  return (await import('../persist/open.ts')).openPersistedPlants({ file, onNotice })
}

const reload = ({ reload: takeAnew }: PersistedPlants, { instances }: LocalPlantMock): number | undefined => {
  const plants = takeAnew()
  if (plants !== undefined) instances.root.plantsChanged()
  return plants
}

const record = async (
  file: string,
  { instances }: LocalPlantMock,
  onNotice: StartOptions['onNotice'] = warn,
): Promise<Recorder> => {
  const { openRecorder } = await import('../upstream/recorder.ts')
  return openRecorder({ file, nameOf: instances.callers.pseudonymOf, onNotice })
}

const makeServer = async (
  options: ServerOptions,
  tls: Tls | undefined,
  listener: RequestListener,
): Promise<Server> => {
  if (tls === undefined) return createServer(options, listener)
  const [{ createServer: createSecureServer }, { checkTls }] = await Promise.all([
    import('node:https'),
    import('./tls.ts'),
  ])
  return createSecureServer({ ...options, ...checkTls(tls) }, listener)
}
