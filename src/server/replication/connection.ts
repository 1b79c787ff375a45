import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers'
import type { createClient } from '@redis/client'
import { PlantMockError } from '../../util/errors.ts'
import { failureOf, StoreFailure, setTimeout, withDeadline } from './failure.ts'
import { keyOf } from './scripts.ts'

/** Gives the Redis client the real `setImmediate`, because fake timers would never run the client's callbacks. */
const withSetImmediate = <T>(call: () => T): T => {
  const present = Object.getOwnPropertyDescriptor(globalThis, 'setImmediate')
  Object.defineProperty(globalThis, 'setImmediate', { value: setImmediate, configurable: true, writable: true })
  try {
    return call()
  } finally {
    if (present === undefined) Reflect.deleteProperty(globalThis, 'setImmediate')
    else Object.defineProperty(globalThis, 'setImmediate', present)
  }
}

export const commandTimeout = 2_000
const minReconnectInterval = 50
const maxReconnectInterval = 500

type Client = ReturnType<typeof createClient>

export type StoreConnection = Awaited<ReturnType<typeof openConnection>>

export const openConnection = async ({ options }: StoreAddress, name: string) => {
  const { createClient } = await import('@redis/client').catch(() => {
    throw new PlantMockError(
      'State in Valkey or Redis needs the package @redis/client. Install it: npm install --save-dev @redis/client',
    )
  })
  let client: Client | undefined
  let lastFailure = new StoreFailure('it is not connected yet')
  let isClosed = false

  const connect = async (): Promise<Client> => {
    const made = createClient({
      ...options,
      socket: { ...('socket' in options && options.socket), connectTimeout: commandTimeout, reconnectStrategy: false },
      disableOfflineQueue: true,
      RESP: 2,
    } as Parameters<typeof createClient>[0]) as Client
    made.on('error', () => undefined)
    try {
      await withDeadline(made.connect(), commandTimeout)
      return made
    } catch (error) {
      made.destroy()
      throw error
    }
  }

  const keepConnected = async (): Promise<void> => {
    for (let interval = minReconnectInterval; !isClosed; interval = Math.min(interval * 2, maxReconnectInterval)) {
      try {
        const connected = await connect()
        client = connected
        interval = minReconnectInterval
        await new Promise<void>((resolve) => {
          const lose = (): void => {
            client = undefined
            lastFailure = new StoreFailure('the connection was lost')
            connected.destroy()
            resolve()
          }
          connected.once('end', lose).once('error', lose)
          if (isClosed) lose()
        })
      } catch (error) {
        lastFailure = failureOf(error, false).certain()
      }
      if (!isClosed) await new Promise<void>((resolve) => void setTimeout(resolve, interval).unref?.())
    }
  }

  const send = async (args: readonly string[], timeout = commandTimeout): Promise<unknown> => {
    const sender = client
    if (sender === undefined) throw lastFailure
    try {
      return await withDeadline(
        withSetImmediate(() => sender.sendCommand([...args])),
        timeout,
      )
    } catch (error) {
      const failure = failureOf(error, true)
      if (failure.isUncertain) sender.destroy()
      throw failure
    }
  }

  keepConnected()

  return {
    async run(script: string, args: readonly string[], timeout?: number): Promise<unknown> {
      const digest = createHash('sha1').update(script).digest('hex')
      const rest = ['1', keyOf(name), ...args]
      try {
        return await send(['EVALSHA', digest, ...rest], timeout)
      } catch (error) {
        if ((error as StoreFailure).code !== 'NOSCRIPT') throw error
        return send(['EVAL', script, ...rest], timeout)
      }
    },
    async info(section: string): Promise<string> {
      try {
        return String(await send(['INFO', section]))
      } catch (error) {
        if ((error as StoreFailure).code === 'NOPERM') return ''
        throw error
      }
    },
    close(): void {
      isClosed = true
      client?.destroy()
    },
  }
}

export type StoreAddress = ReturnType<typeof parseAddress>

/** Keeps the address out of error messages, because the address may contain a password. */
export const parseAddress = (url: string, name: string) => {
  try {
    const parsed = new URL(url.replace(/^(unix:\/\/[^/?#]*@)(?=\/)/, '$1localhost'))
    const isSocket = parsed.protocol === 'unix:'
    const [host, path] = [parsed.hostname, decodeURIComponent(parsed.pathname)]
    const inPath = isSocket ? '' : path.slice(1)
    const database = parsed.searchParams.get('db') || inPath || '0'
    const hasPlace = isSocket
      ? path.startsWith('/') && ['', 'localhost'].includes(host)
      : /^rediss?:$/.test(parsed.protocol) && host !== ''
    if (!hasPlace || ![inPath || '0', database].every((number) => /^\d{1,5}$/.test(number))) throw new Error('Invalid')
    const base = `${parsed.protocol}//${host}:${parsed.port || '6379'}/${Number(database)}`
    const [username, password] = [parsed.username, parsed.password].map(decodeURIComponent)
    return {
      shown: isSocket ? `unix:${path}${Number(database) === 0 ? '' : `?db=${Number(database)}`}` : base,
      options: {
        ...(isSocket ? { database: Number(database), socket: { path, tls: false } } : { url: base }),
        ...(username && { username }),
        ...(password && { password }),
      },
    }
  } catch {
    throw new PlantMockError(
      `${name} is not an address. Use redis://HOST:6379/0, rediss://HOST:6379/0 for TLS, or unix:/path/to/socket, and write % as %25.`,
    )
  }
}
