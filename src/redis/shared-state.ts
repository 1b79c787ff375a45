import { randomUUID } from 'node:crypto'
import type { Caller } from '../contract/schemas.ts'
import { defaultJournalSize } from '../journal/journal.ts'
import { openEvidence } from '../mock/evidence.ts'
import type { UpstreamHandler } from '../mock/instance.ts'
import { defaultSessions, initialAssumptions, initialFaults, type MockInstances, waitFor } from '../mock/instances.ts'
import type { PlantMockOptions } from '../mock/options.ts'
import { createCallerKey } from '../persist/caller-key.ts'
import { plantTable } from '../store/plant-table.ts'
import { checkOptions } from '../util/check-options.ts'
import { PlantMockError, StorageError } from '../util/errors.ts'
import { isPromise } from '../util/maybe-promise.ts'
import { plural } from '../util/words.ts'
import { parseAddress, type StoreAddress } from './address.ts'
import type { Command } from './command.ts'
import { type Connection, openConnection } from './connection.ts'
import { dumpMachine, restoreMachine } from './dump.ts'
import { createEncoder } from './encode.ts'
import { failureOf, isPermanent, reasonOf, storageError } from './failure.ts'
import { type Follower, followLog, type Result, type SharedLog } from './log.ts'
import { createMachine, type Machine } from './machine.ts'
import { type ReplicaLink, type SharedInstances, sharedInstances, withKeys } from './replica.ts'
import { checkSettings, digestOf, fixturesIn, notDefault, renderSettings } from './settings.ts'

export type SharedStateOptions = {
  /** `redis://HOST:6379/0`, `rediss://` with TLS, or `unix:/path/to/socket`; user name and password may be in it. */
  readonly url: string
  /** The name of the mock in the store: 1 to 64 letters, digits and `._-`. Default: `default`. */
  readonly name?: string
  /** Begin afresh: deletes the state of the mock of this name. Default: false. */
  readonly reset?: boolean
  /**
   * The size of the log in the store, in bytes, from which a snapshot replaces it; where the snapshot is larger, its size.
   * Default: 8,388,608.
   */
  readonly maxLogSize?: number
}

/** State in Valkey or Redis, for the option `store` of `startPlantMock`. */
export interface SharedState {
  /** Connects, and joins the mock. For `startPlantMock`. */
  open(options: OpenOptions): Promise<OpenState>
}

export type OpenOptions = {
  readonly mock: Omit<PlantMockOptions, 'store'>
  readonly upstream: UpstreamHandler | undefined
  readonly onNotice: (text: string) => void
}

export type OpenState = {
  readonly instances: MockInstances
  /** The address of the store, without credentials. */
  readonly shown: string
  readonly close: () => void
}

/** How long a start waits for the store, in milliseconds. */
const startTimeout = 10_000

const defaultMaxLogSize = 8 * 1024 * 1024

/**
 * Shares the state of a mock with other processes.
 * @throws PlantMockError for an unknown option, and for an address or name that is not valid.
 * @example
 * await startPlantMock({ fixtures: 'garden', store: sharedState({ url: 'redis://127.0.0.1:6379/0' }) })
 */
export const sharedState = (options: SharedStateOptions): SharedState => {
  checkOptions(options, { url: true, name: true, reset: true, maxLogSize: true }, 'sharedState')
  const { url, name = 'default', reset = false, maxLogSize = defaultMaxLogSize } = options
  if (typeof url !== 'string') throw new PlantMockError('sharedState needs a url, such as redis://127.0.0.1:6379/0.')
  if (!Number.isInteger(maxLogSize) || maxLogSize < 1)
    throw new PlantMockError('maxLogSize must be a whole number of bytes from 1.')
  if (!/^[\w.-]{1,64}$/.test(name))
    throw new PlantMockError('The name of a store has 1 to 64 letters, digits and the characters . _ -')
  const address = parseAddress(url, 'The address of the store')
  return { open: (opened) => openState({ ...opened, address, name, reset, maxLogSize }) }
}

type Options = OpenOptions & Required<Omit<SharedStateOptions, 'url'>> & { readonly address: StoreAddress }

const openState = async (options: Options): Promise<OpenState> => {
  const { address, name, onNotice } = options
  const connection = await openConnection(address, name)
  try {
    await connection.ready(startTimeout)
    await checkServer(connection, address, onNotice)
    return await joinMock(connection, options)
  } catch (error) {
    connection.close()
    if (error instanceof PlantMockError) throw error
    const failure = failureOf(error, false)
    const advice = isPermanent(failure) ? 'Correct this, then start again.' : 'Start it, or correct --store.'
    throw new PlantMockError(`${address.shown} cannot be used: ${reasonOf(failure)}. ${advice}`)
  }
}

/** Versions from 7.0; Valkey gives the version of Redis that it is compatible with, too. */
const checkServer = async (
  connection: Connection,
  { shown }: StoreAddress,
  onNotice: (text: string) => void,
): Promise<void> => {
  const version = /^redis_version:(\d+)\.(\S*)/m.exec(await connection.info('server'))
  if (version !== null && Number(version[1]) < 7)
    throw new PlantMockError(`${shown} is Redis ${version[1]}.${version[2]}. Use Redis 7.0 or later, or Valkey.`)
  const policy = /^maxmemory_policy:(\S+)/m.exec(await connection.info('memory'))?.[1]
  if (policy?.startsWith('allkeys-'))
    onNotice(
      `${shown} may delete the state of the mock when its memory is full (maxmemory-policy ${policy}). Set it to noeviction.`,
    )
}

const joinMock = async (connection: Connection, options: Options): Promise<OpenState> => {
  const { mock, address, name, reset, maxLogSize, upstream, onNotice } = options
  const keyOf = createCallerKey()
  const keyed = await keyedOptions(mock, keyOf, onNotice)
  const settings = settingsOf(keyed, keyOf)
  const toStorageError = (error: unknown): PlantMockError | unknown =>
    error instanceof Error && error.name === 'StoreFailure' ? storageError(address.shown, error) : error
  let machine: Machine | undefined
  let shared: SharedInstances | undefined

  const copy = (): Machine => {
    const made = createMachine({
      options: keyed,
      keyOf,
      observe: (session, event) => {
        if (made === machine) shared?.observe(session, event)
      },
    })
    made.instances.listen(() => shared?.sessionsChanged())
    return made
  }
  const current = (): Machine => {
    machine ??= copy()
    return machine
  }

  const follower: Follower = {
    async restart(dump) {
      const fresh = copy()
      if (dump !== undefined) await restoreMachine(dump, fresh)
      machine = fresh
      shared?.replaced()
    },
    async execute(text, position, time, isOwn) {
      const results: Result[] = []
      for (const command of JSON.parse(text) as readonly Command[]) {
        const result = await execute(current(), command, position, time)
        if (isOwn) results.push(result)
      }
      return results
    },
    dump: () => dumpMachine(current()),
    fingerprint: () => current().fingerprint(),
  }
  const log: SharedLog = await followLog(
    {
      connection,
      follower,
      id: randomUUID().slice(0, 8),
      settings,
      checkSettings: (theirs) => checkSettings(settings, theirs, `The mock "${name}" in ${address.shown}`),
      onLost: () =>
        onNotice(
          `${address.shown} had lost the state of the mock "${name}". It begins again with ${plural(current().initialPlants?.length ?? 0, 'plant')}.`,
        ),
      onDifference: () =>
        onNotice(
          `The copy of the mock "${name}" here differed from that of another replica, and was made again. Run one version of plant-mock and of Node.js in all replicas.`,
        ),
      maxLogSize,
    },
    reset,
  )
  let blank: Machine | undefined
  const link: ReplicaLink = {
    machine: current,
    blank: () => {
      blank ??= copy()
      return blank.instances.root
    },
    submit: (command) =>
      log.submit(JSON.stringify(command)).catch((error) => {
        throw toStorageError(error)
      }),
    refresh: () =>
      log.refresh().catch((error) => {
        throw toStorageError(error)
      }),
    position: () => log.position,
    encoder: createEncoder({ callers: () => current().instances.callers, keyOf }),
    keyOf,
    upstream,
    wait: waitFor,
    evidence: openEvidence(),
  }
  const instances = sharedInstances(link)
  shared = instances
  const stop = keepUpToDate(instances, link, onNotice)
  return {
    instances,
    shown: address.shown,
    close() {
      stop()
      log.close()
      connection.close()
    },
  }
}

const execute = async (machine: Machine, command: Command, position: number, time: number): Promise<Result> => {
  try {
    const value = machine.execute(command, position, time)
    return { value: isPromise(value) ? await value : value }
  } catch (error) {
    return { error }
  }
}

/** The options of each copy: callers by their keys, and everything that the environment decides, decided once. */
const keyedOptions = async (
  { fixtures = [], tokens, callers, onNotice: _, ...options }: Options['mock'],
  keyOf: (caller: Caller) => Caller,
  onNotice: (text: string) => void,
): Promise<PlantMockOptions> => {
  const assumptions = initialAssumptions({ ...options, ...(tokens && { tokens }) }, onNotice)
  const { assumptionSeed: __, ...rest } = options
  return {
    ...rest,
    assume: assumptions,
    fixtures: plantTable(await withKeys(fixtures, keyOf)),
    ...(tokens && { tokens: tokens.map(keyOf) }),
    ...(callers && { callers }),
    // A copy that is rebuilt has nothing to say.
    onNotice: () => undefined,
  }
}

const settingsOf = (options: PlantMockOptions, keyOf: (caller: Caller) => Caller): string =>
  renderSettings({
    fixtures: fixturesIn(options.fixtures as Iterable<never>),
    assumptions: notDefault(initialAssumptions(options, () => undefined)),
    seed: options.seed ?? 1,
    faults: initialFaults(options).map((fault) =>
      fault.caller === undefined ? fault : { ...fault, caller: keyOf(fault.caller) },
    ),
    tokens: [...(options.tokens ?? [])].sort(),
    callers: Object.fromEntries(
      Object.entries(options.callers ?? {})
        .map(([name, token]) => [name, digestOf(token)] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
    prefer: options.prefer ?? true,
    journal: options.journal ?? defaultJournalSize,
    sessions: options.sessions ?? defaultSessions,
  })

/** How often a replica reads the log, in milliseconds: while somebody listens to its events, and otherwise. */
const listeningInterval = 100
const idleInterval = 1_000
/** How often a session counts as used while somebody listens to it, in milliseconds. */
const useInterval = 10_000

/** Captured at import: fake timers of a test must not stop the store. */
const { setTimeout, clearTimeout } = globalThis

/** Follows the log while no request does, and reports when the store is lost and found again. The result stops that. */
const keepUpToDate = (
  instances: SharedInstances,
  link: ReplicaLink,
  onNotice: (text: string) => void,
): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStopped = false
  let isReachable = true
  let isIdle = 0
  let lastUse = performance.now()

  const follow = async (): Promise<void> => {
    const isDue = instances.hasListeners || ++isIdle >= idleInterval / listeningInterval
    if (!isDue) return
    isIdle = 0
    try {
      await link.refresh()
      if (performance.now() - lastUse > useInterval) {
        lastUse = performance.now()
        for (const id of instances.listeningSessions()) await link.submit({ type: 'use', session: id })
      }
      if (!isReachable) onNotice('The store can be used again.')
      isReachable = true
    } catch (error) {
      if (isReachable && !isStopped)
        onNotice(`${error instanceof StorageError ? error.message : String(error)} Until then, requests get 503.`)
      isReachable = false
    }
  }

  const next = (): void => {
    if (isStopped) return
    timer = setTimeout(() => follow().then(next), listeningInterval)
    timer.unref?.()
  }
  next()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
