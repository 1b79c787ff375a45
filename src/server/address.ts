import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AddressError } from '../util/errors.ts'

/** @throws AddressError that says why the address cannot be bound, and what to do. */
export const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    // To node:http, no address is every address: nobody who leaves a variable empty means that.
    if (host === '') throw new AddressError(`The host is empty. ${whichHost}`)
    server.once('error', (error: NodeJS.ErrnoException) => {
      explain(error, port, host).then((message) => reject(new AddressError(message)), reject)
    })
    server.listen(port, host, resolve)
  })

const whichHost = 'Use 127.0.0.1, or 0.0.0.0 to be reached from others.'

const explain = async (
  { code, message }: NodeJS.ErrnoException,
  port: number,
  host: string,
): Promise<string> => {
  switch (code) {
    case 'EADDRINUSE': {
      const free = await nextFreePort(port + 1, host)
      return `Port ${port} on ${host} is taken.${free === undefined ? '' : ` Port ${free} is free: --port ${free}`}`
    }
    case 'EACCES':
      return `Port ${port} needs more rights than this process has. Use a port from 1024 on, or 0 for any free one.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is not an address of this machine. ${whichHost}`
    default:
      return `The server cannot listen on ${host}, port ${port}: ${message}.`
  }
}

const nextFreePort = async (from: number, host: string): Promise<number | undefined> => {
  for (let port = from; port < from + 100 && port <= 65_535; port++) {
    const probe = createServer()
    const free = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false))
      probe.listen(port, host, () => probe.close(() => resolve(true)))
    })
    if (free) return port
  }
  return undefined
}

/** The address that was really bound. */
export const urlOf = ({ address, family, port }: AddressInfo, protocol: 'http' | 'https'): string =>
  `${protocol}://${family === 'IPv6' ? `[${address}]` : address}:${port}`
