import { type Agent, type ClientRequest, type IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import { createProxyServer } from 'httpxy'
import { type ProblemType, problemDocument, problemTypes } from '../contract/problems.ts'
import { failureOf, UpstreamTimeout } from './failure.ts'
import { connectionHeaders, endToEnd, type HeaderBag, hasPassed, withVia } from './headers.ts'
import { nameOf } from './target.ts'

export type ForwarderOptions = {
  readonly target: URL
  readonly timeout: number
  readonly agent: Agent
  readonly station: string
}

/** Passes requests on to the upstream as they are, streamed both ways. */
export interface Forwarder {
  /** `headers` are added to the answer, unless the upstream has set them. */
  web(req: IncomingMessage, res: ServerResponse, headers: readonly string[]): void
  /** A WebSocket, or another upgrade that the upstream takes. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void
}

export const createForwarder = ({ target, timeout, agent, station }: ForwarderOptions): Forwarder => {
  const proxy = createProxyServer({ target, changeOrigin: true, agent, upgradeTimeout: timeout })
  const name = nameOf(target)
  const added = new WeakMap<object, readonly string[]>()

  proxy.on('proxyReq', (proxyReq, req) => limitTime(proxyReq, req, timeout))
  proxy.on('proxyRes', (proxyRes, req) => {
    const stopping = connectionHeaders(proxyRes.headers)
    for (const header of stopping) delete proxyRes.headers[header]
    const extra = added.get(req) ?? []
    for (let i = 0; i < extra.length; i += 2)
      proxyRes.headers[(extra[i] ?? '').toLowerCase()] ??= extra[i + 1]
  })
  proxy.on('error', (error, _req, res) => {
    const { problem, detail } = failureOf(error, name, timeout)
    if (res instanceof ServerResponse) refuse(res, problem, detail)
    else if (res instanceof Socket && res.writable) res.end(refusalText(problem, detail))
    else res?.destroy()
  })

  return {
    web(req, res, headers) {
      if (hasPassed(req.headers.via, station)) {
        req.resume()
        refuse(res, 'forwarding-loop', `${name} sends requests back to this mock.`)
        return
      }
      added.set(req, headers)
      // Our own server has said 100 Continue already.
      setHeaders(req, { ...withVia(endToEnd(req.headers), station), expect: undefined })
      proxy.web(req, res, heldBody(req)).catch(() => undefined)
    },
    upgrade(req, socket, head) {
      if (hasPassed(req.headers.via, station)) {
        socket.end(refusalText('forwarding-loop', `${name} sends requests back to this mock.`))
        return
      }
      const { connection, upgrade } = req.headers
      setHeaders(req, { ...withVia(endToEnd(req.headers), station), connection, upgrade })
      proxy.ws(req, socket as Socket, {}, head).catch(() => undefined)
    },
  }
}

/** A body that was read before us is sent from there. */
const heldBody = (req: IncomingMessage & { body?: unknown }): { buffer?: Readable } =>
  req.readableEnded && Buffer.isBuffer(req.body) ? { buffer: Readable.from([req.body]) } : {}

/** node:http keeps the headers in a bag that a proxy reads; ours takes its place. */
const setHeaders = (req: IncomingMessage, headers: HeaderBag): void => {
  req.headers = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
}

/**
 * The upstream has this long to take the connection, and then from the end of the request to the start of the
 * answer. An answer may go on for as long as it likes.
 */
const limitTime = (proxyReq: ClientRequest, req: IncomingMessage, timeout: number): void => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const start = () => {
    clearTimeout(timer)
    timer = setTimeout(() => proxyReq.destroy(new UpstreamTimeout()), timeout)
  }
  const stop = () => clearTimeout(timer)
  start()
  req.on('data', start)
  proxyReq.on('finish', start)
  proxyReq.on('response', () => {
    req.off('data', start)
    proxyReq.off('finish', start)
    stop()
  })
  proxyReq.on('close', () => {
    req.off('data', start)
    stop()
  })
}

/** An answer that has begun can only be broken off; its reader sees that. */
const refuse = (res: ServerResponse, problem: ProblemType, detail: string): void => {
  if (res.headersSent) {
    res.destroy()
    return
  }
  const { status } = problemTypes[problem]
  const body = JSON.stringify(problemDocument(problem, status, detail))
  res.writeHead(status, {
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    'Plant-Mock-Source': 'upstream',
  })
  res.end(body)
}

const refusalText = (problem: ProblemType, detail: string): string => {
  const { status } = problemTypes[problem]
  const body = JSON.stringify(problemDocument(problem, status, detail))
  return (
    `HTTP/1.1 ${status} ${problem}\r\nContent-Type: application/problem+json\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  )
}
