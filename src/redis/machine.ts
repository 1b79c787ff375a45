import { bodyTooLarge, type Exchange } from '../http/exchange.ts'
import type { MockEvent } from '../mock/events.ts'
import type { LocalInstance, RecordedReply } from '../mock/instance.ts'
import { createMockInstances, type LocalInstances } from '../mock/instances.ts'
import { NamedSnapshots } from '../mock/named-snapshots.ts'
import type { PlantMockOptions } from '../mock/options.ts'
import { resolveCall } from '../service/call.ts'
import { maxBodySize } from '../service/service.ts'
import { memoryStore } from '../store/memory-store.ts'
import { type PlantTable, plantTable } from '../store/plant-table.ts'
import { type ChangeContext, changes, plantChanges } from './changes.ts'
import type { Command, LoggedExchange } from './command.ts'
import { decodeExchange, decodeReply } from './encode.ts'

/** The plants and assumptions of a snapshot. */
export type SavedPlants = { readonly plants: PlantTable; readonly assumptions: LocalInstance['inForce'] }

/** The snapshots of one instance. */
export type InstanceSnapshots = {
  readonly named: NamedSnapshots<SavedPlants>
  /** Those of `snapshot()`. */
  readonly captured: NamedSnapshots<SavedPlants>
}

/** A copy of the mock, which executes the commands of the log. Equal commands in one order make equal copies. */
export type Machine = {
  readonly instances: LocalInstances
  /** The plants of the start. */
  readonly initialPlants: PlantTable | undefined
  snapshotsOf(instance: LocalInstance): InstanceSnapshots
  /** Counts and states that two copies have in common when they executed the same commands in the same way. */
  fingerprint(): string
  /** Until when sessions are held, by id, in milliseconds since 1970. */
  readonly heldUntil: Map<string, number>
  /** The position of the log where the plants of an instance last changed. */
  readonly plantsChangedAt: WeakMap<LocalInstance, number>
  /**
   * Executes a command.
   * @param position Its position in the log.
   * @param time When the store appended it, in milliseconds since 1970.
   * @returns What the command asks for.
   * @throws PlantMockError for a change that the mock refuses; then nothing has changed.
   */
  execute(command: Command, position: number, time: number): unknown
}

type MachineOptions = {
  /** With keys of callers instead of tokens. */
  readonly options: PlantMockOptions
  readonly keyOf: (caller: string) => string
  /** Of the log. */
  readonly epoch: string
  readonly observe: (session: string | undefined, event: MockEvent) => void
}

/** @throws PlantMockError for an invalid fixture, token, fault or assumption. */
export const createMachine = ({ options, keyOf, epoch, observe }: MachineOptions): Machine => {
  let now = 0
  const heldUntil = new Map<string, number>()
  const instances = createMockInstances(
    { ...options, store: () => keyedStore(keyOf) },
    { observe, evidence: undefined, now: () => now, isHeld: (id) => (heldUntil.get(id) ?? 0) > now },
  )
  const snapshots = new WeakMap<LocalInstance, InstanceSnapshots>()
  const plantsChangedAt = new WeakMap<LocalInstance, number>()

  const instanceOf = (session: string | undefined, position: number): LocalInstance => {
    if (session === undefined) return instances.root
    const known = instances.peek(session)
    const instance = instances.session(session)
    // Another session may have had its id.
    if (known === undefined) plantsChangedAt.set(instance, position)
    return instance
  }

  const snapshotsOf = (instance: LocalInstance): InstanceSnapshots => {
    const known = snapshots.get(instance)
    if (known !== undefined) return known
    const source = {
      capture: async (): Promise<SavedPlants> => ({
        plants: plantTable(await instance.eachPlant()),
        assumptions: instance.inForce,
      }),
      async restore({ plants, assumptions }: SavedPlants) {
        await instance.state.plants.replaceAll(plants)
        await instance.assume(assumptions)
        instance.plantsChanged()
      },
    }
    const made = { named: new NamedSnapshots(source), captured: new NamedSnapshots(source) }
    snapshots.set(instance, made)
    return made
  }

  const hold = (session = ''): void => {
    for (const [id, until] of heldUntil) if (until <= now) heldUntil.delete(id)
    heldUntil.set(session, now + holdTime)
  }

  const contextOf = (instance: LocalInstance, position: number): ChangeContext => ({
    instance,
    ...snapshotsOf(instance),
    position,
    epoch,
    plantsChangedAt: plantsChangedAt.get(instance) ?? 0,
  })

  return {
    instances,
    initialPlants: instances.root.base.plants,
    snapshotsOf,
    plantsChangedAt,
    heldUntil,
    fingerprint() {
      const { state, exchanges } = instances.root
      const { lists, faults } = state.dumpRandom()
      return [exchanges, state.plants.count?.(), instances.callers.size, instances.sessionCount, lists, faults].join(
        '.',
      )
    },
    execute(command, position, time) {
      now = time
      if (command.type === 'drop') return instances.sessions.drop(command.id)
      if (command.type === 'name') return nameAll(command.callers, instances)
      const instance = instanceOf(command.session, position)
      switch (command.type) {
        case 'use':
          return undefined
        case 'hold':
          hold(command.session)
          return undefined
        case 'change': {
          const change = changes[command.name] as (context: ChangeContext, ...args: readonly unknown[]) => unknown
          const result = change(contextOf(instance, position), ...command.args)
          if (plantChanges.has(command.name)) plantsChangedAt.set(instance, position)
          return result
        }
        case 'record':
          return instance.recordReply(
            resolveCall(decodeExchange(command.call)),
            decodeReply(command.reply),
            command.received,
            command.milliseconds,
          )
      }
      const call = resolveCall(exchangeOf(command.call, instance))
      if (call.operation === 'createPlant') plantsChangedAt.set(instance, position)
      switch (command.type) {
        case 'draw':
          // A recording names the caller before the journal does.
          if (call.credentials.token !== undefined) nameAll([call.credentials.token], instances)
          return instance.draw(call)
        case 'model':
          return instance.model(call)
        case 'play':
          return instance.finish(call, command.drawn, command.received, command.milliseconds)
        case 'call': {
          const drawn = instance.draw(call)
          if (drawn !== undefined && drawn.delay > 0) return { drawn }
          return instance.finish(call, drawn, command.received, command.milliseconds)
        }
      }
    },
  }
}

/** How long a session is held, in milliseconds; replicas hold it again before. */
const holdTime = 15_000

/** A store whose plants name callers by their keys. */
const keyedStore = (callerKey: (caller: string) => string) => {
  const { findDuplicate: _, preview: __, ...store } = memoryStore()
  return { ...store, callerKey }
}

/** `body.maxSize` is that of the moment at which the log has the request. */
const exchangeOf = (logged: LoggedExchange, { inForce }: LocalInstance): Exchange => {
  const exchange = decodeExchange(logged)
  const { body } = exchange
  if (typeof body !== 'string' || (logged.size ?? body.length * 3) <= maxBodySize(inForce)) return exchange
  return (logged.size ?? Buffer.byteLength(body)) > maxBodySize(inForce)
    ? { ...exchange, body: bodyTooLarge }
    : exchange
}

const nameAll = (callers: readonly string[], { callers: registry }: LocalInstances): void => {
  for (const caller of callers) registry.pseudonymOf(caller)
}

/** The reply of a call, or the faults that delay it. */
export type CallResult =
  | (RecordedReply & { readonly drawn?: undefined })
  | { readonly drawn: NonNullable<ReturnType<LocalInstance['draw']>>; readonly reply?: undefined }
