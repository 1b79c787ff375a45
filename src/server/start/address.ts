import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AddressError, PlantMockError } from '../../util/errors.ts'

/** @throws AddressError that says why the address cannot be bound, and what to do. */
export const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    // node:http binds every address for an empty host, which an unset variable would cause by accident.
    if (host === '') throw new AddressError(`The host is empty. ${hostAdvice}`)
    server.once('error', (error: NodeJS.ErrnoException) => {
      explain(error, port, host).then((message) => reject(new AddressError(message)), reject)
    })
    server.listen(port, host, resolve)
  })

const hostAdvice = 'Use 127.0.0.1, or 0.0.0.0 to accept connections from other machines.'

const explain = async ({ code = '', message }: NodeJS.ErrnoException, port: number, host: string): Promise<string> => {
  if (code === 'EADDRINUSE') {
    const free = await nextFreePort(port + 1, host)
    return `Port ${port} on ${host} is taken.${free === undefined ? '' : ` Port ${free} is free: --port ${free}`}`
  }
  if (code === 'EACCES') return `No permission to bind port ${port}. Use a port from 1024 up, or 0 for any free port.`
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code))
    return `${host} is not an address of this machine. ${hostAdvice}`
  return `Failed to listen on port ${port} of ${host}: ${message}.`
}

const nextFreePort = async (firstPort: number, host: string): Promise<number | undefined> => {
  for (let port = firstPort; port < firstPort + 100 && port <= 65_535; port++) {
    const probe = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false))
      probe.listen(port, host, () => probe.close(() => resolve(true)))
    })
    if (isFree) return port
  }
  return undefined
}

/** The URL of a bound address. */
export const urlOf = ({ address, family, port }: AddressInfo, protocol: 'http' | 'https'): string =>
  `${protocol}://${family === 'IPv6' ? `[${address}]` : address}:${port}`

/** A certificate and its private key, each in PEM. */
export type Tls = { readonly cert: string; readonly key: string }

/**
 * Checks that a certificate and a private key can be parsed and match.
 * @throws PlantMockError that says which of them is unusable.
 */
export const checkTls = async ({ cert, key }: Tls): Promise<Tls> => {
  // perf: loading it slows down each start.
  const { createPrivateKey, X509Certificate } = await import('node:crypto')
  const certificate = parse(() => new X509Certificate(cert), 'The certificate is not in PEM format')
  const privateKey = parse(
    () => createPrivateKey(key),
    'The key is not a private key in PEM format, or it has a passphrase',
  )
  if (!certificate.checkPrivateKey(privateKey))
    throw new PlantMockError('The certificate and the key do not match: the certificate was issued for another key.')
  return { cert, key }
}

const parse = <T>(attempt: () => T, message: string): T => {
  try {
    return attempt()
  } catch (error) {
    throw new PlantMockError(`${message} (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}).`)
  }
}
