import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net'
import { type StartedPlantMock, type StartOptions, startPlantMock } from 'plant-mock/node'
import { afterEach } from 'vitest'

const listen = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Call this in each test file: files share modules, and a hook at import would serve only the first file. */
export const useServers = () => {
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

  const start = async (options?: StartOptions): Promise<StartedPlantMock> => {
    const started = await startPlantMock({ grace: 100, ...options })
    closers.push(started.close)
    return started
  }

  const startProxy = (
    url: string,
    options: Omit<NonNullable<StartOptions['upstream']>, 'url'> = {},
    more: StartOptions = {},
  ) => start({ upstream: { url, ...options }, ...more })

  return { closers, serve, serveSockets, serveBytes, start, startProxy }
}
