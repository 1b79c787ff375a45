import { setMaxListeners } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import { trackLastResponse } from '../adapters/node/last-response.ts'
import { logUpgrade } from '../adapters/node/logged-request.ts'
import { controlPath } from '../control/paths.ts'
import { plantsIn } from '../fixtures/load.ts'
import { isLoopback } from '../http/loopback.ts'
import { createForwardingMock, createPlantMock, type LocalPlantMock } from '../mock/create-plant-mock.ts'
import type { PlantMockOptions } from '../mock/options.ts'
import type { PersistedPlants } from '../persist/open.ts'
import { memoryStore } from '../store/memory-store.ts'
import type { Recorder } from '../upstream/recorder.ts'
import type { createUpstream as CreateUpstream, Upstream } from '../upstream/upstream.ts'
import { PlantMockError } from '../util/errors.ts'
import { listen, urlOf } from './address.ts'
import { clientErrorHandler } from './client-error.ts'
import { composeListener, warn } from './compose.ts'
import { trackConnections } from './drain.ts'
import type { StartOptions } from './options.ts'
import type { Tls } from './tls.ts'
import { type NoteUpgrade, upgradeListener } from './upgrades.ts'

export type StartedPlantMock = {
  /** The address that is bound, such as `http://127.0.0.1:4010`. */
  readonly url: string
  readonly mock: LocalPlantMock
  /** The address of the control interface; `undefined` when it is off: not on loopback, and no `controlKey`. */
  readonly controlUrl: string | undefined
  /** The file that keeps the plants; `undefined` without `persist`. */
  readonly persisted: Pick<PersistedPlants, 'initialCount' | 'path' | 'reload'> | undefined
  /**
   * Refuses new connections, closes idle ones, and resolves when the requests in flight have their responses, or after
   * `grace`. Further calls return the same promise.
   */
  readonly close: () => Promise<void>
}

/** How often node:http checks for requests that exceed a timeout, in milliseconds. */
const maxCheckInterval = 1_000

/**
 * Starts the mock as an HTTP server.
 * @throws AddressError when the address cannot be bound; PlantMockError for options that exclude each other, and for a
 * fixture, token, assumption, certificate or file that is unusable.
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

const start = async (options: StartOptions, persisted: PersistedPlants | undefined): Promise<StartedPlantMock> => {
  const { port = 0, host = '127.0.0.1', grace = 5_000 } = options
  let recorder: Recorder | undefined
  const upstream = options.upstream && (await openUpstream(options.upstream, (observed) => recorder?.observe(observed)))
  if (options.mock !== undefined && upstream?.handler !== undefined)
    throw new PlantMockError('The options mock and upstream.for exclude each other. Remove one of them.')
  const mock = options.mock ?? (await createMock(options, upstream, persisted))
  if (options.upstream?.record !== undefined)
    recorder = await openRecorder(options.upstream.record, mock, options.onNotice)
  const closing = new AbortController()
  const { signal } = closing
  // Each event stream and each WebSocket adds a listener; their number is no sign of a leak.
  setMaxListeners(0, signal)
  let url = ''
  const listener = trackLastResponse(composeListener({ ...options, host }, mock, upstream, signal, () => url))
  const server = await createHttpServer(serverOptions(options), options.tls, listener)
  if (upstream !== undefined) {
    const log = { instances: mock.instances, onRequest: options.onRequest }
    const note: NoteUpgrade = (req) => logUpgrade(log, req)
    server.on('upgrade', upgradeListener(upstream, listener, note, signal))
  }
  server.on('clientError', clientErrorHandler(mock))
  const drain = trackConnections(server)
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
  const hasControl = options.controlKey !== undefined || isLoopback(host)
  return {
    url,
    mock,
    controlUrl: hasControl ? `${url}${controlPath}/` : undefined,
    persisted: persisted && {
      initialCount: persisted.initialCount,
      path: persisted.path,
      reload: () => reload(persisted, mock),
    },
    close,
  }
}

const serverOptions = ({ headersTimeout = 10_000, requestTimeout = 30_000 }: StartOptions): ServerOptions => ({
  headersTimeout,
  requestTimeout,
  connectionsCheckingInterval: Math.min(
    maxCheckInterval,
    headersTimeout || maxCheckInterval,
    requestTimeout || maxCheckInterval,
  ),
  // Joins a repeated Authorization or Host into one value, as fetch does. It is invalid, so neither of the two is used.
  joinDuplicateHeaders: true,
})

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

// perf: modules that only some options need are imported on demand, for a short cold start (`npm run bench`).
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
      'The option persist excludes mock and store, which hold plants already. Remove one of them.',
    )
  if (upstream?.for !== undefined && upstream.for !== 'rest')
    throw new PlantMockError(
      `The option persist excludes upstream.for "${upstream.for}", with which the upstream holds the plants. Remove one of them.`,
    )
  return (await import('../persist/open.ts')).openPersistedPlants({ file, onNotice })
}

/** @returns How many plants the file holds; `undefined` when it has not changed. */
const reload = (persisted: PersistedPlants, { instances }: LocalPlantMock): number | undefined => {
  const count = persisted.reload()
  if (count !== undefined) instances.root.plantsChanged()
  return count
}

const openRecorder = async (
  file: string,
  { instances }: LocalPlantMock,
  onNotice: StartOptions['onNotice'] = warn,
): Promise<Recorder> => {
  const recorder = await import('../upstream/recorder.ts')
  return recorder.openRecorder({ file, nameOf: instances.callers.pseudonymOf, onNotice })
}

const createHttpServer = async (
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
