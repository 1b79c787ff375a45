import { checkOptions } from '../../util/check-options.ts'
import { PlantMockError } from '../../util/errors.ts'
import { openConnection, parseAddress, type StoreAddress, type StoreConnection } from './connection.ts'
import { clearTimeout, failureOf, isPermanent, reasonOf, type StoreFailure, setTimeout } from './failure.ts'
import { type JoinOptions, joinMock, type OpenOptions, type OpenState } from './join-mock.ts'

export type SharedStateOptions = {
  /**
   * The address of the store: `redis://HOST:6379/0`, `rediss://HOST` with TLS, or `unix:/path/to/socket`. May contain
   * user name and password.
   */
  readonly url: string
  /** The name of the mock in the store: 1 to 64 letters, digits and `._-`. Default: `default`. */
  readonly name?: string
  /** Deletes the stored state of this mock before the start. Default: false. */
  readonly reset?: boolean
  /** In bytes: a snapshot replaces the log if the log is larger than this and than the snapshot. Default: 8,388,608. */
  readonly maxLogSize?: number
}

/** A store in Valkey or Redis, for the option `store` of `startPlantMock`. */
export interface SharedState {
  open(options: OpenOptions): Promise<OpenState>
}

const startTimeout = 10_000
const retryInterval = 20
const silentWait = 1_000

const defaultMaxLogSize = 8 * 1024 * 1024

/**
 * Shares the state of a mock with other processes.
 * @throws PlantMockError for an unknown option, and for an invalid address or name.
 * @example
 * await startPlantMock({ fixtures: 'garden', store: sharedState({ url: 'redis://127.0.0.1:6379/0' }) })
 */
export const sharedState = (options: SharedStateOptions): SharedState => {
  checkOptions(options, { url: true, name: 'text', reset: 'switch', maxLogSize: true }, 'sharedState')
  const { url, name = 'default', reset = false, maxLogSize = defaultMaxLogSize } = options
  if (typeof url !== 'string') throw new PlantMockError('sharedState needs a url, such as redis://127.0.0.1:6379/0.')
  if (!Number.isInteger(maxLogSize) || maxLogSize < 1)
    throw new PlantMockError('maxLogSize must be a whole number of bytes, 1 or more.')
  if (!/^[\w.-]{1,64}$/.test(name))
    throw new PlantMockError('The name of a store has 1 to 64 letters, digits and the characters . _ -')
  const address = parseAddress(url, 'The address of the store')
  return { open: (opened) => openState({ ...opened, address, name, reset, maxLogSize }) }
}

const openState = async (options: Omit<JoinOptions, 'retry'>): Promise<OpenState> => {
  const { address, name, onNotice } = options
  const connection = await openConnection(address, name)
  const deadline = performance.now() + startTimeout
  const waiting = setTimeout(() => onNotice(`Waiting for ${address.shown}, for up to 10 seconds …`), silentWait)
  // Retries, because a store that starts may still load its data or close its first connections.
  const retry: JoinOptions['retry'] = async (attempt) => {
    for (;;)
      try {
        return await attempt()
      } catch (error) {
        const isFinal = error instanceof PlantMockError || isPermanent(failureOf(error, false))
        if (isFinal || performance.now() >= deadline) throw error
        await new Promise((resolve) => setTimeout(resolve, retryInterval))
      }
  }
  try {
    return await retry(async () => {
      await checkServer(connection, address)
      clearTimeout(waiting)
      const state = await joinMock(connection, { ...options, retry })
      const policy = /^maxmemory_policy:(\S+)/m.exec(await connection.info('memory'))?.[1]
      if (policy?.startsWith('allkeys-'))
        onNotice(
          `${address.shown} may delete the state of the mock when its memory is full (maxmemory-policy ${policy}). Set it to noeviction.`,
        )
      return state
    })
  } catch (error) {
    clearTimeout(waiting)
    connection.close()
    if (error instanceof PlantMockError) throw error
    const failure = failureOf(error, false)
    throw new PlantMockError(`${address.shown} cannot be used: ${reasonOf(failure)}. ${adviceOn(failure)}`)
  }
}

const adviceOn = (failure: StoreFailure): string => {
  if (isPermanent(failure)) return 'Correct this, then start again.'
  return failure.code === '' || failure.code === 'LATE'
    ? 'Check that it is Valkey or Redis, and its scheme: redis:// is without TLS, rediss:// with TLS.'
    : 'Start it, or correct its address.'
}

const checkServer = async (connection: StoreConnection, { shown }: StoreAddress): Promise<void> => {
  const version = /^redis_version:(\d+)\.(\S*)/m.exec(await connection.info('server'))
  if (version !== null && Number(version[1]) < 7)
    throw new PlantMockError(`${shown} is Redis ${version[1]}.${version[2]}. Use Redis 7.0 or later, or Valkey.`)
}
