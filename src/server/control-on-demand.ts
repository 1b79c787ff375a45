import type { IncomingMessage, ServerResponse } from 'node:http'
import { NodeExchange } from '../adapters/node/exchange.ts'
import { refusalFor } from '../control/guard.ts'
import type { ControlListener, ControlOptions } from '../control/listener.ts'
import { belowControl, controlPath } from '../control/paths.ts'
import { problemResponse } from '../control/problem-response.ts'
import { messageOf } from '../util/words.ts'

/**
 * The control interface, loaded at its first request. Requests that arrive meanwhile wait in their order; node:http
 * buffers their bodies until something reads them. When loading fails, they are refused, and the next request tries again.
 * @param onNotice Receives the reason when loading fails.
 */
export const controlOnDemand = (
  load: () => Promise<ControlListener>,
  { closing, ...guard }: ControlOptions,
  onNotice: (text: string) => void,
): ControlListener => {
  let listener: ControlListener | undefined
  let loading: Promise<ControlListener | undefined> | undefined

  const loadOnce = async (): Promise<ControlListener | undefined> => {
    try {
      listener = await load()
    } catch (error) {
      onNotice(`The control interface cannot be loaded: ${messageOf(error)}`)
    }
    loading = undefined
    return listener
  }

  const refuse = (req: IncomingMessage, res: ServerResponse, { status, headers, body }: Refusal): void => {
    req.resume()
    const close = closing?.aborted ? ['Connection', 'close'] : []
    res.writeHead(status, [...headers, 'Content-Length', String(Buffer.byteLength(body)), ...close]).end(body)
  }

  return (req, res) => {
    // perf: rejects the requests of the service before parsing their URL (`npm run bench`).
    if (req.url?.includes(controlPath) !== true) return false
    if (listener !== undefined) return listener(req, res)
    const exchange = new NodeExchange(req)
    if (belowControl(exchange.path) === undefined) return false
    // Before the rest of a request can prove to be invalid. Those with GET may be for the page, which others may load.
    const refusal =
      req.method === 'GET' ? undefined : refusalFor((name) => exchange.header(name), req.socket.localAddress, guard)
    if (refusal !== undefined) {
      refuse(req, res, problemResponse(refusal.problem, refusal.detail))
      return true
    }
    loading ??= loadOnce()
    loading.then((loaded) => {
      // The client has disconnected, or has got a response because the rest of its request is invalid.
      if (res.destroyed || res.headersSent) return
      if (loaded !== undefined) loaded(req, res)
      else
        refuse(
          req,
          res,
          problemResponse(
            'internal-error',
            'The control interface cannot be loaded. The log of plant-mock has the reason.',
          ),
        )
    })
    return true
  }
}

type Refusal = ReturnType<typeof problemResponse>
