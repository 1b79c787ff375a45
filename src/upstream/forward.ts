import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { type Duplex, pipeline, type Readable } from 'node:stream'
import { createProxyServer } from 'httpxy'
import { targetOf } from '../adapters/node/exchange.ts'
import { hasBody } from '../adapters/node/read-body.ts'
import { type ProblemType, problemDocument, problemTypes } from '../contract/problems.ts'
import { failureOf } from './failure.ts'
import { connectionHeaders, endToEnd, hasPassed, withVia } from './headers.ts'
import { send, type Way } from './send.ts'
import { nameOf } from './target.ts'

/** Passes requests on to the upstream as they are, streamed both ways. */
export interface Forwarder {
  /** `headers` are added to the answer, unless the upstream has set them. */
  web(req: IncomingMessage, res: ServerResponse, headers: readonly string[]): void
  /** A WebSocket. `onAnswer` is told the status that the upstream gave. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer, onAnswer: (status: number) => void): void
}

export const createForwarder = (way: Way): Forwarder => {
  const { target, timeout, station, agent } = way
  const name = nameOf(target)
  const loop = `${name} sends requests back to this mock.`

  const proxy = createProxyServer({ target, changeOrigin: true, agent, upgradeTimeout: timeout })
  const told = new WeakMap<object, (status: number) => void>()
  proxy.on('proxyReqWs', (proxyReq, req) => {
    proxyReq.once('upgrade', () => told.get(req)?.(101))
    proxyReq.once('response', ({ statusCode = 502 }) => told.get(req)?.(statusCode))
  })
  proxy.on('error', (error, req, socket) => {
    const { problem, detail } = failureOf(error, name, timeout)
    if (req !== undefined) told.get(req)?.(problemTypes[problem].status)
    if (socket instanceof Socket && socket.writable) socket.end(refusalText(problem, detail))
    else (socket as Socket | undefined)?.destroy()
  })

  return {
    web(req, res, headers) {
      if (hasPassed(req.headers.via, station)) {
        req.resume()
        refuse(res, 'forwarding-loop', loop, headers)
        return
      }
      const leaving = new AbortController()
      res.on('close', () => {
        if (!res.writableFinished) leaving.abort()
      })
      const { method = 'GET' } = req
      const outgoing = {
        method,
        path: targetOf(req),
        headers: req.headers,
        body: bodyOf(req),
        signal: leaving.signal,
      }
      send(way, outgoing).then(
        (response) => pass(response, res, headers),
        (error: unknown) => {
          // What is still being sent is not wanted any more, but has to be read before the answer is.
          req.resume()
          const { problem, detail } = failureOf(error, name, timeout)
          if (!res.destroyed) refuse(res, problem, detail, headers)
        },
      )
    },
    upgrade(req, socket, head, onAnswer) {
      if (hasPassed(req.headers.via, station)) {
        onAnswer(problemTypes['forwarding-loop'].status)
        socket.end(refusalText('forwarding-loop', loop))
        return
      }
      told.set(req, onAnswer)
      const { connection, upgrade } = req.headers
      const asked = { ...(connection && { connection }), ...(upgrade && { upgrade }) }
      req.headers = { ...withVia(endToEnd(req.headers), station), ...asked } as IncomingMessage['headers']
      req.url = targetOf(req)
      proxy.ws(req, socket as Socket, {}, head).catch(() => undefined)
    },
  }
}

/** The body as it comes, or as handlers in front of us have read it. */
const bodyOf = (req: IncomingMessage & { body?: unknown }): Uint8Array | Readable | undefined => {
  if (!hasBody(req)) return undefined
  return req.readableEnded && Buffer.isBuffer(req.body) ? req.body : req
}

/** The answer as it comes: status, headers but those of the connection, body. */
const pass = (response: IncomingMessage, res: ServerResponse, extra: readonly string[]): void => {
  if (res.destroyed) {
    response.destroy()
    return
  }
  const { statusCode = 502, rawHeaders } = response
  const stopping = connectionHeaders(response.headers)
  const headers: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!stopping.has((rawHeaders[i] ?? '').toLowerCase()))
      headers.push(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '')
  for (let i = 0; i < extra.length; i += 2)
    if (response.headers[(extra[i] ?? '').toLowerCase()] === undefined)
      headers.push(extra[i] ?? '', extra[i + 1] ?? '')
  res.writeHead(statusCode, headers)
  pipeline(response, res, () => undefined)
}

/** An answer that has begun can only be broken off; its reader sees that. */
const refuse = (
  res: ServerResponse,
  problem: ProblemType,
  detail: string,
  extra: readonly string[],
): void => {
  if (res.headersSent) {
    res.destroy()
    return
  }
  const { status } = problemTypes[problem]
  const body = JSON.stringify(problemDocument(problem, status, detail))
  res.writeHead(status, [
    'Content-Type',
    'application/problem+json',
    'Content-Length',
    String(Buffer.byteLength(body)),
    'Plant-Mock-Source',
    'upstream',
    ...extra,
  ])
  res.end(body)
}

const refusalText = (problem: ProblemType, detail: string): string => {
  const { status, title } = problemTypes[problem]
  const body = JSON.stringify(problemDocument(problem, status, detail))
  return (
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/problem+json\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  )
}
