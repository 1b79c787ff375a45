import { randomUUID } from 'node:crypto'
import { secretSet } from '../../core/http/redact.ts'
import type { UpstreamHandler } from '../../core/mock/handler.ts'
import type { MockInstances } from '../../core/mock/instances.ts'
import { observerOfEnvironment } from '../../core/mock/observer.ts'
import type { PlantMockOptions } from '../../core/mock/options.ts'
import { exactJson, exactJsonOrUndefined } from '../../util/exact-json.ts'
import { messageOf, plural } from '../../util/words.ts'
import type { StoreAddress, StoreConnection } from './connection.ts'
import { createEncoder } from './encode.ts'
import { clearTimeout, StoreFailure, setTimeout, storageError } from './failure.ts'
import { followLog, type StateReplacement } from './log.ts'
import { createMachine, type LogCommand, type Machine } from './machine.ts'
import { callerKeys, checkSettings, keyedOptions, settingsText } from './settings.ts'
import type { ReplicaLink } from './shared-instance.ts'
import { type SharedInstances, sharedCallers, sharedInstances } from './shared-instances.ts'
import { decodeCopy, encodeCopy } from './snapshot.ts'

export type OpenOptions = {
  readonly mock: Omit<PlantMockOptions, 'store'>
  readonly upstream: UpstreamHandler | undefined
  readonly onNotice: (text: string) => void
}

export type OpenState = {
  readonly instances: MockInstances
  readonly shown: string
  readonly close: () => void
}

export type JoinOptions = OpenOptions & {
  readonly address: StoreAddress
  readonly name: string
  readonly reset: boolean
  readonly maxLogSize: number
  readonly retry: <Result>(attempt: () => Promise<Result>) => Promise<Result>
}

export const joinMock = async (connection: StoreConnection, options: JoinOptions): Promise<OpenState> => {
  const { mock, address, name, reset, maxLogSize, retry, upstream, onNotice } = options
  const keys = callerKeys(mock.callers)
  const tokens = secretSet()
  const callers = sharedCallers(() => machine.instances.callers, keys.keyOf, tokens)
  const keyed = await keyedOptions(mock, keys, callers.learn)
  const settings = settingsText(keyed)
  const refuse = (error: unknown): never => {
    throw error instanceof StoreFailure ? storageError(address.shown, error) : error
  }
  let machine: Machine
  let blank: Machine | undefined

  const copy = (epoch: string): Machine => {
    const made = createMachine({
      options: keyed,
      tokens,
      keyOf: keys.keyOf,
      epoch,
      observe: (session, event) => {
        if (made === machine) instances.observe(session, event)
      },
    })
    made.instances.listen(() => {
      if (made === machine) instances.sessionsChanged()
    })
    return made
  }

  const link: ReplicaLink = {
    ...keys,
    machine: () => machine,
    emptySession() {
      blank ??= copy('')
      return blank.instances.root
    },
    submit: (command) => log.submit(exactJson(command)).catch(refuse),
    async refresh() {
      await log.submit(undefined).catch(refuse)
    },
    epoch: () => log.epoch,
    callers,
    encoder: createEncoder({
      callers,
      keyOfToken: keys.keyOfToken,
      known: () => machine.instances.known,
      prefer: mock.prefer ?? true,
    }),
    upstream,
    onNotice,
    observer: observerOfEnvironment(),
  }
  const instances = sharedInstances(link)
  const log = await followLog(
    {
      connection,
      id: randomUUID().slice(0, 8),
      settings,
      checkSettings: (theirs) => checkSettings(settings, theirs, `The mock "${name}" in ${address.shown}`),
      restart(snapshot, epoch) {
        const fresh = copy(epoch)
        if (snapshot !== undefined) decodeCopy(snapshot, fresh)
        machine = fresh
        instances.replaced()
      },
      execute: (text, time) =>
        (exactJsonOrUndefined(text) as readonly LogCommand[]).map(async (command) => machine.execute(command, time)),
      snapshot: () => encodeCopy(machine),
      onReplaced: (reason) => onNotice(replacedNotice(reason, name, address, machine.initialPlants.length)),
      maxLogSize,
    },
    reset,
  )
  await retry(log.catchUp)
  const stop = keepUpToDate(instances, link)
  return {
    instances,
    shown: address.shown,
    close() {
      stop()
      connection.close()
    },
  }
}

const replacedNotice = (reason: StateReplacement, name: string, { shown }: StoreAddress, plants: number): string => {
  const begins = `It begins again with ${plural(plants, 'plant')}.`
  if (reason === 'lost') return `${shown} had lost the state of the mock "${name}". ${begins}`
  if (reason === 'reset') return `Another process reset the mock "${name}" in ${shown}. ${begins}`
  return `${shown} went back to an earlier state of the mock "${name}": the latest changes are lost. Run the store with an append-only file (appendonly yes).`
}

const listeningInterval = 100
const idleInterval = 1_000
const useInterval = 5_000

const keepUpToDate = (instances: SharedInstances, link: ReplicaLink): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStopped = false
  let isReachable = true
  let idleRounds = 0
  let lastUse = performance.now()

  const follow = async (): Promise<void> => {
    const isDue = instances.hasListeners || ++idleRounds >= idleInterval / listeningInterval
    if (!isDue) return
    idleRounds = 0
    try {
      await link.refresh()
      if (performance.now() - lastUse > useInterval) {
        lastUse = performance.now()
        for (const id of instances.listeningSessions()) await link.submit({ type: 'use', session: id })
      }
      if (!isReachable) link.onNotice('The store can be used again.')
      isReachable = true
    } catch (error) {
      if (isReachable && !isStopped) link.onNotice(`Requests are refused: ${messageOf(error)}`)
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
