import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { belowControl } from '../../core/http/control-path.ts'
import { maxHeldBody } from '../../core/http/exchange.ts'
import { filterHeaders, fromFetchHeaders, headerEntries } from '../../core/http/headers.ts'
import { mayHaveLength } from '../../core/http/status.ts'
import { redactorOf } from '../../core/journal/redact.ts'
import { isError } from '../../util/errors.ts'
import { messageOf } from '../../util/words.ts'
import type { Cors } from '../listener/cors.ts'
import { hasBody, NodeRequest, requestTarget, unsupportedTransfer } from '../listener/exchange.ts'
import { type RequestLog, watchOverride } from '../listener/logged-request.ts'
import type { Handled } from '../listener/respond.ts'
import { holdBody } from '../upstream/handler.ts'

/** Responds to a request, or returns `undefined` to leave it to the mock, like `getResponse` of msw. */
export type Respond = (request: Request) => Promise<Response | undefined>

type HandlersOptions = {
  readonly respond: Respond
  readonly url: () => string
  readonly log: RequestLog
  readonly onNotice: (text: string) => void
  readonly cors: Cors
}

export const handlersListener = ({ respond, url, log, onNotice, cors }: HandlersOptions) => {
  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<boolean> => {
    const body = await bufferBody(req)
    const request = body === 'too large' ? undefined : toRequest(req, url(), body)
    const response = request && (await respond(request))
    if (response === undefined || response.headers.get('x-msw-intention') === 'passthrough') return false
    await Promise.all([watchOverride(log, req, res), writeResponse(response, req, res, cors)])
    return true
  }

  return (req: IncomingMessage, res: ServerResponse): Handled => {
    if (belowControl(new NodeRequest(req).path) !== undefined || unsupportedTransfer(req) !== undefined) return false
    return handle(req, res).catch((error: unknown) => {
      if (res.destroyed) return true
      const redact = redactorOf({ headers: req.rawHeaders }, log.instances.callers)
      onNotice(`a handler threw: ${redact((isError(error) && error.stack) || messageOf(error))}`)
      if (res.headersSent) res.destroy()
      else {
        const headers = ['Content-Type', 'text/plain; charset=utf-8', 'Plant-Mock-Source', 'handlers', ...cors(req)]
        res.writeHead(500, headers).end('A handler threw an error. See the log of plant-mock.')
      }
      return true
    })
  }
}

const bufferBody = async (req: IncomingMessage & { body?: unknown }): Promise<Buffer | 'too large' | undefined> => {
  if (!hasBody(req)) return undefined
  if (Number(req.headers['content-length'] ?? 0) > maxHeldBody) return 'too large'
  const { bytes, rest } = await holdBody(req.iterator({ destroyOnReturn: false }))
  if (rest !== undefined) {
    req.unshift(bytes)
    return 'too large'
  }
  req.body = bytes
  return bytes
}

/** Returns `undefined` for a request that the class `Request` refuses, such as TRACE. */
const toRequest = (req: IncomingMessage, url: string, body: Buffer | undefined): Request | undefined => {
  const { rawHeaders, method = 'GET' } = req
  const headers = new Headers(headerEntries(rawHeaders))
  try {
    return new Request(`${url}${requestTarget(req)}`, {
      method,
      headers,
      ...(body !== undefined && method !== 'GET' && method !== 'HEAD' && { body: new Uint8Array(body) }),
    })
  } catch {
    return undefined
  }
}

const writeResponse = async (
  response: Response,
  req: IncomingMessage,
  res: ServerResponse,
  cors: Cors,
): Promise<void> => {
  if (response.type === 'error') {
    res.socket?.resetAndDestroy()
    return
  }
  const given = filterHeaders(
    fromFetchHeaders(response.headers),
    (name) => name !== 'content-length' || mayHaveLength(response.status),
  )
  const headers = [...given, 'Plant-Mock-Source', 'handlers']
  if (!response.headers.has('access-control-allow-origin')) headers.push(...cors(req))
  res.writeHead(response.status, headers)
  if (response.body === null || req.method === 'HEAD') res.end()
  else await pipeline(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]), res)
}
