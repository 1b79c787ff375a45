import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import { createProxyServer } from 'httpxy'
import { problemTypes } from '../../core/contract/problems.ts'
import { missingHeaders, type RawHeaders, toHeaderRecord } from '../../core/http/headers.ts'
import type { Problem } from '../../core/model/result.ts'
import { hasBody, requestTarget } from '../listener/exchange.ts'
import { signalOf } from '../listener/listener.ts'
import { problemResponse, respond, responseText } from '../listener/respond.ts'
import {
  describeFailure,
  isLoop,
  loopFailure,
  requestHeadersToForward,
  responseHeadersToForward,
  send,
  type UpstreamConnection,
} from './send.ts'

const sourceHeader = ['Plant-Mock-Source', 'upstream']

export const createForwarder = (connection: UpstreamConnection) => {
  const { target, timeout, route, viaName } = connection
  const loop = loopFailure(connection)
  return {
    web(req: IncomingMessage, res: ServerResponse, headers: RawHeaders): unknown {
      if (isLoop(req.rawHeaders, viaName)) {
        req.resume()
        return sendProblem(res, loop, headers)
      }
      const { method = 'GET' } = req
      const outgoing = {
        method,
        path: requestTarget(req),
        headers: req.rawHeaders,
        body: bodyOf(req),
        signal: signalOf(res),
      }
      return send(connection, outgoing).then(
        (response) => {
          const { statusCode = 502, rawHeaders } = response
          const forwarded = responseHeadersToForward(statusCode, rawHeaders, connection)
          res.writeHead(statusCode, [...forwarded, ...missingHeaders(forwarded, headers), ...sourceHeader])
          pipeline(response, res, () => undefined)
        },
        (error: unknown) => {
          req.resume()
          sendProblem(res, describeFailure(error, connection), headers)
        },
      )
    },
    upgrade(req: IncomingMessage, socket: Socket, head: Buffer, onResponse: (status: number) => void): void {
      if (isLoop(req.rawHeaders, viaName)) {
        refuseUpgrade(socket, loop, onResponse)
        return
      }
      // Opens a separate connection, because bytes after a refused upgrade must not become part of another request.
      const proxy = createProxyServer({
        target,
        changeOrigin: true,
        agent: route.tunnel() ?? null,
        upgradeTimeout: timeout,
      })
      let hasResponse = false
      const respond = (status: number): void => {
        hasResponse = true
        onResponse(status)
      }
      proxy.on('proxyReqWs', (proxyReq) => {
        proxyReq.once('upgrade', (_, upstream) => {
          respond(101)
          // Closes both sockets if one of them closes, because an open socket would keep the process alive.
          socket.once('close', () => upstream.destroy())
          upstream.once('close', () => socket.destroySoon())
        })
        proxyReq.once('response', ({ statusCode = 502 }) => respond(statusCode))
      })
      proxy.on('error', (error) => {
        if (hasResponse) return
        refuseUpgrade(socket, describeFailure(error, connection), respond)
      })
      const forwarded = requestHeadersToForward(req.rawHeaders, viaName)
      const headers = [...forwarded, 'connection', 'Upgrade', 'upgrade', 'websocket']
      req.headers = toHeaderRecord(headers) as IncomingMessage['headers']
      req.url = requestTarget(req)
      // Passes on NODE_TLS_REJECT_UNAUTHORIZED, which node:https obeys but httpxy ignores.
      const secure = process.env.NODE_TLS_REJECT_UNAUTHORIZED !== '0'
      proxy.ws(req, socket, { secure }, head).catch(() => undefined)
    },
  }
}

const bodyOf = (req: IncomingMessage & { body?: unknown }): Uint8Array | Readable | undefined => {
  if (!hasBody(req)) return undefined
  return Buffer.isBuffer(req.body) ? req.body : req
}

const sendProblem = (res: ServerResponse, { problem, detail }: Problem, added: RawHeaders): void =>
  respond(res, problemResponse(problem, detail, [...sourceHeader, ...added]))

export const refuseUpgrade = (
  socket: Socket,
  { problem, detail }: Problem,
  onResponse?: (status: number) => void,
): void => {
  onResponse?.(problemTypes[problem].status)
  socket.end(responseText(problemResponse(problem, detail, [...sourceHeader, 'Connection', 'close'])))
}
