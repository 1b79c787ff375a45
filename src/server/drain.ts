import type { Server } from 'node:http'
import type { Socket } from 'node:net'

// Taken now, because a test may put a clock of its own in their place.
const { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } = globalThis

/** The most connections that wait to be taken: the backlog of node:net. */
const mostWaiting = 511

/** A timer that is set to more goes off at once, in milliseconds. */
const longest = 2 ** 31 - 1

/** How often is looked whether something still comes in or goes out, in milliseconds. */
const step = 10

/**
 * Remembers the connections of a server, so that it can be stopped without losing what was asked of it: `server.close()`
 * alone closes connections whose answer is not sent off yet or whose request waits to be read, and keeps those on which
 * nothing was ever sent. The result stops the server; what takes longer than `grace` milliseconds is cut off.
 */
export const drainOf = (server: Server): ((grace: number) => Promise<void>) => {
  /** With the bytes that had come when there was no request yet: those of a TLS handshake. */
  const sockets = new Map<Socket, number>()
  let taken = 0
  const remember = (socket: Socket): void => {
    taken++
    sockets.set(socket, socket.bytesRead)
    socket.once('close', () => sockets.delete(socket))
  }
  server.on('connection', remember)
  server.on('secureConnection', remember)

  const received = (): number => [...sockets.keys()].reduce((sum, { bytesRead }) => sum + bytesRead, 0)
  const isSentOff = (): boolean => [...sockets.keys()].every(({ writableLength }) => writableLength === 0)
  const destroy = (which: (bytesRead: number, atFirst: number) => boolean): void => {
    for (const [socket, atFirst] of sockets) if (which(socket.bytesRead, atFirst)) socket.destroy()
  }
  const closeIdle = server.closeIdleConnections.bind(server)

  /** What has arrived at this machine is a request that we have. A turn takes one connection, the next reads it. */
  const readAll = async (): Promise<void> => {
    let last = 0
    for (let turn = 0; turn <= last + 2 && last < mostWaiting; turn++) {
      const before = taken
      await new Promise((resolve) => setImmediate(resolve))
      if (taken > before) last = turn
    }
  }

  return async (grace) => {
    let before = received()
    await readAll()
    // It would be called by close().
    server.closeIdleConnections = () => undefined
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    const look = (): void => {
      const now = received()
      if (now === before && isSentOff()) {
        closeIdle()
        destroy((bytesRead, atFirst) => bytesRead === atFirst)
      }
      before = now
    }
    look()
    const looking = setInterval(look, step)
    const cutOff = setTimeout(() => destroy(() => true), Math.min(grace, longest))
    await closed
    clearInterval(looking)
    clearTimeout(cutOff)
  }
}
