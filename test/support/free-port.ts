import { createServer } from 'node:net'

/** These ports are below the ephemeral ports, which the system may give to a parallel test in the meantime. */
const lowest = 20_000
const highest = 32_000

export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
