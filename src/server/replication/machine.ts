import { maxBodySize } from '../../core/assumptions/registry.ts'
import type { CallerKey } from '../../core/contract/caller.ts'
import type { DrawnFaults, FaultTarget } from '../../core/faults/faults.ts'
import { bodyTooLarge } from '../../core/http/exchange.ts'
import type { Secrets } from '../../core/http/redact.ts'
import type { Reply } from '../../core/http/reply.ts'
import type { CallerKeys } from '../../core/mock/command-row.ts'
import type { CommandName } from '../../core/mock/commands.ts'
import type { RecordedReply } from '../../core/mock/handler.ts'
import type { LocalInstance } from '../../core/mock/instance.ts'
import { createMockInstances } from '../../core/mock/instances.ts'
import type { MockEvent } from '../../core/mock/observer.ts'
import type { PlantMockOptions } from '../../core/mock/options.ts'
import type { ServiceRequest } from '../../core/model/request.ts'
import type { ResolvedRequest } from '../../core/operations/call.ts'
import { decodeCall, decodeRequest, type LoggedCall, type LoggedExchange } from './encode.ts'

type Timed = { readonly receivedAt: number; readonly milliseconds: number }

type CallCommand = { readonly type: 'call'; readonly call: LoggedCall; readonly drawn?: DrawnFaults } & Timed

/** A command in the log. All replicas execute the same commands in the same order, which keeps their copies equal. */
export type LogCommand = { readonly session?: string } & (
  | CallCommand
  | { readonly type: 'draw'; readonly target: FaultTarget }
  | ({ readonly type: 'record'; readonly call: LoggedExchange; readonly reply: Reply } & Timed)
  | { readonly type: 'use' }
  | { readonly type: 'drop'; readonly id: string }
  | { readonly type: 'name'; readonly callers: readonly CallerKey[] }
  /** The epoch of the mock when the command was sent: a reset changes the epoch, and the command then has no effect. */
  | { readonly type: 'run'; readonly name: CommandName; readonly argument?: unknown; readonly epoch?: string }
)

type MachineOptions = Pick<CallerKeys, 'keyOf'> & {
  readonly options: PlantMockOptions
  readonly tokens: Secrets
  readonly epoch: string
  readonly observe: (session: string | undefined, event: MockEvent) => void
}

export type Machine = ReturnType<typeof createMachine>

export const createMachine = ({ options, tokens, keyOf, epoch, observe }: MachineOptions) => {
  let now = 0
  const instances = createMockInstances(options, {
    keyOf,
    keyOfToken: keyOf,
    tokens,
    observe,
    observer: undefined,
    now: () => now,
  })
  const { known } = instances

  const nameAll = (callers: readonly CallerKey[]): void => callers.forEach(instances.callers.pseudonymOf)

  const handle = (instance: LocalInstance, command: CallCommand): CallResult => {
    const call = decodeCall(command.call)
    const { request, target } = decodeRequest(command.call, call, now, known)
    const drawn = command.drawn ?? instance.draw(target)
    if (drawn !== undefined && drawn.delay > 0 && command.drawn === undefined) return { drawn }
    const reply = instance.respond(call, request, target, drawn) as Reply
    return {
      id: instance.record(keptCall(call, request, instance), reply, command.receivedAt, command.milliseconds),
      reply,
    }
  }

  return {
    instances,
    initialPlants: instances.root.memory.base,
    /** @param time The time of the store's clock, in milliseconds since 1970. */
    execute(command: LogCommand, time: number): unknown {
      now = time
      if (command.type === 'drop') return instances.sessions.drop(command.id)
      if (command.type === 'name') return nameAll(command.callers)
      const instance = command.session === undefined ? instances.root : instances.session(command.session)
      switch (command.type) {
        case 'use':
          return undefined
        case 'run':
          if (command.epoch !== undefined && command.epoch !== epoch) return false
          return instance.run(command.name, command.argument as never)
        case 'record': {
          const { receivedAt, milliseconds } = command
          return instance.record(decodeCall(command.call), command.reply, receivedAt, milliseconds)
        }
        case 'draw':
          if (command.target.caller !== undefined) nameAll([command.target.caller])
          return instance.draw(command.target)
        case 'call':
          return handle(instance, command)
      }
    },
  }
}

/** Drops a body above `body.maxSize`, because the replica that read the body may not yet know the current limit. */
const keptCall = (call: ResolvedRequest, { sent }: ServiceRequest, { inForce }: LocalInstance): ResolvedRequest => {
  const { violations: _, received, ...rest } = call
  const size = sent?.size ?? (typeof received.body === 'string' ? Buffer.byteLength(received.body) : 0)
  return size > maxBodySize(inForce) ? { ...rest, received: { ...received, body: bodyTooLarge } } : call
}

export type CallResult = (RecordedReply & { readonly drawn?: undefined }) | { readonly drawn: DrawnFaults }
