import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { corsHeaders } from '../adapters/node/cors.ts'
import { NodeExchange, requestTarget } from '../adapters/node/exchange.ts'
import { hasBody } from '../adapters/node/read-body.ts'
import { belowControl } from '../control/paths.ts'
import { maxHeldBody } from '../http/exchange.ts'

/** Answers a request, or does not: what msw's `getResponse` does with handlers. */
export type Respond = (request: Request) => Promise<Response | undefined>

type Listener = (req: IncomingMessage, res: ServerResponse) => void

export type HandlersOptions = {
  readonly respond: Respond
  /** The address of the server: handlers see absolute addresses. */
  readonly url: () => string
  readonly next: Listener
  /** Told of each answer that a handler gave. */
  readonly onAnswer: (req: IncomingMessage, res: ServerResponse) => void
  /** Told when a handler throws. */
  readonly onFailure: (error: unknown) => void
}

/** Lets handlers of the user's answer first; what they leave goes on as if they were not there. */
export const handlersFirst = ({ respond, url, next, onAnswer, onFailure }: HandlersOptions): Listener => {
  const answer = async (
    req: IncomingMessage,
    res: ServerResponse,
    body: Buffer | undefined,
  ): Promise<void> => {
    const request = requestOf(req, url(), body)
    const response = request && (await respond(request))
    if (response === undefined || response.headers.get('x-msw-intention') === 'passthrough') {
      next(req, res)
      return
    }
    onAnswer(req, res)
    await write(response, req, res)
  }

  return (req, res) => {
    if (belowControl(new NodeExchange(req).path) !== undefined) {
      next(req, res)
      return
    }
    holdBody(req)
      .then((body) => (body === 'too large' ? next(req, res) : answer(req, res, body)))
      .catch((error: unknown) => {
        // A client that leaves is no failure of a handler.
        if (res.destroyed) return
        onFailure(error)
        if (res.headersSent) res.destroy()
        else fail(req, res)
      })
  }
}

const fail = (req: IncomingMessage, res: ServerResponse): void => {
  const cors = req.headers.origin === undefined ? [] : corsHeaders
  res.writeHead(500, ['Content-Type', 'text/plain; charset=utf-8', 'Plant-Mock-Source', 'handlers', ...cors])
  res.end('A handler failed; the log says how.')
}

/** The body, which is put where later readers look for it; or the stream as it was, when it is too large. */
const holdBody = async (
  req: IncomingMessage & { body?: unknown },
): Promise<Buffer | 'too large' | undefined> => {
  if (!hasBody(req)) return undefined
  if (Number(req.headers['content-length'] ?? 0) > maxHeldBody) return 'too large'
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer)
    size += (chunk as Buffer).length
    if (size <= maxHeldBody) continue
    req.unshift(Buffer.concat(chunks))
    return 'too large'
  }
  const body = Buffer.concat(chunks)
  req.body = body
  return body
}

/** `undefined` for what a Request cannot be, such as a TRACE: handlers cannot be asked then. */
const requestOf = (req: IncomingMessage, url: string, body: Buffer | undefined): Request | undefined => {
  const headers = new Headers()
  const { rawHeaders, method = 'GET' } = req
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '')
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

const write = async (response: Response, req: IncomingMessage, res: ServerResponse): Promise<void> => {
  if (response.type === 'error') {
    res.socket?.resetAndDestroy()
    return
  }
  const headers = [...response.headers].flat()
  headers.push('Plant-Mock-Source', 'handlers')
  if (req.headers.origin !== undefined && !response.headers.has('access-control-allow-origin'))
    headers.push(...corsHeaders)
  res.writeHead(response.status, headers)
  if (response.body === null || req.method === 'HEAD') res.end()
  else await pipeline(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]), res)
}
