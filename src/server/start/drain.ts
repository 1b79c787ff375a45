import type { Server } from 'node:http'
import type { Socket } from 'node:net'
// Not the global ones: fake timers of a test must not stop the server, and jsdom has other ones.
import { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from 'node:timers'

/** How many connections the accept queue can hold: the default backlog of node:net. */
const maxQueuedConnections = 511

/** setTimeout fires at once for a longer delay, in milliseconds. */
const maxDelay = 2 ** 31 - 1

/** How often to check whether all connections are idle, in milliseconds. */
const idleCheckInterval = 10

/**
 * Tracks the connections of a server for a graceful shutdown. `server.close()` alone would close connections whose
 * response is still buffered or whose request is still unread, and would wait for connections that never sent a byte.
 * @returns Stops the server once all requests in flight have their responses; after `grace` milliseconds, destroys the
 * connections that are left.
 */
export const trackConnections = (server: Server): ((grace: number) => Promise<void>) => {
  /** With the bytes read when tracking began: those of a TLS handshake are no request. */
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

  /**
   * Connections in the accept queue count as in flight. One turn of the event loop accepts a connection, the next one
   * reads its request.
   */
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
    // server.close() calls this method, too early for buffered responses and unread requests.
    const closeIdle = server.closeIdleConnections.bind(server)
    server.closeIdleConnections = () => undefined
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    const closeWhenIdle = (): void => {
      const bytesRead = totalBytesRead()
      if (bytesRead === previousBytesRead && isAllSent()) {
        closeIdle()
        // Those that never sent a byte.
        for (const [socket, initialBytesRead] of sockets) if (socket.bytesRead === initialBytesRead) socket.destroy()
      }
      previousBytesRead = bytesRead
    }
    const destroyAll = (): void => {
      for (const socket of sockets.keys()) socket.destroy()
    }
    closeWhenIdle()
    const idleCheck = setInterval(closeWhenIdle, idleCheckInterval)
    const deadline = setTimeout(destroyAll, Math.min(grace, maxDelay))
    await closed
    clearInterval(idleCheck)
    clearTimeout(deadline)
  }
}
