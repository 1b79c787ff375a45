import { setMaxListeners } from 'node:events'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { FixturePlant } from '../../core/contract/schemas.ts'
import type { OnNotice } from '../../core/fixtures/rows.ts'
import { controlPath } from '../../core/http/control-path.ts'
import { createInternalMock, type LocalPlantMock, localMock, mockOf } from '../../core/mock/create-plant-mock.ts'
import { createMockInstances, type MockInternals } from '../../core/mock/instances.ts'
import { checkWithoutMockOptions, type PlantMockOptions } from '../../core/mock/options.ts'
import { namesIn } from '../../core/mock/shipped.ts'
import { Plants } from '../../core/model/plants.ts'
import { replacePlants } from '../../core/model/state.ts'
import { checkOptions } from '../../util/check-options.ts'
import { PlantMockError } from '../../util/errors.ts'
import { printableLines } from '../../util/terminal.ts'
import { checkBasePath } from '../control/paths.ts'
import type { Fixtures } from '../files/load-fixtures.ts'
import { createCors } from '../listener/cors.ts'
import type { PersistedPlants } from '../persist/open.ts'
import type { OpenState } from '../replication/join-mock.ts'
import type { Recorder } from '../upstream/recorder.ts'
import { targetBelow } from './base-path.ts'
import { composeListener, hasControl } from './compose.ts'
import { clientErrorHandler, trackConnections } from './connections.ts'
import { checkTls, listen, otherStartNames, type StartOptions, startOptionNames, urlOf } from './options.ts'

export type StartedPlantMock = {
  /** The bound address, such as `http://127.0.0.1:4010`. */
  readonly url: string
  readonly mock: LocalPlantMock
  /** The address of the control interface; `undefined` if the host is not loopback and `controlKey` is not set. */
  readonly controlUrl: string | undefined
  readonly persisted:
    | {
        readonly path: string
        /** The number of plants in the file at the start; 0 if the mock started with the fixtures. */
        readonly initialCount: number
        /**
         * Reloads the plants if another program has changed the file.
         * @returns The number of plants; `undefined` if the plants are unchanged.
         * @throws PlantMockError if the file is invalid. The mock then keeps its plants, and refuses changes until a
         * reload succeeds.
         */
        readonly reload: () => number | undefined
      }
    | undefined
  /** The address of the shared store, without credentials; `undefined` without a store. */
  readonly sharedStore: string | undefined
  /** Stops the server. Resolves when the requests in flight have their responses, or after `grace` milliseconds. */
  readonly close: () => Promise<void>
}

/**
 * Starts the mock as an HTTP server.
 * @throws AddressError if the address cannot be bound; PlantMockError for unknown or conflicting options, and for an
 * unusable fixture, token, assumption, certificate or file.
 */
export const startPlantMock = async (options: StartOptions = {}): Promise<StartedPlantMock> => {
  checkOptions(options, startOptionNames, 'startPlantMock', otherStartNames)
  return startServer(options, {})
}

export const startServer = async (options: StartOptions, internals: MockInternals): Promise<StartedPlantMock> => {
  const cleanups: (() => void)[] = []
  try {
    return await start(options, internals, cleanups)
  } catch (error) {
    for (const cleanup of cleanups) cleanup()
    throw error
  }
}

/** perf: imports the modules of rare options on demand, which shortens the start (`npm run bench`). */
const start = async (
  options: StartOptions,
  internals: MockInternals,
  cleanups: (() => void)[],
): Promise<StartedPlantMock> => {
  const persisted = options.persist === undefined ? undefined : await openPersisted(options.persist, options)
  if (persisted !== undefined) cleanups.push(persisted.discard)
  const { port = 0, host = '127.0.0.1', grace = 5_000, onNotice = warn, onRequest } = options
  const { allowOrigins = [] } = options
  const cors = createCors(allowOrigins)
  const basePath = options.basePath === undefined ? '' : checkBasePath(options.basePath, 'The option basePath')
  let recorder: Recorder | undefined
  const upstream =
    options.upstream &&
    (await import('../upstream/upstream.ts')).createUpstream(
      options.upstream,
      { host, allowOrigins, basePath },
      (...exchange) => recorder?.observe(...exchange),
    )
  if (options.mock !== undefined && upstream?.handler !== undefined)
    throw new PlantMockError('The options mock and upstream.for exclude each other. Remove one of them.')
  if (options.mock !== undefined) checkWithoutMockOptions(options)
  const opened = await openMock(options, persisted, { ...internals, upstream: upstream?.handler })
  const { mock, shared } = opened
  if (shared !== undefined) cleanups.push(shared.close)
  const { instances } = mock
  const file = options.upstream?.record
  if (file !== undefined)
    recorder = await (await import('../upstream/recorder.ts')).openRecorder(file, instances.callers, onNotice)
  const closing = new AbortController()
  const { signal } = closing
  allowManyListeners(signal)
  let url = ''
  const listener = await composeListener(
    { ...options, host, onNotice, cors, basePath },
    mock,
    upstream,
    signal,
    () => url,
  )
  const upgrades = upstream && (await import('./upgrades.ts'))
  const server = await createServer(options, listener, upgrades?.WebSocketMessage)
  if (upstream !== undefined && upgrades !== undefined) {
    const upgrade = upgrades.upgradeListener(upstream, { instances, onRequest }, signal)
    server.on('upgrade', (req, socket: Socket, head) => {
      req.url = targetBelow(req, basePath) ?? req.url ?? '/'
      upgrade(req, socket, head)
    })
  }
  server.on('clientError', clientErrorHandler(mock))
  const drain = trackConnections(server)
  await listen(server, port, host)
  const origin = urlOf(server.address() as AddressInfo, options.tls === undefined ? 'http' : 'https')
  url = `${origin}${basePath}`

  let closed: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing.abort()
    closed ??= drain(grace).then(() => {
      upstream?.close()
      persisted?.close()
      shared?.close()
      return recorder?.close()
    })
    return closed
  }
  return {
    url,
    mock,
    controlUrl: hasControl(options.controlKey, host) ? `${origin}${controlPath}/` : undefined,
    sharedStore: shared?.shown,
    persisted: opened.persisted,
    close,
  }
}

const allowManyListeners = (signal: AbortSignal): void => {
  try {
    setMaxListeners(0, signal)
  } catch {
    // `setMaxListeners` throws for the AbortSignal of a simulated browser (happy-dom). Such a signal has no limit.
  }
}

const warn = (text: string): void => console.warn(`plant-mock: ${printableLines(text)}`)

const createServer = async (
  { headersTimeout = 10_000, requestTimeout = 30_000, tls }: StartOptions,
  listener: RequestListener,
  Message: typeof IncomingMessage | undefined,
): Promise<Server> => {
  const options: ServerOptions = {
    headersTimeout,
    requestTimeout,
    connectionsCheckingInterval: Math.min(headersTimeout || 1_000, requestTimeout || 1_000, 1_000),
    // Joins repeated Authorization and Host headers, which makes them invalid. By default, Node.js uses only the first.
    joinDuplicateHeaders: true,
    requireHostHeader: false,
    ...(Message !== undefined && { IncomingMessage: Message }),
  }
  if (tls === undefined) return createHttpServer(options, listener)
  const https = await import('node:https')
  return https.createServer({ ...options, ...(await checkTls(tls)) }, listener)
}

type OpenedMock = {
  readonly mock: LocalPlantMock
  readonly shared?: OpenState
  readonly persisted?: StartedPlantMock['persisted']
}

const openMock = async (
  { fixtures = [], store, mock, ...rest }: StartOptions,
  persisted: PersistedPlants | undefined,
  internals: MockInternals,
): Promise<OpenedMock> => {
  if (mock !== undefined) return { mock: localMock(mock, 'The option mock') }
  const options = { ...rest, fixtures: await plantsOf(fixtures, rest.onNotice ?? warn) }
  if (store !== undefined) {
    if (typeof store.open !== 'function')
      throw new PlantMockError('The option store must be the result of sharedState() of plant-mock/redis.')
    const { onNotice = warn } = rest
    const shared = await store.open({ mock: options, upstream: internals.upstream, onNotice })
    return { mock: mockOf(shared.instances), shared }
  }
  return persisted === undefined
    ? { mock: createInternalMock(options, internals) }
    : openPersistedMock(options, persisted, internals)
}

const openPersistedMock = (
  options: PlantMockOptions,
  { plants, path, keyOf, write, reload }: PersistedPlants,
  internals: MockInternals,
): OpenedMock => {
  const initialCount = plants?.length ?? 0
  const kept = initialCount === 0 ? {} : { plants }
  const instances = createMockInstances(options, { ...internals, keyOf, write, ...kept })
  const { root } = instances
  if (initialCount === 0) write(Plants.none, root.memory.state.plants)
  return {
    mock: mockOf(instances),
    persisted: {
      path,
      initialCount,
      reload() {
        const read = reload()
        if (read === undefined || read.equals(root.memory.state.plants)) return undefined
        root.adopt((state) => replacePlants(state, read))
        return read.length
      },
    },
  }
}

const plantsOf = async (fixtures: Fixtures, onNotice: OnNotice): Promise<Iterable<FixturePlant>> =>
  namesIn(fixtures) === undefined
    ? (fixtures as Iterable<FixturePlant>)
    : (await import('../files/load-fixtures.ts')).plantsIn(fixtures, onNotice)

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
      `The option persist excludes upstream.for "${upstream.for}", because the upstream then holds the plants. Remove one of them.`,
    )
  return (await import('../persist/open.ts')).openPersistedPlants({ file, onNotice })
}
