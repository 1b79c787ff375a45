import { isLoopback } from '../../core/http/address.ts'
import type { LocalPlantMock } from '../../core/mock/create-plant-mock.ts'
import type { ControlOptions } from '../control/listener.ts'
import { belowControl, checkControlKey, controlPath } from '../control/paths.ts'
import type { ControlListener } from '../dashboard/listener.ts'
import type { Cors } from '../listener/cors.ts'
import { NodeExchange } from '../listener/exchange.ts'
import { nodeListener } from '../listener/listener.ts'
import type { GuardedListener, LastGuard } from '../listener/respond.ts'
import type { Upstream } from '../upstream/upstream.ts'
import type { StartOptions } from './options.ts'
import { rootPage } from './root-page.ts'

/**
 * Composes the listener of a server. The first part that handles a request responds: the user's handlers, the page
 * at `/` (unless an upstream has it), the dashboard page, the control interface, the mock, the upstream.
 * @param url The address of the server, which is known once it listens.
 */
export const composeListener = async (
  options: StartOptions &
    Required<Pick<StartOptions, 'host' | 'onNotice'>> & { readonly cors: Cors; readonly guard: LastGuard },
  { instances }: LocalPlantMock,
  upstream: Upstream | undefined,
  closing: AbortSignal,
  url: () => string,
): Promise<GuardedListener> => {
  const { respond, onRequest, onNotice, controlKey, provenance, host, cors, guard } = options
  const key = checkControlKey(controlKey, 'The option controlKey')
  const control: ControlOptions = { key, host, closing, provenance }
  const mock: GuardedListener = nodeListener(instances, {
    cors,
    guard,
    anyMethod: upstream !== undefined || respond !== undefined,
    onRequest,
    closing,
    first: controlOnDemand(async () =>
      (await import('../dashboard/listener.ts')).dashboardListener(instances, control),
    ),
    forwarding: upstream && {
      web: upstream.forwarder.web,
      operations: upstream.handler !== undefined,
      refusalFor: upstream.refusalFor,
    },
  })
  const log = { instances, onRequest }
  const root =
    upstream === undefined
      ? rootPage({ instances, url, hasControl: hasControl(controlKey, host) }, cors, log)
      : undefined
  const next: GuardedListener = (req, res) => root?.(req, res) || mock(req, res)
  if (respond === undefined) return next
  const { handlersFirst } = await import('./handlers-first.ts')
  return handlersFirst({ respond, url, next, log, onNotice, cors })
}

/** Whether a server has a control interface: with a key, or if no other machine can reach it. */
export const hasControl = (controlKey: string | undefined, host: string): boolean =>
  controlKey !== undefined || isLoopback(host)

/** perf: loads the control interface at its first request, for a short cold start (`npm run bench`). */
const controlOnDemand = (load: () => Promise<ControlListener>): ControlListener => {
  let listener: ControlListener | undefined
  return (req, res) => {
    if (listener !== undefined) return listener(req, res)
    // perf: recognises requests of the service without parsing their URL (`npm run bench`).
    if (!req.url?.includes(controlPath) || belowControl(new NodeExchange(req).path) === undefined) return false
    return load().then((loaded) => {
      listener ??= loaded
      // The client may have disconnected, or may have got a response because the rest of its request is invalid.
      return res.destroyed || res.headersSent || listener(req, res)
    })
  }
}
