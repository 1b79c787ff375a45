import { setMaxListeners } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createPlantMock, type LocalPlantMock } from '../adapters/fetch.ts'
import { hasBody } from '../adapters/node-body.ts'
import {
  nodeListener,
  noteUpgrade,
  noteWhenDone,
  type ServedRequest,
  targetOf,
} from '../adapters/node-listener.ts'
import { AddressError, PlantMockError } from '../contract/errors.ts'
import type { ProblemType } from '../contract/problems.ts'
import { isLoopback } from '../control/guard.ts'
import { controlListener } from '../control/listener.ts'
import { controlPath } from '../control/paths.ts'
import { oneOf, pageListener } from '../dashboard/listener.ts'
import { type Fixtures, plantsIn } from '../fixtures/load.ts'
import type { PlantMockOptions } from '../mock/options.ts'
import type { Origin, Reply } from '../service/exchange.ts'
import type { UpstreamOptions } from '../upstream/options.ts'
import type { Recorder } from '../upstream/recorder.ts'
import type { createUpstream as CreateUpstream, Upstream } from '../upstream/upstream.ts'
import { handlersFirst, type Respond } from './handlers.ts'
import type { Tls } from './tls.ts'

export type StartOptions = Omit<PlantMockOptions, 'fixtures' | 'origin'> & {
  /** Default: 0, any free port. */
  readonly port?: number
  /** The address to bind. Default: 127.0.0.1, reachable from this machine alone. */
  readonly host?: string
  /** Plants, or names of shipped fixtures and paths of fixture files. Default: none. */
  readonly fixtures?: Fixtures
  /** A mock to serve; the options that make one then do not apply. */
  readonly mock?: LocalPlantMock
  /**
   * The key that requests to `/__plant-mock/` must carry as `Plant-Mock-Control-Key`. Without one, they are answered
   * on an address of this machine alone.
   */
  readonly controlKey?: string
  /** Why assumptions have the values that they start with, in words: the dashboard shows it. */
  readonly origins?: Readonly<Record<string, string>>
  /** A real service that gets what the mock does not serve, and the contract's operations too if that is wanted. */
  readonly upstream?: UpstreamOptions
  /** Answers before the mock does, or leaves a request to it: `(request) => getResponse(handlers, request)` of msw. */
  readonly respond?: Respond
  /** Serve HTTPS with this certificate and key. */
  readonly tls?: Tls
  /** Told of each answered request. */
  readonly onRequest?: (request: ServedRequest) => void
  /** How long `close()` lets requests in flight go on before it cuts them off, in milliseconds. Default: 5000. */
  readonly grace?: number
  /** How long the headers of a request may take to arrive, in milliseconds. Default: 10000. */
  readonly headersTimeout?: number
  /** How long a whole request may take to arrive, in milliseconds. Default: 30000. */
  readonly requestTimeout?: number
}

export type StartedPlantMock = {
  /** The address really bound, such as `http://127.0.0.1:4010`. */
  readonly url: string
  readonly mock: LocalPlantMock
  /** Where the mock can be asked about itself; `undefined` when that is off, on an address that others reach. */
  readonly controlUrl: string | undefined
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
  const { port = 0, host = '127.0.0.1', grace = 5_000 } = options
  const { headersTimeout = 10_000, requestTimeout = 30_000 } = options
  const timeouts = {
    headersTimeout,
    requestTimeout,
    connectionsCheckingInterval: Math.min(longestCheck, headersTimeout, requestTimeout),
  }
  let recorder: Recorder | undefined
  const upstream =
    options.upstream && (await openUpstream(options.upstream, (observed) => recorder?.observe(observed)))
  if (options.mock !== undefined && upstream?.origin !== undefined)
    throw new PlantMockError('A mock that is given answers by itself: leave out mock, or upstream.for.')
  const mock = options.mock ?? createPlantMock(await mockOptions(options, upstream?.origin))
  if (options.upstream?.record !== undefined)
    recorder = await record(options.upstream.record, mock, options.onNotice)
  const closing = new AbortController()
  const { signal } = closing
  // Each stream of events and each WebSocket listens to it, however many there are.
  setMaxListeners(0, signal)
  let url = ''
  const listener = compose({ ...options, host }, mock, upstream, signal, () => url)
  const server = await makeServer(timeouts, options.tls, listener)
  if (upstream !== undefined) {
    const note: NoteUpgrade = (req) => noteUpgrade(mock.worlds, options.onRequest, req)
    server.on('upgrade', upgrades(upstream, listener, note, signal))
  }
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => refuse(error, socket, mock))
  await listen(server, port, host)
  url = urlOf(server.address() as AddressInfo, options.tls === undefined ? 'http' : 'https')

  let closed: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing.abort()
    closed ??= new Promise((resolve) => {
      const cutOff = setTimeout(() => server.closeAllConnections(), grace)
      server.close(() => {
        clearTimeout(cutOff)
        upstream?.close()
        resolve(recorder?.close())
      })
      server.closeIdleConnections()
    })
    return closed
  }
  const isOpen = options.controlKey !== undefined || isLoopback(host)
  return { url, mock, controlUrl: isOpen ? `${url}${controlPath}/` : undefined, close }
}

const mockOptions = async (
  { fixtures = [], ...options }: StartOptions,
  origin: Origin | undefined,
): Promise<PlantMockOptions> => ({
  ...options,
  ...(origin !== undefined && { origin }),
  fixtures: await plantsIn(fixtures),
})

/** What only some servers need is loaded for these: it would make the start of all others slower. */
const openUpstream = async (...args: Parameters<typeof CreateUpstream>): Promise<Upstream> => {
  const { createUpstream } = await import('../upstream/upstream.ts')
  return createUpstream(...args)
}

const record = async (
  file: string,
  { worlds }: LocalPlantMock,
  onNotice: StartOptions['onNotice'] = warn,
): Promise<Recorder> => {
  const { openRecorder } = await import('../upstream/recorder.ts')
  return openRecorder({ file, nameOf: worlds.pseudonym, onNotice })
}

const makeServer = async (
  timeouts: ServerOptions,
  tls: Tls | undefined,
  listener: RequestListener,
): Promise<Server> => {
  if (tls === undefined) return createServer(timeouts, listener)
  const [{ createServer: createSecureServer }, { checkTls }] = await Promise.all([
    import('node:https'),
    import('./tls.ts'),
  ])
  return createSecureServer({ ...timeouts, ...checkTls(tls) }, listener)
}

/** What answers a request, in turn: handlers of the user's, the control interface, the mock, the upstream. */
const compose = (
  {
    respond,
    onRequest,
    onNotice = warn,
    controlKey,
    origins,
    host,
  }: StartOptions & { readonly host: string },
  { worlds }: LocalPlantMock,
  upstream: Upstream | undefined,
  closing: AbortSignal,
  url: () => string,
): RequestListener => {
  const next = nodeListener(worlds, {
    cors: true,
    anyMethod: upstream !== undefined || respond !== undefined,
    onRequest,
    closing,
    first: oneOf(
      pageListener({ hasKey: controlKey !== undefined, host }),
      controlListener(worlds, { key: controlKey, host, closing, origins }),
    ),
    elsewhere: upstream?.forwarder.web,
  })
  if (respond === undefined) return next
  return handlersFirst({
    respond,
    url,
    next,
    onAnswer: (req, res) => noteWhenDone(worlds, onRequest, req, res, 'handlers'),
    onFailure: (error) => onNotice(`a handler failed: ${error instanceof Error ? error.stack : error}`),
  })
}

const warn = (text: string): void => console.warn(`plant-mock: ${text}`)

/**
 * WebSockets are the upstream's. Another upgrade, and one of the control interface, is not taken, and answered as if
 * it had not been asked for (RFC 9110, 7.8). What was upgraded is no more a connection that the server knows and closes.
 */
const upgrades =
  ({ forwarder }: Upstream, listener: RequestListener, note: NoteUpgrade, closing: AbortSignal) =>
  (req: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const cutOff = () => socket.destroy()
    socket.on('error', cutOff)
    closing.addEventListener('abort', cutOff)
    socket.on('close', () => closing.removeEventListener('abort', cutOff))
    const isControl = targetOf(req).startsWith(controlPath)
    if (req.headers.upgrade?.toLowerCase() === 'websocket' && !isControl)
      forwarder.upgrade(req, socket, head, note(req))
    else ordinary(req, socket as Socket, listener)
  }

type NoteUpgrade = (req: IncomingMessage) => (status: number) => void

/** The parser has stopped at the headers, so that a body cannot be read any more. */
const ordinary = (req: IncomingMessage, socket: Socket, listener: RequestListener): void => {
  const res = new ServerResponse(req)
  res.shouldKeepAlive = false
  res.assignSocket(socket)
  res.on('finish', () => socket.end())
  if (hasBody(req))
    res.writeHead(400, { 'Content-Type': 'text/plain' }).end('An upgrade with a body is not taken.\n')
  else listener(req, res)
}

const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      explain(error, port, host).then((message) => reject(new AddressError(message)), reject)
    })
    server.listen(port, host, resolve)
  })

const explain = async (
  { code, message }: NodeJS.ErrnoException,
  port: number,
  host: string,
): Promise<string> => {
  switch (code) {
    case 'EADDRINUSE': {
      const free = await nextFreePort(port + 1, host)
      return `Port ${port} on ${host} is taken.${free === undefined ? '' : ` Port ${free} is free: --port ${free}`}`
    }
    case 'EACCES':
      return `Port ${port} needs more rights than this process has. Use a port from 1024 on, or 0 for any free one.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 to be reached from others.`
    default:
      return `The server cannot listen on ${host}, port ${port}: ${message}.`
  }
}

const nextFreePort = async (from: number, host: string): Promise<number | undefined> => {
  for (let port = from; port < from + 100 && port <= 65_535; port++) {
    const probe = createServer()
    const free = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false))
      probe.listen(port, host, () => probe.close(() => resolve(true)))
    })
    if (free) return port
  }
  return undefined
}

const urlOf = ({ address, family, port }: AddressInfo, protocol: 'http' | 'https'): string =>
  `${protocol}://${family === 'IPv6' ? `[${address}]` : address}:${port}`

/** Answers what the parser of node:http refused: there is no request object, so the answer is written by hand. */
const refuse = (error: NodeJS.ErrnoException, socket: Socket, mock: LocalPlantMock): void => {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const type = refusals[error.code ?? ''] ?? 'malformed-request'
  socket.end(asText(mock.worlds.root.problem(type, details[type] ?? `${error.message}.`)))
}

const refusals: Readonly<Record<string, ProblemType>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
}

const details: Readonly<Partial<Record<ProblemType, string>>> = {
  'headers-too-large': 'The headers together may have 16 KiB.',
  'request-timeout': 'Send headers and body without a long pause.',
}

const asText = ({ status, headers, body = '' }: Reply): string => {
  const pairs = Array.from(
    { length: headers.length / 2 },
    (_, i) => `${headers[2 * i]}: ${headers[2 * i + 1]}\r\n`,
  )
  return (
    `HTTP/1.1 ${status} ${reasons[status] ?? 'Bad Request'}\r\n${pairs.join('')}` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  )
}

const reasons: Readonly<Record<number, string>> = {
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}
