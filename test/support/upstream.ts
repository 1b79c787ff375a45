import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net'
import { type StartedPlantMock, type StartOptions, startPlantMock } from 'plant-mock/node'
import { afterEach } from 'vitest'
import { freePort } from './free-port.ts'

const listen = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Starts services, and mocks in front of them, for the tests of one file, and closes them after each test. */
export const useUpstream = () => {
  const closers: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })

  const serve = async (listener: RequestListener) => {
    const server = createServer(listener)
    const url = await listen(server)
    closers.push(() => {
      server.close()
      server.closeAllConnections()
    })
    return { server, url }
  }

  const serveSockets = async (onConnection: (socket: Socket) => void): Promise<string> => {
    const server = createNetServer(onConnection)
    const sockets = new Set<Socket>()
    server.on('connection', (socket) => sockets.add(socket))
    const url = await listen(server)
    closers.push(() => {
      server.close()
      for (const socket of sockets) socket.destroy()
    })
    return url
  }

  /** Starts a service that answers each chunk with the same bytes. `received` returns the bytes of all requests. */
  const serveBytes = async (response: string) => {
    let received = ''
    const url = await serveSockets((socket) => {
      socket.on('error', () => undefined)
      socket.on('data', (data) => {
        received += data
        socket.write(response)
      })
    })
    return { url, received: () => received }
  }

  const startMock = async (options: StartOptions): Promise<StartedPlantMock> => {
    const started = await startPlantMock({ grace: 100, ...options })
    closers.push(started.close)
    return started
  }

  const startProxy = (
    url: string,
    options: Omit<NonNullable<StartOptions['upstream']>, 'url'> = {},
    more: StartOptions = {},
  ) => startMock({ upstream: { url, ...options }, ...more })

  return { closers, serve, serveSockets, serveBytes, startMock, startProxy }
}

/** Returns the URL of a port that refuses connections, which no server of a test gets meanwhile. */
export const refusingUrl = async (): Promise<string> => `http://127.0.0.1:${await freePort()}`

export const sendJson = (res: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

/** Answers with the request itself as an `EchoedRequest`. */
export const echo: RequestListener = async (req, res) => {
  let body = ''
  for await (const chunk of req.setEncoding('utf8')) body += chunk
  sendJson(res, 200, { method: req.method, url: req.url, headers: req.headers, body })
}

export type EchoedRequest = { method: string; url: string; headers: Record<string, string>; body: string }

/** A whole response with an empty list, as bytes. */
export const emptyList = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]'
