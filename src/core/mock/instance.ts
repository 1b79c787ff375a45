import { mapLazily } from '../../util/lazy.ts'
import { andThen, type MaybePromise } from '../../util/maybe-promise.ts'
import { type AssumptionId, type Assumptions, maxBodySize } from '../assumptions/registry.ts'
import type { FixturePlant } from '../contract/schemas.ts'
import { maxHeldBody } from '../http/exchange.ts'
import type { Reply } from '../http/reply.ts'
import type { JournalBudget } from '../journal/budget.ts'
import { createJournal, type Journal } from '../journal/journal.ts'
import { redactorOf } from '../journal/redact.ts'
import { asFixture } from '../model/plants.ts'
import type { Problem } from '../model/result.ts'
import type { State } from '../model/state.ts'
import type { ResolvedRequest } from '../operations/call.ts'
import { Cell, type CellOptions } from './cell.ts'
import type { CallerKeys, CommandContext } from './command-row.ts'
import { commandNamed, hasChanged, type RunMockCommand } from './commands.ts'
import { createHandler, type Handler, type HandlerSettings, type RecordedReply } from './handler.ts'
import { type Carrier, type InstanceApi, instanceApi, snapshotGone } from './instance-api.ts'
import { type Memory, restoreSaved, type Start, withState } from './memory.ts'
import { type MockEvent, type MockEvents, type MockObserver, mockEvents } from './observer.ts'
import { type Alternatives, type Preview, recentSteps } from './recent-steps.ts'
import { clock } from './time.ts'

export interface MockInstance extends InstanceApi {
  readonly api: InstanceApi
  readonly carrier: Carrier
  readonly events: Pick<MockEvents, 'listen' | 'hasListeners' | 'onUsed'>
  readonly journal: Pick<Journal, 'entry' | 'entries' | 'countViolations' | 'lines' | 'latest'>
  readonly run: RunMockCommand
  /** Never throws. Returns a promise only if fixtures, a delay, an upstream or a store takes time. */
  handle(call: ResolvedRequest): MaybePromise<RecordedReply>
  record(call: ResolvedRequest, reply: Reply, receivedAt: number, milliseconds?: number): MaybePromise<number>
  problem(problem: Problem): Reply
  readonly inForce: Assumptions
  preview(values: Partial<Assumptions>): Preview
  alternatives(id: number): Alternatives | undefined
  readonly maxBodySize: number
  countPlants(): Promise<number>
  eachPlant(): Promise<Iterable<FixturePlant>>
  close(): void
}

export interface LocalInstance extends MockInstance {
  readonly journal: Journal
  memory: Memory
  readonly keepElsewhere: Cell['keepElsewhere']
  adopt(change: (state: State) => State): MaybePromise<void>
  readonly draw: Handler['draw']
  readonly respond: Handler['respond']
  record(call: ResolvedRequest, reply: Reply, receivedAt: number, milliseconds?: number): number
}

export type InstanceSettings = HandlerSettings & {
  readonly start: Start
  readonly keys: CallerKeys
  readonly journal: number
  readonly budget: JournalBudget
  readonly observer: MockObserver | undefined
  /** Assumptions that test code sets, and that `plant-mock vary` therefore cannot change. */
  readonly fixed: readonly AssumptionId[]
}

type InstanceParts = Omit<CellOptions, 'start' | 'onStored'> & {
  readonly observe: ((event: MockEvent) => void) | undefined
}

export const createMockInstance = (settings: InstanceSettings, { observe, ...parts }: InstanceParts): LocalInstance => {
  const { callers, keys, upstream, observer, start } = settings
  const cell = new Cell({ start, ...parts, onStored: (change) => watched?.adopted(change) })
  const journal = createJournal(settings.journal, callers, settings.budget)
  const events = mockEvents(observe)
  const recent = recentSteps()
  const context: CommandContext = { start, pseudonymOf: callers.pseudonymOf, journal }
  let isClosed = false

  const watched =
    upstream === undefined ? observer?.watch({ memory: () => cell.memory, context, fixed: settings.fixed }) : undefined

  const record = (
    call: ResolvedRequest,
    reply: Reply,
    receivedAt: number,
    milliseconds = clock() - receivedAt,
  ): number => {
    const id = journal.record(call, reply, receivedAt, milliseconds, cell.memory.assumptions)
    recent.recorded(call, id)
    events.emit({ type: 'request', id })
    events.used()
    // Hides responses of overrides from the observer, because the mock did not produce them.
    if (reply.meta.forwarded?.by !== 'handlers') observer?.exchangeRecorded(watched !== undefined, call)
    return id
  }

  const handler = createHandler({ ...settings, cell, watched, recent, record })

  const run = ((name, argument) => {
    const row = commandNamed(name)
    const keyed = row.keyed === undefined ? argument : row.keyed(argument, keys)
    return cell.inOrder(() => {
      const { memory } = cell
      const undo = cell.hasWriter ? watched?.snapshot() : undefined
      const ran = cell.run(() => (watched ? watched.run(name, memory, keyed) : row.run(memory, keyed, context)))
      // Writes even unchanged plants, because only a write detects that another process changed the stored file.
      const isWritten = row.changes.includes('plants') && hasChanged(ran.result)
      return andThen(ran.memory === memory ? undefined : cell.commit(ran.memory, { undo, isWritten }), () => {
        if (row.clearsJournal) {
          journal.clear()
          recent.clear()
        }
        if (row.changes.length > 0 && hasChanged(ran.result)) events.changed(...row.changes)
        return ran.result
      })
    })
  }) as RunMockCommand

  const carrier: Carrier = {
    // This `run` counts as use of the session. Replicas call the `run` above, because their calls are no use.
    run: ((name, argument) => {
      events.used()
      return run(name, argument as never)
    }) as RunMockCommand,
    isRemote: false,
    snapshot: async () => {
      const { restoreWatched, ...saved } = await cell.inOrder(() => ({
        plants: cell.memory.state.plants,
        assumptions: cell.memory.assumptions,
        restoreWatched: watched?.snapshot(),
      }))
      return async () => {
        if (isClosed) throw snapshotGone()
        await cell.inOrder(() =>
          andThen(cell.commit(restoreSaved(cell.memory, saved), { isWritten: true }), () => restoreWatched?.()),
        )
        events.changed('plants', 'assumptions')
      }
    },
    listen: async (onEntry) =>
      events.listen(({ type }) => {
        if (type === 'request') onEntry()
      }),
  }
  const api = instanceApi(carrier)

  return {
    ...api,
    ...handler,
    api,
    carrier,
    run,
    journal,
    events,
    record,
    get memory() {
      return cell.memory
    },
    set memory(next) {
      cell.replace(next)
    },
    keepElsewhere: (write, begin) => cell.keepElsewhere(write, begin),
    adopt: (change) =>
      cell.inOrder(() => {
        const state = change(cell.memory.state)
        if (state === cell.memory.state) return
        cell.replace(withState(cell.memory, state))
        watched?.adopted(change)
        events.changed('plants')
      }),
    get inForce() {
      return cell.memory.assumptions
    },
    preview: recent.preview,
    alternatives: (id) => {
      const found = recent.alternatives(id)
      const redact = redactorOf({ headers: [] }, callers)
      return (
        found && {
          ...found,
          alternatives: found.alternatives.map(({ body, ...one }) => ({
            ...one,
            ...(body !== undefined && { body: redact(body) }),
          })),
        }
      )
    },
    get maxBodySize() {
      if (upstream !== undefined) return maxHeldBody
      return Math.max(maxBodySize(cell.memory.assumptions), watched?.maxBodySize ?? 0)
    },
    countPlants: async () => cell.inOrder(() => cell.memory.state.plants.length),
    eachPlant: async () =>
      cell.inOrder(() => {
        watched?.run('plants', cell.memory, undefined)
        return mapLazily(cell.memory.state.plants, asFixture)
      }),
    close() {
      isClosed = true
      journal.close()
      events.emit({ type: 'closed' })
    },
  }
}
