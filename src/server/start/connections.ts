import { type IncomingMessage, maxHeaderSize, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
// Imports the timers, because a test may replace the global timers by fake ones, and jsdom by its own.
import { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from 'node:timers'
import type { LocalPlantMock } from '../../core/mock/create-plant-mock.ts'
import type { Problem } from '../../core/model/result.ts'
import { maxTimeout } from '../../util/pauses.ts'
import { lastResponse } from '../listener/connection.ts'
import { attempt, endingResponse, type GuardedListener, respond, responseText } from '../listener/respond.ts'

const lingerTimeout = 1_000

/** Writes to the socket, because node:http creates no response object for a request that it cannot parse. */
export const clientErrorHandler = ({ instances: { root, reportFailure } }: LocalPlantMock) => {
  const refused = new WeakSet<Socket>()
  const handle = (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (refused.has(socket)) return
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    refused.add(socket)
    const malformed: Problem = { problem: 'malformed-request', detail: `${error.message}.` }
    const response = endingResponse(root.problem(problems[error.code ?? ''] ?? malformed))
    const refuse = () => closeLingering(socket, responseText(response))
    const last = lastResponse(socket)
    if (last === undefined) refuse()
    else if (last.req.complete) whenFinished(last, refuse)
    else if (!last.headersSent) {
      // With pipelining, `res.socket` is null until earlier responses finish.
      if (last.socket === null) respond(last, response)
      else refuse()
    } else if (last.writableEnded) whenFinished(last, () => closeLingering(socket))
    else socket.destroy()
  }
  return (error: NodeJS.ErrnoException, socket: Socket): void =>
    attempt(
      () => handle(error, socket),
      (failure) => {
        reportFailure(failure, { headers: [] })
        socket.destroy()
      },
    )
}

const whenFinished = (response: ServerResponse, next: () => void): void => {
  if (response.writableFinished && response.socket === null) next()
  else response.once('finish', next)
}

const closeLingering = (socket: Socket, text?: string): void => {
  if (!socket.writable) return
  if (text === undefined) socket.end()
  else socket.end(text)
  const timer = setTimeout(() => socket.destroy(), lingerTimeout)
  socket.once('close', () => clearTimeout(timer))
}

const problems: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: {
    problem: 'headers-too-large',
    detail: `The headers together are limited to ${maxHeaderSize / 1024} KiB.`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: { problem: 'request-timeout', detail: 'Send headers and body without long pauses.' },
}

export const hostProblem = ({ headers: { host }, httpVersion }: IncomingMessage): Problem | undefined => {
  const isOne = host === undefined ? httpVersion === '1.0' : !host.includes(',')
  return isOne ? undefined : { problem: 'malformed-request', detail: 'Send one Host header (RFC 9112, 3.2).' }
}

export const withOneHost =
  ({ instances: { root } }: LocalPlantMock, next: GuardedListener): GuardedListener =>
  (req, res) => {
    const problem = hostProblem(req)
    if (problem === undefined) return next(req, res)
    req.resume()
    return respond(res, endingResponse(root.problem(problem)))
  }

const maxQueuedConnections = 511

const idleCheckInterval = 10

/** Replaces `server.close()`, because that function drops buffered responses and waits for silent connections. */
export const trackConnections = (server: Server): ((grace: number) => Promise<void>) => {
  /** Maps each socket to the number of bytes read by the TLS handshake, which must not count as a request. */
  const sockets = new Map<Socket, number>()
  let acceptedCount = 0
  const track = (socket: Socket): void => {
    acceptedCount++
    sockets.set(socket, socket.bytesRead)
    socket.once('close', () => sockets.delete(socket))
  }
  server.on('connection', track)
  server.on('secureConnection', track)

  const totalBytesRead = (): number => [...sockets.keys()].reduce((sum, { bytesRead }) => sum + bytesRead, 0)
  const isAllSent = (): boolean => [...sockets.keys()].every(({ writableLength }) => writableLength === 0)

  /** Node.js accepts a queued connection in one turn of the event loop, and reads its request in the next turn. */
  const acceptQueued = async (): Promise<void> => {
    let lastAcceptTurn = 0
    for (let turn = 0; turn <= lastAcceptTurn + 2 && lastAcceptTurn < maxQueuedConnections; turn++) {
      const before = acceptedCount
      await new Promise((resolve) => setImmediate(resolve))
      if (acceptedCount > before) lastAcceptTurn = turn
    }
  }

  return async (grace) => {
    let previousBytesRead = totalBytesRead()
    await acceptQueued()
    const closeIdle = server.closeIdleConnections.bind(server)
    server.closeIdleConnections = () => undefined
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    const closeWhenIdle = (): void => {
      const bytesRead = totalBytesRead()
      if (bytesRead === previousBytesRead && isAllSent()) {
        closeIdle()
        for (const [socket, initialBytesRead] of sockets) if (socket.bytesRead === initialBytesRead) socket.destroy()
      }
      previousBytesRead = bytesRead
    }
    const destroyAll = (): void => {
      for (const socket of sockets.keys()) socket.destroy()
    }
    closeWhenIdle()
    const idleCheck = setInterval(closeWhenIdle, idleCheckInterval)
    const deadline = setTimeout(destroyAll, Math.min(grace, maxTimeout))
    await closed
    clearInterval(idleCheck)
    clearTimeout(deadline)
  }
}
