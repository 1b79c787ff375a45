import type { IncomingMessage } from 'node:http'
import { messageOf } from '../../util/words.ts'
import type { ControlListener } from '../control/listener.ts'
import { belowControl, controlPath } from '../control/paths.ts'
import { problemResponse } from '../control/problem-response.ts'
import { NodeExchange } from '../listener/exchange.ts'

/**
 * The control interface, loaded at its first request. node:http buffers the bodies of requests that wait for it. When
 * loading fails, they are refused, and a later request tries again.
 * @param onNotice Receives the reason when loading fails.
 */
export const controlOnDemand = (
  load: () => Promise<ControlListener>,
  onNotice: (text: string) => void,
): ControlListener => {
  let listener: ControlListener | undefined
  let loading: Promise<ControlListener> | undefined

  const tryToLoad = async (): Promise<ControlListener> => {
    try {
      listener = await load()
      return listener
    } catch (error) {
      onNotice(`The control interface cannot be loaded: ${messageOf(error)}`)
      return unavailable
    } finally {
      loading = undefined
    }
  }

  return (req, res) => {
    if (listener !== undefined) return listener(req, res)
    if (!isForControl(req)) return false
    loading ??= tryToLoad()
    // The client may have disconnected, or got a response because the rest of its request is invalid.
    return loading.then((loaded) => res.destroyed || res.headersSent || loaded(req, res))
  }
}

/** perf: finds the requests of the service before parsing their URL (`npm run bench`). */
const isForControl = (req: IncomingMessage): boolean =>
  req.url?.includes(controlPath) === true && belowControl(new NodeExchange(req).path) !== undefined

const unavailable: ControlListener = (req, res) => {
  req.resume()
  const { status, headers, body } = problemResponse(
    'internal-error',
    'The control interface cannot be loaded. The log of plant-mock has the reason.',
  )
  res.writeHead(status, [...headers, 'Content-Length', String(Buffer.byteLength(body))]).end(body)
  return true
}
