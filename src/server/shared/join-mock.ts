import { randomUUID } from 'node:crypto'
import type { CallerKey } from '../../core/contract/caller.ts'
import type { Caller } from '../../core/contract/schemas.ts'
import { defaultJournalSize } from '../../core/journal/journal.ts'
import { fixtureTable } from '../../core/mock/check-fixtures.ts'
import type { CallerKeys } from '../../core/mock/command-row.ts'
import { keyedFault, keyedPlants } from '../../core/mock/commands.ts'
import { defaultSessions, initialAssumptions, initialFaults, waitFor } from '../../core/mock/instances.ts'
import { observerOfEnvironment } from '../../core/mock/observer.ts'
import type { PlantMockOptions } from '../../core/mock/options.ts'
import { plantTable } from '../../core/store/plant-table.ts'
import { isPromise } from '../../util/maybe-promise.ts'
import { plural } from '../../util/words.ts'
import { createCallerKey } from '../persist/caller-key.ts'
import type { StoreAddress } from './address.ts'
import type { LogCommand } from './command.ts'
import type { StoreConnection } from './connection.ts'
import { dumpMachine, restoreMachine } from './dump.ts'
import { createEncoder } from './encode.ts'
import { StoreFailure, storageError } from './failure.ts'
import { keepUpToDate } from './keep-up-to-date.ts'
import { type Follower, followLog, type LogResult, type SharedLog, type StateReplacement } from './log.ts'
import { createMachine, type Machine } from './machine.ts'
import type { OpenOptions, OpenState } from './open-state.ts'
import { checkSettings, digestOf, fixturesIn, notDefault, renderSettings } from './settings.ts'
import type { ReplicaLink } from './shared-instance.ts'
import { type SharedInstances, sharedInstances } from './shared-instances.ts'

/** How to join a mock in a store. */
export type JoinOptions = OpenOptions & {
  readonly address: StoreAddress
  readonly name: string
  readonly reset: boolean
  /** In bytes. */
  readonly maxLogSize: number
}

/** Makes this process a replica of the mock. @throws PlantMockError when the mock began with other settings. */
export const joinMock = async (connection: StoreConnection, options: JoinOptions): Promise<OpenState> => {
  const { mock, address, name, reset, maxLogSize, upstream, onNotice } = options
  const keys = callerKeys(mock.callers)
  const { keyOf, keyOfToken } = keys
  const keyed = await keyedOptions(mock, keys, onNotice)
  const settings = settingsOf(keyed)
  const tokens = new Set(keyed.tokens)
  const toStorageError = (error: unknown): unknown =>
    error instanceof StoreFailure ? storageError(address.shown, error) : error
  let machine: Machine | undefined
  let shared: SharedInstances | undefined

  const copy = (epoch: string): Machine => {
    const made = createMachine({
      options: keyed,
      keyOf,
      epoch,
      observe: (session, event) => {
        if (made === machine) shared?.observe(session, event)
      },
    })
    made.instances.listen(() => {
      if (made === machine) shared?.sessionsChanged()
    })
    return made
  }
  const current = (): Machine => {
    machine ??= copy('')
    return machine
  }

  const follower: Follower = {
    async restart(dump, epoch) {
      const fresh = copy(epoch)
      if (dump !== undefined) await restoreMachine(dump, fresh)
      machine = fresh
      shared?.replaced()
    },
    async execute(text, time, isOwn) {
      const results: LogResult[] = []
      for (const command of JSON.parse(text) as readonly LogCommand[]) {
        const result = await execute(current(), command, time)
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
      onReplaced: (reason) => onNotice(replacedNotice(reason, name, address, current().initialPlants?.length ?? 0)),
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
      blank ??= copy('')
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
    epoch: () => log.epoch,
    encoder: createEncoder({
      callers: () => current().instances.callers,
      keyOfToken,
      isKnown: (key) => tokens.has(key) || current().instances.root.state.plants.knows(key) === true,
    }),
    keyOf,
    keyOfToken,
    upstream,
    wait: waitFor,
    onNotice,
    observer: observerOfEnvironment(),
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

const execute = async (machine: Machine, command: LogCommand, time: number): Promise<LogResult> => {
  try {
    const value = machine.execute(command, time)
    return { value: isPromise(value) ? await value : value }
  } catch (error) {
    return { error }
  }
}

const replacedNotice = (reason: StateReplacement, name: string, { shown }: StoreAddress, plants: number): string => {
  const begins = `It begins again with ${plural(plants, 'plant')}.`
  if (reason === 'lost') return `${shown} had lost the state of the mock "${name}". ${begins}`
  if (reason === 'reset') return `Another process began the mock "${name}" in ${shown} afresh. ${begins}`
  return `${shown} went back to an earlier state of the mock "${name}": the latest changes are lost. Let it keep an append-only file (appendonly yes).`
}

/** The options of each copy: callers by their keys, and everything that the environment decides, decided once. */
const keyedOptions = async (
  { fixtures = [], tokens, callers, faults, onNotice: _, ...options }: Omit<PlantMockOptions, 'store'>,
  keys: CallerKeys,
  onNotice: (text: string) => void,
): Promise<PlantMockOptions> => {
  const assumptions = initialAssumptions({ ...options, ...(tokens && { tokens }) }, onNotice)
  const { assumptionSeed: __, ...rest } = options
  return {
    ...rest,
    assume: assumptions,
    fixtures: plantTable(keyedPlants({ plants: await fixtureTable(fixtures) }, keys).plants),
    ...(tokens && { tokens: tokens.map(keys.keyOf) }),
    ...(callers && { callers }),
    ...(faults && { faults: faults.map((fault) => keyedFault(fault, keys)) }),
    // A copy that is rebuilt has nothing to say.
    onNotice: () => undefined,
  }
}

const settingsOf = (options: PlantMockOptions): string =>
  renderSettings({
    fixtures: fixturesIn(options.fixtures as Iterable<never>),
    assumptions: notDefault(initialAssumptions(options, () => undefined)),
    seed: options.seed ?? 1,
    faults: initialFaults(options),
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

/**
 * The key of a caller is the name of a configured caller, a short token, or the digest of a long one.
 * @param callers Names of callers, with their tokens.
 */
const callerKeys = (callers: Readonly<Record<string, Caller>> = {}): CallerKeys => {
  const digestOf = createCallerKey()
  const names = new Map(Object.entries(callers).map(([name, token]) => [token, name]))
  const known = new Set(names.values())
  const keyOf = (caller: Caller): CallerKey => (known.has(caller) ? (caller as CallerKey) : digestOf(caller))
  return { keyOf, keyOfToken: (token) => (names.get(token) as CallerKey | undefined) ?? keyOf(token) }
}
