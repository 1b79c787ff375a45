import type { LoggedRequest } from '../adapters/node/logged-request.ts'
import type { Fixtures } from '../fixtures/load.ts'
import type { LocalPlantMock } from '../mock/create-plant-mock.ts'
import type { PlantMockOptions } from '../mock/options.ts'
import type { UpstreamOptions } from '../upstream/options.ts'
import type { Respond } from './handlers-first.ts'
import type { Tls } from './tls.ts'

export type StartOptions = Omit<PlantMockOptions, 'fixtures'> & {
  /** Default: 0, any free port. */
  readonly port?: number
  /** The address to bind. Default: 127.0.0.1, reachable from this machine alone. */
  readonly host?: string
  /** Plants, or names of shipped fixtures and paths of fixture files. Default: none. */
  readonly fixtures?: Fixtures
  /**
   * An `.ndjson` file in which the mock's own plants are kept: a create is answered only after it is written. With plants
   * in it, these are served, and `fixtures` are what a reset goes back to. Sessions stay in memory.
   */
  readonly persist?: string
  /** A mock to serve; the options that make one then do not apply. */
  readonly mock?: LocalPlantMock
  /**
   * The key that requests to `/__plant-mock/` must carry as `Plant-Mock-Control-Key`. Without one, they are answered
   * on an address of this machine alone.
   */
  readonly controlKey?: string
  /** Why assumptions have the values that they start with, in words: the dashboard shows it. */
  readonly provenance?: Readonly<Record<string, string>>
  /** A real service that gets what the mock does not serve, and the contract's operations too if that is wanted. */
  readonly upstream?: UpstreamOptions
  /** Answers before the mock does, or leaves a request to it: `(request) => getResponse(handlers, request)` of msw. */
  readonly respond?: Respond
  /** Serve HTTPS with this certificate and key. */
  readonly tls?: Tls
  /** Told of each answered request. */
  readonly onRequest?: (request: LoggedRequest) => void
  /** How long `close()` lets requests in flight go on before it cuts them off, in milliseconds. Default: 5000. */
  readonly grace?: number
  /** How long the headers of a request may take to arrive, in milliseconds; 0 for as long as they like. Default: 10000. */
  readonly headersTimeout?: number
  /** How long a whole request may take to arrive, in milliseconds; 0 for as long as it likes. Default: 30000. */
  readonly requestTimeout?: number
}
