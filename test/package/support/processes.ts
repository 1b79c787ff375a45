import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

export type Processes = {
  readonly script: string
  readonly connected: (count: number) => Promise<void>
  readonly ended: () => Promise<void>
  readonly close: () => void
}

export const listenForProcesses = async (): Promise<Processes> => {
  const sockets: Socket[] = []
  const closed: Promise<unknown>[] = []
  const listener = createServer((socket) => {
    sockets.push(socket)
    closed.push(once(socket.on('error', () => undefined).resume(), 'close'))
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return {
    script: `require('node:net').connect(${(listener.address() as AddressInfo).port}, '127.0.0.1')`,
    async connected(count) {
      while (sockets.length < count) await once(listener, 'connection')
    },
    ended: async () => void (await Promise.all(closed)),
    close() {
      for (const socket of sockets) socket.destroy()
      listener.close()
    },
  }
}
