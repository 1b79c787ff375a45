import type { RequestListener } from 'node:http'
import { isLoopback } from '../../core/http/address.ts'
import { belowControl, controlPath } from '../../core/http/control-path.ts'
import type { LocalPlantMock } from '../../core/mock/create-plant-mock.ts'
import type { ControlOptions } from '../control/listener.ts'
import { checkControlKey } from '../control/paths.ts'
import type { ControlListener } from '../dashboard/listener.ts'
import { inTurn, trackResponses } from '../listener/connection.ts'
import type { Cors } from '../listener/cors.ts'
import { NodeRequest } from '../listener/exchange.ts'
import { type ListenerOptions, nodeListener } from '../listener/listener.ts'
import { firstOf, lastGuard, withLastGuard } from '../listener/respond.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { underBasePath } from './base-path.ts'
import { withOneHost } from './connections.ts'
import type { StartOptions } from './options.ts'
import { rootPage } from './root-page.ts'

/** A request passes these listeners from the outside in. `url` is known once the server listens. */
export const composeListener = async (
  options: ComposeOptions,
  mock: LocalPlantMock,
  upstream: Upstream | undefined,
  closing: AbortSignal,
  url: () => string,
): Promise<RequestListener> => {
  const { instances } = mock
  const { respond, onRequest, onNotice, controlKey, provenance, host, cors, basePath } = options
  // A page may read failures of the service, but not of the control interface.
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
            // An upstream may have its own page at `/`.
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

/** Without a key, no other machine may reach the control interface. */
export const hasControl = (controlKey: string | undefined, host: string): boolean =>
  controlKey !== undefined || isLoopback(host)

/** perf: loads the control interface at its first request, for a short cold start (`npm run bench`). */
const onDemand = (load: () => Promise<ControlListener>): ControlListener => {
  let listener: ControlListener | undefined
  return (req, res) => {
    if (listener !== undefined) return listener(req, res)
    // perf: parses no URL for requests of the service (`npm run bench`).
    if (!req.url?.includes(controlPath) || belowControl(new NodeRequest(req).path) === undefined) return false
    return load().then((loaded) => {
      listener ??= loaded
      // The client may have disconnected, or may have its response because the rest of its request is invalid.
      return res.destroyed || res.headersSent || listener(req, res)
    })
  }
}
