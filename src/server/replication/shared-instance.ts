import { defaultAssumptions, maxBodySize } from '../../core/assumptions/registry.ts'
import { type DrawnFaults, faultReply, withFaults, withoutPreferred } from '../../core/faults/faults.ts'
import { maxHeldBody } from '../../core/http/exchange.ts'
import type { Reply } from '../../core/http/reply.ts'
import type { CallerRegistry } from '../../core/journal/callers.ts'
import type { CallerKeys } from '../../core/mock/command-row.ts'
import { type CommandName, commandNamed, type RunMockCommand } from '../../core/mock/commands.ts'
import type { RecordedReply, UpstreamHandler } from '../../core/mock/handler.ts'
import type { LocalInstance, MockInstance } from '../../core/mock/instance.ts'
import { type Carrier, instanceApi } from '../../core/mock/instance-api.ts'
import { type MockEvents, type MockObserver, mockEvents } from '../../core/mock/observer.ts'
import { clock, waitFor } from '../../core/mock/time.ts'
import type { ResolvedRequest } from '../../core/operations/call.ts'
import { StorageError } from '../../util/errors.ts'
import type { MaybePromise } from '../../util/maybe-promise.ts'
import { messageOf } from '../../util/words.ts'
import type { Encoder } from './encode.ts'
import type { CallResult, LogCommand, Machine } from './machine.ts'

export type ReplicaLink = CallerKeys & {
  readonly machine: () => Machine
  readonly emptySession: () => LocalInstance
  readonly submit: (command: LogCommand) => Promise<unknown>
  readonly refresh: () => Promise<void>
  readonly encoder: Encoder
  readonly callers: CallerRegistry
  readonly epoch: () => string
  readonly upstream: UpstreamHandler | undefined
  readonly onNotice: (text: string) => void
  readonly observer: MockObserver | undefined
}

export type SharedInstance = MockInstance & {
  readonly events: MockEvents
}

export const sharedInstance = (id: string | undefined, link: ReplicaLink): SharedInstance => {
  const { encoder } = link
  const events = mockEvents()
  const session = id === undefined ? {} : { session: id }
  const local = (): LocalInstance => {
    const { instances } = link.machine()
    return (id === undefined ? instances.root : instances.peek(id)) ?? link.emptySession()
  }
  const submit = <Result>(command: LogCommand): Promise<Result> =>
    link.submit({ ...command, ...session }) as Promise<Result>
  const refreshed = async (): Promise<LocalInstance> => {
    await (id === undefined ? link.refresh() : submit({ type: 'use' }))
    return local()
  }

  const play = async (call: ResolvedRequest, receivedAt: number): Promise<RecordedReply> => {
    const command = { type: 'call', call: encoder.call(call), receivedAt } as const
    const result = await submit<CallResult>({ ...command, milliseconds: clock() - receivedAt })
    if (result.drawn === undefined) return result
    await waitFor(result.drawn.delay, call.received.signal)
    return submit({ ...command, drawn: result.drawn, milliseconds: clock() - receivedAt })
  }

  /** Forwards each request from one replica only, because a second replica could get a different response. */
  const forward = async (
    call: ResolvedRequest,
    respond: (call: ResolvedRequest) => MaybePromise<Reply>,
  ): Promise<Reply> => {
    const target = encoder.target(call)
    const drawn = await submit<DrawnFaults | undefined>({ type: 'draw', target })
    if (drawn === undefined) return respond(call)
    if (drawn.delay > 0) await waitFor(drawn.delay, call.received.signal)
    const instead = faultReply(drawn, local().problem)
    return withFaults(instead ?? (await respond(withoutPreferred(call, drawn.preferred))), drawn, target)
  }

  const respond = async (call: ResolvedRequest): Promise<RecordedReply> => {
    const receivedAt = clock()
    const { operation } = call
    const { upstream } = link
    // Is not watched: a watcher repeats requests under other values, which would change the state of all replicas.
    link.observer?.exchangeRecorded(false, call)
    if (upstream === undefined || operation === undefined) return play(call, receivedAt)
    const reply = await forward(call, (call) => upstream(call, operation))
    // Ignores a failure to log the response, because the upstream has already carried out the request.
    const id = await recordFrom(call, reply, receivedAt).catch(() => 0)
    return { id, reply }
  }

  const recordFrom = async (
    call: ResolvedRequest,
    reply: Reply,
    receivedAt: number,
    milliseconds = clock() - receivedAt,
  ): Promise<number> =>
    submit({
      type: 'record',
      call: encoder.exchange(call),
      reply: encoder.reply(call, reply),
      receivedAt,
      milliseconds,
    })

  const refusal = (error: unknown): Reply => {
    const detail = messageOf(error)
    if (!(error instanceof StorageError)) return local().problem({ problem: 'internal-error', detail })
    const headers = error.problem === 'store-unreachable' ? ['Retry-After', '1'] : []
    return local().problem({ problem: error.problem, detail, headers })
  }

  const runIn = (requiredEpoch?: string): RunMockCommand =>
    (async (name: CommandName, argument?: unknown) => {
      const { changes, isLogged, keyed } = commandNamed(name)
      if (changes.length === 0 && !isLogged) return (await refreshed()).run(name, argument as never)
      return submit({
        type: 'run',
        name,
        argument: keyed === undefined ? argument : keyed(argument, link),
        ...(requiredEpoch !== undefined && { epoch: requiredEpoch }),
      })
    }) as RunMockCommand
  const run = runIn()
  const carrier: Carrier = {
    run,
    isRemote: true,
    sameState: () => runIn(link.epoch()),
    async listen(onEntry) {
      await refreshed()
      return events.listen(({ type }) => {
        if (type === 'request') onEntry()
      })
    },
  }
  const api = instanceApi(carrier)

  return {
    ...api,
    api,
    carrier,
    run,
    events,
    handle: (call) => respond(call).catch((failure) => ({ id: 0, reply: refusal(failure), failure })),
    record: (...recorded) => recordFrom(...recorded).catch(() => 0),
    problem: (problem) => local().problem(problem),
    get inForce() {
      return local().inForce
    },
    preview: (values) => local().preview(values),
    alternatives: (id) => local().alternatives(id),
    get maxBodySize() {
      if (link.upstream !== undefined) return maxHeldBody
      // Reads at least the default size, because another replica may already have raised `body.maxSize`.
      return Math.max(defaultMaxBody, maxBodySize(local().inForce))
    },
    get journal() {
      return local().journal
    },
    countPlants: async () => (await refreshed()).countPlants(),
    eachPlant: async () => (await refreshed()).eachPlant(),
    close: () => events.emit({ type: 'closed' }),
  }
}

const defaultMaxBody = maxBodySize(defaultAssumptions)
