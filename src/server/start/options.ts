import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mockOptionNames, otherMockNames, type PlantMockOptions } from '../../core/mock/options.ts'
import type { PlantMock } from '../../core/mock/plant-mock.ts'
import type { OptionNames } from '../../util/check-options.ts'
import { AddressError, PlantMockError } from '../../util/errors.ts'
import type { Fixtures } from '../files/load-fixtures.ts'
import type { LoggedRequest } from '../listener/logged-request.ts'
import type { SharedState } from '../replication/shared-state.ts'
import type { UpstreamOptions } from '../upstream/upstream.ts'
import type { Respond } from './handlers-listener.ts'

export const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    // Refuses an empty host, such as the value of an empty variable, because node:http would bind every address.
    if (host === '') throw new AddressError(`The host is empty. ${hostAdvice}`)
    server.once('error', (error: NodeJS.ErrnoException) => reject(new AddressError(explain(error, port, host))))
    server.listen(port, host, resolve)
  })

const hostAdvice = 'Use 127.0.0.1, or 0.0.0.0 to accept connections from other machines.'

const explain = ({ code = '', message }: NodeJS.ErrnoException, port: number, host: string): string => {
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is taken. Use another port, or any free port with --port 0.`
  if (code === 'EACCES') return `No permission to bind port ${port}. Use a port from 1024 up, or 0 for any free port.`
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code))
    return `${host} is not an address of this machine. ${hostAdvice}`
  return `Failed to listen on port ${port} of ${host}: ${message}.`
}

export const urlOf = ({ address, family, port }: AddressInfo, protocol: 'http' | 'https'): string =>
  `${protocol}://${family === 'IPv6' ? `[${address}]` : address}:${port}`

export type Tls = { readonly cert: string; readonly key: string }

export const checkTls = async ({ cert, key }: Tls): Promise<Tls> => {
  // perf: imports node:crypto on demand, which shortens each start.
  const { createPrivateKey, X509Certificate } = await import('node:crypto')
  const certificate = parse(() => new X509Certificate(cert), 'The certificate is not in PEM format')
  const privateKey = parse(
    () => createPrivateKey(key),
    'The key is not a private key in PEM format, or it has a passphrase',
  )
  if (!certificate.checkPrivateKey(privateKey))
    throw new PlantMockError('The certificate and the key do not match: the certificate was issued for another key.')
  return { cert, key }
}

const parse = <T>(attempt: () => T, message: string): T => {
  try {
    return attempt()
  } catch (error) {
    throw new PlantMockError(`${message} (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}).`)
  }
}

export type StartOptions = Omit<PlantMockOptions, 'fixtures'> & {
  /** The result of `sharedState` of `plant-mock/redis`, which shares state between processes. Default: in memory. */
  readonly store?: SharedState
  /** The port to bind. Default: 0, which selects any free port. */
  readonly port?: number
  /** The address to bind. Default: `127.0.0.1`, which only this machine can reach. */
  readonly host?: string
  /** The path of the service's base URL, such as `/api/v1`. Default: none; the plants are at `/plants`. */
  readonly basePath?: string
  /** Plants, or names of shipped fixtures and paths of fixture files. Default: no plants. */
  readonly fixtures?: Fixtures
  /**
   * An `.ndjson` file that stores the plants of the mock, but not of its sessions. The mock responds to a create after
   * writing the plant. If the file contains plants at the start, they replace `fixtures` until a reset. Default: plants
   * are kept in memory.
   */
  readonly persist?: string
  /** An existing mock to serve, without the options that configure a mock. Default: a new mock. */
  readonly mock?: PlantMock
  /**
   * The key that requests to `/__plant-mock/` must send in the header `Plant-Mock-Control-Key`: at least 8 characters.
   * Default: none; without a key, the control interface is off unless `host` is a loopback address.
   */
  readonly controlKey?: string
  /** Tells where the value of each assumption comes from, by assumption id, for the dashboard. Default: none. */
  readonly provenance?: Readonly<Record<string, string>>
  /** Origins whose pages may send credentials (`credentials: 'include'`) and reach the upstream. Default: none. */
  readonly allowOrigins?: readonly string[]
  /** A real service for requests outside of the contract, or for all requests. Default: none. */
  readonly upstream?: UpstreamOptions
  /** Responds before the mock, unless it returns `undefined`, like `getResponse` of msw. Default: none. */
  readonly respond?: Respond
  /** Serves HTTPS with this certificate and key. Default: HTTP. */
  readonly tls?: Tls
  /** Called for each finished request. Default: none. */
  readonly onRequest?: (request: LoggedRequest) => void
  /** How long `close()` waits for requests in flight, in milliseconds; `Infinity` for no limit. Default: 5000. */
  readonly grace?: number
  /** The maximum time for the headers of a request, in milliseconds; 0 for no limit. Default: 10000. */
  readonly headersTimeout?: number
  /** The maximum time for a whole request, in milliseconds; 0 for no limit. Default: 30000. */
  readonly requestTimeout?: number
}

export const startOptionNames: OptionNames<StartOptions> = {
  ...mockOptionNames,
  port: 'port',
  host: 'text',
  basePath: 'text',
  persist: 'text',
  store: 'object',
  mock: true,
  controlKey: true,
  provenance: 'object',
  allowOrigins: 'list',
  upstream: 'object',
  respond: 'function',
  tls: 'object',
  onRequest: 'function',
  grace: 'amount',
  headersTimeout: 'amount',
  requestTimeout: 'amount',
}

export const otherStartNames = {
  ...otherMockNames,
  hostname: 'host',
  allowOrigin: 'allowOrigins',
  cors: 'allowOrigins',
  key: 'controlKey',
  handlers: 'respond',
  https: 'tls',
  proxy: 'upstream',
} as const satisfies Record<string, keyof StartOptions>
