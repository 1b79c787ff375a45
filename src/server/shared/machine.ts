import type { CallerKey } from '../../core/contract/caller.ts'
import type { FixturePlant } from '../../core/contract/schemas.ts'
import type { DrawnFaults } from '../../core/faults/faults.ts'
import { bodyTooLarge, type Exchange } from '../../core/http/exchange.ts'
import type { Secrets } from '../../core/http/redact.ts'
import { type CommandContext, setAssumptions } from '../../core/mock/command-row.ts'
import type { CommandName } from '../../core/mock/commands.ts'
import type { LocalInstance, RecordedReply } from '../../core/mock/instance.ts'
import { createMockInstances, type LocalInstances } from '../../core/mock/instances.ts'
import type { SnapshotSource } from '../../core/mock/named-snapshots.ts'
import type { MockEvent } from '../../core/mock/observer.ts'
import type { PlantMockOptions } from '../../core/mock/options.ts'
import { type Call, resolveCall } from '../../core/service/call.ts'
import { maxBodySize } from '../../core/service/service.ts'
import { memoryStore } from '../../core/store/memory-store.ts'
import { plantTable } from '../../core/store/plant-table.ts'
import { andThen, type MaybePromise } from '../../util/maybe-promise.ts'
import { decodeExchange, decodeReply, type LoggedExchange, type LoggedReply } from './encode.ts'

/** When a request was received, in milliseconds since 1970, and how long its response took until now. */
type Timed = { readonly received: number; readonly milliseconds: number }

/**
 * One step of the log. Every replica executes all of them in one order on its own copy of the mock, so that all copies
 * are equal. `session` selects an instance, which it creates.
 */
export type LogCommand = { readonly session?: string } & (
  | ({ readonly type: 'call'; readonly call: LoggedExchange } & Timed)
  /** The rest of a call, after the delay of its faults. */
  | ({ readonly type: 'play'; readonly call: LoggedExchange; readonly drawn: DrawnFaults } & Timed)
  /** Draws the faults of a call that an upstream handles. */
  | { readonly type: 'draw'; readonly call: LoggedExchange }
  | ({ readonly type: 'record'; readonly call: LoggedExchange; readonly reply: LoggedReply } & Timed)
  /** Creates the session; `hold` keeps it in use for a while: somebody listens to its events. */
  | { readonly type: 'use' | 'hold' }
  | { readonly type: 'drop'; readonly id: string }
  | { readonly type: 'name'; readonly callers: readonly CallerKey[] }
  /** A command of an instance. With `epoch`, it does nothing in a mock that has begun afresh since. */
  | { readonly type: 'run'; readonly name: CommandName; readonly argument?: unknown; readonly epoch?: string }
)

export type SavedPlants = { readonly plants: Iterable<FixturePlant>; readonly assumptions: LocalInstance['inForce'] }

type MachineOptions = {
  /** They name callers by their keys. */
  readonly options: PlantMockOptions
  /** The tokens that this replica knows: the journal redacts them. */
  readonly tokens: Secrets
  readonly keyOf: (caller: string) => string
  /** Identifies the state that the log leads to. */
  readonly epoch: string
  readonly observe: (session: string | undefined, event: MockEvent) => void
}

export type Machine = ReturnType<typeof createMachine>

/**
 * Makes a copy of the mock, which executes the commands of the log. Equal commands in one order make equal copies.
 * @throws PlantMockError for an invalid fixture, token, fault or assumption.
 */
export const createMachine = ({ options, tokens, keyOf, epoch, observe }: MachineOptions) => {
  let now = 0
  const heldUntil = new Map<string, number>()
  /** Its plants name callers by their keys. */
  const keyedStore = () => {
    const { findDuplicate: _, preview: __, ...store } = memoryStore()
    return { ...store, callerKey: keyOf }
  }
  const instances = createMockInstances(
    { ...options, store: keyedStore },
    {
      tokens,
      observe,
      observer: undefined,
      now: () => now,
      isHeld: (id) => (heldUntil.get(id) ?? 0) > now,
      snapshotSource: savedPlants,
    },
  )
  const hold = (session = ''): void => {
    for (const [id, until] of heldUntil) if (until <= now) heldUntil.delete(id)
    heldUntil.set(session, now + holdTime)
  }

  return {
    instances,
    /** The plants of the start. */
    initialPlants: instances.root.base.plants,
    /** Until when sessions are held, by id, in milliseconds since 1970. */
    heldUntil,
    /**
     * @param time When the store appended the command, in milliseconds since 1970.
     * @throws PlantMockError for a change that the mock refuses; then nothing has changed.
     */
    execute(command: LogCommand, time: number): unknown {
      now = time
      if (command.type === 'drop') return instances.sessions.drop(command.id)
      if (command.type === 'name') return nameAll(command.callers, instances)
      const instance = command.session === undefined ? instances.root : instances.session(command.session)
      switch (command.type) {
        case 'use':
          return undefined
        case 'hold':
          hold(command.session)
          return undefined
        case 'run':
          if (command.epoch !== undefined && command.epoch !== epoch) return false
          return instance.run(command.name, command.argument as never)
        case 'record':
          return instance.record(
            resolveCall(decodeExchange(command.call)),
            decodeReply(command.reply),
            command.received,
            command.milliseconds,
          )
      }
      const call = resolveCall(exchangeOf(command.call, instance))
      switch (command.type) {
        case 'draw':
          // A recording names the caller before the journal does.
          if (call.credentials.token !== undefined) nameAll([call.credentials.token], instances)
          return instance.draw(call)
        case 'play':
          return finish(instance, call, command.drawn, command)
        case 'call': {
          const drawn = instance.draw(call)
          if (drawn !== undefined && drawn.delay > 0) return { drawn }
          return finish(instance, call, drawn, command)
        }
      }
    },
  }
}

/** Snapshots as data, which a new replica can take over. */
const savedPlants = (context: CommandContext): SnapshotSource<unknown> => ({
  capture: async (): Promise<SavedPlants> => ({
    plants: plantTable((await context.state.plants.rows?.()) ?? []),
    assumptions: context.state.assumptions,
  }),
  async restore(saved) {
    const { plants, assumptions } = saved as SavedPlants
    await context.state.plants.replaceAll(plants)
    setAssumptions(context, assumptions)
    context.state.forgetCalls()
  },
})

/** How long a session is held, in milliseconds; replicas hold it again before. */
const holdTime = 15_000

/** `body.maxSize` is that of the moment at which the log has the request. */
const exchangeOf = (logged: LoggedExchange, { inForce }: LocalInstance): Exchange => {
  const exchange = decodeExchange(logged)
  const { body } = exchange
  const isTooLarge = typeof body === 'string' && (logged.size ?? Buffer.byteLength(body)) > maxBodySize(inForce)
  return isTooLarge ? { ...exchange, body: bodyTooLarge } : exchange
}

const nameAll = (callers: readonly string[], { callers: registry }: LocalInstances): void => {
  for (const caller of callers) registry.pseudonymOf(caller)
}

/** Handles and records a call whose faults are drawn, and whose delay is over. */
const finish = (
  { play, record }: LocalInstance,
  call: Call,
  drawn: DrawnFaults | undefined,
  { received, milliseconds }: Timed,
): MaybePromise<RecordedReply> =>
  andThen(play(call, drawn), (reply) => ({ id: record(call, reply, received, milliseconds), reply }))

/** The reply of a call, or the faults that delay it. */
export type CallResult =
  | (RecordedReply & { readonly drawn?: undefined })
  | { readonly drawn: DrawnFaults; readonly reply?: undefined }
