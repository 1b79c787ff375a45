import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers'
import type { createClient } from '@redis/client'
import { PlantMockError } from '../../util/errors.ts'
import type { StoreAddress } from './address.ts'
import { afterDeadline } from './deadline.ts'
import { failureOf, isPermanent, StoreFailure } from './failure.ts'
import { type Keys, keysOf, type Script } from './scripts.ts'

/** Captured at import: fake timers of a test must not stop the store. */
const { setTimeout, clearTimeout } = globalThis

/**
 * Runs a call of the client, which writes in the `setImmediate` that the global object has at that time: none in jsdom,
 * and one that never runs under fake timers. Where it is missing, `sendCommand` throws after it has queued the command,
 * and that command is rejected later with nobody listening, for which Node.js ends the process.
 */
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

/** The longest wait of a request for the store, in milliseconds. */
export const commandTimeout = 2_000
const minReconnectInterval = 50
const maxReconnectInterval = 500

type Client = ReturnType<typeof createClient>

/** A connection to the store, which is restored whenever it is lost. */
export interface StoreConnection {
  /**
   * Runs a script once; it is never sent again.
   * @param timeout In milliseconds. Default: 2 s.
   * @throws StoreFailure when it failed, or got no reply in time. Then the connection is replaced.
   */
  run(script: Script, args: readonly string[], timeout?: number): Promise<unknown>
  /** Resolves as soon as there is a connection. @throws StoreFailure after `timeout`, and at once when waiting cannot help. */
  ready(timeout: number): Promise<void>
  /** A section of `INFO`; empty when this user may not read it. */
  info(section: string): Promise<string>
  close(): void
}

/** Loads the client library. @throws PlantMockError when it is not installed. */
const importClient = async () => {
  try {
    return await import('@redis/client')
  } catch {
    throw new PlantMockError(
      'State in Valkey or Redis needs the package @redis/client. Install it: npm install --save-dev @redis/client',
    )
  }
}

/** Opens a connection; it begins to connect at once. */
export const openConnection = async (address: StoreAddress, name: string): Promise<StoreConnection> => {
  const { createClient } = await importClient()
  const keys: Keys = keysOf(name)
  const digests = new Map<Script, string>()
  let client: Client | undefined
  let lastFailure = new StoreFailure('it is not connected yet')
  let isClosed = false
  let waiting: (() => void)[] = []
  let onLost: () => void = () => undefined

  const connect = async (): Promise<Client> => {
    const made = createClient({
      ...address.options,
      socket: { ...address.options.socket, connectTimeout: commandTimeout, reconnectStrategy: false },
      disableOfflineQueue: true,
      RESP: 2,
    } as Parameters<typeof createClient>[0])
    // Without a listener an error ends the process; commands in flight are rejected with it.
    made.on('error', () => undefined)
    try {
      await withDeadline(made.connect(), commandTimeout)
      return made as Client
    } catch (error) {
      if (made.isOpen) made.destroy()
      throw error
    }
  }

  const notify = (): void => {
    const notified = waiting
    waiting = []
    for (const notify of notified) notify()
  }

  const keepConnected = async (): Promise<void> => {
    let interval = minReconnectInterval
    while (!isClosed) {
      try {
        const connected = await connect()
        if (isClosed) connected.destroy()
        else {
          const lost = new Promise<void>((resolve) => {
            onLost = resolve
          })
          connected.once('end', onLost)
          connected.once('error', onLost)
          client = connected
          interval = minReconnectInterval
          notify()
          await lost
          lastFailure = new StoreFailure('the connection was lost')
          discard(connected)
        }
      } catch (error) {
        lastFailure = unsent(failureOf(error, false))
        notify()
      }
      if (!isClosed) await new Promise<void>((resolve) => unref(setTimeout(resolve, interval)))
      interval = Math.min(interval * 2, maxReconnectInterval)
    }
  }

  const discard = (lost: Client): void => {
    const isCurrent = client === lost
    if (isCurrent) client = undefined
    if (lost.isOpen) lost.destroy()
    if (isCurrent) onLost()
  }

  const send = async (args: readonly string[], timeout: number): Promise<unknown> => {
    const sender = client
    if (sender === undefined) throw lastFailure
    try {
      return await withDeadline(
        withSetImmediate(() => sender.sendCommand([...args])),
        timeout,
      )
    } catch (error) {
      const failure = failureOf(error, true)
      // An error reply of the store leaves the connection as it is.
      if (failure.isUncertain) discard(sender)
      throw failure
    }
  }

  keepConnected()

  return {
    async run(script, args, timeout = commandTimeout) {
      const digest = digests.get(script) ?? createHash('sha1').update(script.source).digest('hex')
      digests.set(script, digest)
      const rest = [String(script.keys.length), ...script.keys.map((key) => keys[key]), ...args]
      try {
        return await send(['EVALSHA', digest, ...rest], timeout)
      } catch (error) {
        if (!(error instanceof StoreFailure) || error.code !== 'NOSCRIPT') throw error
        return send(['EVAL', script.source, ...rest], timeout)
      }
    },
    async ready(timeout) {
      const deadline = performance.now() + timeout
      while (client === undefined) {
        const left = deadline - performance.now()
        if (left <= 0 || isPermanent(lastFailure)) throw lastFailure
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left)
          waiting.push(() => {
            clearTimeout(timer)
            resolve()
          })
        })
      }
    },
    async info(section) {
      try {
        return String(await send(['INFO', section], commandTimeout))
      } catch (error) {
        if (error instanceof StoreFailure && error.code === 'NOPERM') return ''
        throw error
      }
    },
    close() {
      isClosed = true
      if (client !== undefined) discard(client)
    },
  }
}

/** The failure for a reply that did not come in time. */
export const lateFailure = ({ isUncertain = false, timeout = commandTimeout }): StoreFailure =>
  new StoreFailure(`it did not respond within ${timeout / 1_000} s`, { code: 'LATE', isUncertain })

/** The failure for a request that was not sent. */
const unsent = ({ message, code }: StoreFailure): StoreFailure => new StoreFailure(message, { code })

const unref = (timer: ReturnType<typeof setTimeout>): void => {
  timer.unref?.()
}

/** @throws StoreFailure after `timeout` milliseconds. */
const withDeadline = <T>(pending: Promise<T>, timeout: number): Promise<T> => {
  let cancel: () => void = () => undefined
  const late = new Promise<never>((_, reject) => {
    cancel = afterDeadline(timeout, () => reject(lateFailure({ isUncertain: true, timeout })))
  })
  return Promise.race([pending, late]).finally(() => cancel())
}
