import { randomUUID } from 'node:crypto'
import { waitFor } from '../../core/mock/instances.ts'
import { observerOfEnvironment } from '../../core/mock/observer.ts'
import { isPromise } from '../../util/maybe-promise.ts'
import { plural } from '../../util/words.ts'
import type { StoreAddress } from './address.ts'
import type { LogCommand } from './command.ts'
import type { StoreConnection } from './connection.ts'
import { callerKeys, keyedOptions, settingsOf } from './copy-options.ts'
import { dumpMachine, restoreMachine } from './dump.ts'
import { createEncoder } from './encode.ts'
import { StoreFailure, storageError } from './failure.ts'
import { keepUpToDate } from './keep-up-to-date.ts'
import { type Follower, followLog, type LogResult, type SharedLog, type StateReplacement } from './log.ts'
import { createMachine, type Machine } from './machine.ts'
import type { OpenOptions, OpenState } from './open-state.ts'
import { checkSettings } from './settings.ts'
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
