import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { isLoopback } from '../../core/http/address.ts'
import { belowControl, controlPath } from '../../core/http/control-path.ts'
import type { LocalPlantMock } from '../../core/mock/create-plant-mock.ts'
import type { MockInstances } from '../../core/mock/instances.ts'
import { storeAway } from '../../util/errors.ts'
import type { ControlOptions } from '../control/listener.ts'
import { checkControlKey, dashboardOff, firstCommand } from '../control/paths.ts'
import type { ControlListener } from '../dashboard/listener.ts'
import { inTurn, trackResponses } from '../listener/connection.ts'
import type { Cors } from '../listener/cors.ts'
import { NodeRequest } from '../listener/exchange.ts'
import { type ListenerOptions, nodeListener } from '../listener/listener.ts'
import { logRequest, type RequestLog } from '../listener/logged-request.ts'
import { endingResponse, firstOf, type Handled, lastGuard, respond, withLastGuard } from '../listener/respond.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { underBasePath } from './base-path.ts'
import { withOneHost } from './connections.ts'
import type { StartOptions } from './options.ts'

export const composeListener = async (
  options: ComposeOptions,
  mock: LocalPlantMock,
  upstream: Upstream | undefined,
  closing: AbortSignal,
  url: () => string,
): Promise<RequestListener> => {
  const { instances } = mock
  const { respond, onRequest, onNotice, controlKey, provenance, host, cors, basePath } = options
  // Sends no CORS headers for the control interface, because pages of other origins must not read it.
  const guard = lastGuard(instances.reportFailure, (req) => (req.url?.includes(controlPath) ? [] : cors(req)))
  const log = { instances, onRequest }
  const handlers =
    respond && (await import('./handlers-listener.ts')).handlersListener({ respond, url, log, onNotice, cors })
  const key = checkControlKey(controlKey, 'The option controlKey')
  const control: ControlOptions = { key, host, closing, provenance }
  const serviceOptions: ListenerOptions = {
    cors,
    guard,
    anyMethod: upstream !== undefined || respond !== undefined,
    onRequest,
    closing,
    forwarding: upstream,
  }
  return withLastGuard(
    trackResponses(
      withOneHost(
        mock,
        underBasePath(
          basePath,
          log,
          cors,
          firstOf(
            handlers,
            upstream === undefined &&
              rootPage({ instances, url, hasControl: hasControl(controlKey, host), closing }, cors, log),
            inTurn(
              onDemand(async () => (await import('../dashboard/listener.ts')).dashboardListener(instances, control)),
              nodeListener(instances, serviceOptions),
            ),
          ),
        ),
      ),
    ),
    guard,
  )
}

type ComposeOptions = Omit<StartOptions, 'basePath'> &
  Required<Pick<StartOptions, 'host' | 'onNotice' | 'basePath'>> & { readonly cors: Cors }

export const hasControl = (controlKey: string | undefined, host: string): boolean =>
  controlKey !== undefined || isLoopback(host)

/** perf: loads the control interface at its first request, which shortens each start (`npm run bench`). */
const onDemand = (load: () => Promise<ControlListener>): ControlListener => {
  let listener: ControlListener | undefined
  return (req, res) => {
    if (listener !== undefined) return listener(req, res)
    if (!req.url?.includes(controlPath) || belowControl(new NodeRequest(req).path) === undefined) return false
    return load().then((loaded) => {
      listener ??= loaded
      // Stops if the client disconnected during the import, or if the parser refused the request and responded.
      return res.destroyed || res.headersSent || listener(req, res)
    })
  }
}

type Page = {
  readonly instances: MockInstances
  readonly url: () => string
  readonly hasControl: boolean
  readonly closing: AbortSignal
}

const rootPage = (page: Page, cors: Cors, log: RequestLog) => {
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const began = performance.now()
    const { root, refresh } = page.instances
    const unreachable = { problem: 'store-unreachable', detail: storeAway, headers: ['Retry-After', '1'] } as const
    const refusal = await Promise.resolve(refresh()).then(
      () => undefined,
      () => root.problem(unreachable),
    )
    const body = textFor(req.headers.host, page)
    const headers = ['Content-Type', 'text/plain; charset=utf-8', ...fixedHeaders, ...cors(req)]
    if (page.closing.aborted) headers.push('Connection', 'close')
    respond(res, refusal === undefined ? { status: 200, headers, body } : endingResponse(refusal))
    logRequest(log, { req, began }, refusal?.status ?? 200, refusal)
  }
  return (req: IncomingMessage, res: ServerResponse): Handled => {
    const { url = '/', method, headers } = req
    if (/^\/[^?]/.test(url) || headers.authorization !== undefined) return false
    return (method === 'GET' || method === 'HEAD') && new NodeRequest(req).path === '/' && answer(req, res)
  }
}

const fixedHeaders = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff', 'Plant-Mock-Source', 'server']

const textFor = (host = '', { url, hasControl, instances }: Page): string => {
  const isHost = /^[\w.-]+(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/i.test(host)
  const base = isHost ? url().replace(/(?<=:\/\/)[^/]+/, () => host) : url()
  const dashboard = hasControl ? `${base}${controlPath}/` : dashboardOff
  return `plant-mock is ready. It is a mock of the plant store service.

Plants     ${firstCommand(base, instances.root.inForce)}
Dashboard  ${dashboard}
Guide      npx plant-mock help, or README.md in the package
`
}
