import type { Caller, FixturePlant } from '../contract/schemas.ts'
import { checkFault, type Fault } from '../faults/fault.ts'
import { playFaults } from '../faults/faults.ts'
import type { Reply } from '../http/reply.ts'
import type { CallerRegistry } from '../journal/callers.ts'
import { fixtureTable } from '../mock/check-fixtures.ts'
import { type MockEvents, mockEvents } from '../mock/events.ts'
import type { Evidence } from '../mock/evidence.ts'
import type { InstanceApi, LocalInstance, MockInstance, UpstreamHandler } from '../mock/instance.ts'
import { handlerOf, type MockInstances } from '../mock/instances.ts'
import {
  type PlantFields,
  type PlantMatch,
  type PlantPatch,
  parseFields,
  plantPredicate,
} from '../mock/plant-filter.ts'
import type { Plants, Requests } from '../mock/plant-mock.ts'
import { requestsOf } from '../mock/requests.ts'
import { checkSessionId } from '../mock/session-id.ts'
import type { Call } from '../service/call.ts'
import { maxBodySize } from '../service/service.ts'
import { PlantMockError, StorageError } from '../util/errors.ts'
import type { ChangeName, Changes, Command, LoggedExchange } from './command.ts'
import type { Encoder } from './encode.ts'
import type { CallResult, Machine } from './machine.ts'

/** Access to the copy of the mock, and to the log. */
export type ReplicaLink = {
  /** The copy; a rebuild replaces it. */
  readonly machine: () => Machine
  /** An instance without any state, for reads of a session that was dropped. */
  readonly blank: () => LocalInstance
  /**
   * Appends a command, and executes it.
   * @throws StorageError when the store cannot be used; whatever the command throws.
   */
  readonly submit: (command: Command) => Promise<unknown>
  /** @throws StorageError when the store cannot be used. */
  readonly refresh: () => Promise<void>
  /** How much of the log the copy has executed. */
  readonly position: () => number
  readonly encoder: Encoder
  readonly keyOf: (caller: Caller) => Caller
  readonly upstream: UpstreamHandler | undefined
  readonly wait: (milliseconds: number) => Promise<void>
  /** See MockInstanceOptions. */
  readonly evidence: Evidence | undefined
}

/** Milliseconds since 1970, with fractions. */
const clock = (): number => performance.timeOrigin + performance.now()

/** A mock instance that all replicas share, as this replica sees it. */
export type SharedInstance = MockInstance & {
  readonly events: MockEvents
}

/** @param id Of the session; `undefined` for the mock itself. */
export const sharedInstance = (id: string | undefined, link: ReplicaLink): SharedInstance => {
  const { encoder, keyOf } = link
  const events = mockEvents()
  const session = id === undefined ? {} : { session: id }
  const local = (): LocalInstance => {
    const { instances } = link.machine()
    return (id === undefined ? instances.root : instances.peek(id)) ?? link.blank()
  }
  const submit = <Result>(command: Command): Promise<Result> =>
    link.submit({ ...command, ...session }) as Promise<Result>
  const change = <Name extends ChangeName, Result = void>(name: Name, ...args: Changes[Name]): Promise<Result> =>
    submit<Result>({ type: 'change', name, args } as Command)
  const refreshed = async (): Promise<LocalInstance> => {
    await (id === undefined ? link.refresh() : submit({ type: 'use' }))
    return local()
  }

  const play = async (logged: LoggedExchange, received: number): Promise<RecordedReply> => {
    const result = await submit<CallResult>({
      type: 'call',
      call: logged,
      received,
      milliseconds: clock() - received,
    })
    if (result.drawn === undefined) return result
    await link.wait(result.drawn.delay)
    return submit({ type: 'play', call: logged, drawn: result.drawn, received, milliseconds: clock() - received })
  }

  /** The upstream's replies differ from request to request, so this replica alone gets one, and records it for all. */
  const playThroughUpstream = async (
    call: Call,
    upstream: UpstreamHandler,
    received: number,
  ): Promise<RecordedReply> => {
    const { operation } = call
    if (operation === undefined) return play(encoder.exchange(call), received)
    const logged = encoder.exchange(call)
    const drawn = await submit<ReturnType<LocalInstance['draw']>>({ type: 'draw', call: logged })
    const model = () => submit<Reply>({ type: 'model', call: logged })
    const handle = (call: Call) => upstream(call, operation, model)
    if (drawn !== undefined && drawn.delay > 0) await link.wait(drawn.delay)
    const reply =
      drawn === undefined ? await handle(call) : await playFaults({ handle, problem: local().problem })(drawn, call)
    const id = await submit<number>({
      type: 'record',
      call: logged,
      reply: encoder.reply(call, reply),
      received,
      milliseconds: clock() - received,
    })
    return { id, reply }
  }

  const respond = (call: Call): Promise<RecordedReply> => {
    const received = clock()
    // The state under an alternative would be another in all replicas, so each counts as visible.
    link.evidence?.write({ type: 'exchange' })
    link.evidence?.write({ type: 'visible', alternatives: 'all' })
    return link.upstream === undefined
      ? play(encoder.exchange(call), received)
      : playThroughUpstream(call, link.upstream, received)
  }

  /** A mock whose store fails still responds. */
  const refusal = (error: unknown): Reply =>
    local().problem(
      error instanceof StorageError
        ? {
            problem: error.problem,
            detail: error.message,
            headers: error.problem === 'store-unreachable' ? ['Retry-After', '1'] : [],
          }
        : { problem: 'internal-error', detail: error instanceof Error ? error.message : String(error) },
    )

  const api: InstanceApi = {
    plants: sharedPlants({ refreshed, change, keyOf, position: link.position }),
    requests: sharedRequests({ refreshed, change, events }),
    violations: async () => (await refreshed()).violations(),
    assumptions: async () => (await refreshed()).inForce,
    assume: (values) => change('assume', values),
    async seed(plants) {
      await change('seed', await withKeys(plants, keyOf))
    },
    async load(plants) {
      await change('load', await withKeys(plants, keyOf))
    },
    reset: () => change('reset'),
    async snapshot() {
      const name = await change<'capture', string>('capture')
      return async () => {
        if (!(await change<'restoreCapture', boolean>('restoreCapture', name)))
          throw new PlantMockError('This snapshot is gone: the mock has taken 1,000 others since. Take it again.')
      }
    },
    async fail(fault) {
      const id = await change<'addFault', string>('addFault', keyedFault(fault, keyOf))
      return async () => {
        await change('removeFault', id)
      }
    },
    faults: () => change('faults'),
    pending: () => change('pending'),
    clearFaults: () => change('clearFaults'),
    coverage: async () => (await refreshed()).coverage(),
    clearCoverage: () => change('clearCoverage'),
  }

  return {
    ...api,
    api,
    events,
    handle: (call) => respond(call).then(({ reply }) => reply, refusal),
    send: async (call) => (await respond(call)).id,
    record(call, reply, received) {
      const logged = encoder.exchange(call)
      submit({
        type: 'record',
        call: logged,
        reply: encoder.reply(call, reply),
        received,
        milliseconds: clock() - received,
      }).catch(() => undefined)
    },
    problem: (problem) => local().problem(problem),
    get inForce() {
      return local().inForce
    },
    get maxBodySize() {
      // Another replica may just have raised it; the limit is applied when the log has the request.
      return link.upstream === undefined ? Math.max(largestNumber, maxBodySize(local().inForce)) : local().maxBodySize
    },
    get exchanges() {
      return local().exchanges
    },
    entry: (id) => local().entry(id),
    entries: (filter) => local().entries(filter),
    countViolations: () => local().countViolations(),
    countPlants: async () => (await refreshed()).countPlants(),
    eachPlant: async () => (await refreshed()).eachPlant(),
    lines: (after, max) => local().lines(after, max),
    addFault: (fault) => change('addFault', keyedFault(fault, keyOf)),
    removeFault: (id) => change('removeFault', id),
    snapshots: {
      names: () => link.machine().snapshotsOf(local()).named.names(),
      take: (name) => change('takeSnapshot', name ?? null),
      restore: (name) => change('restoreSnapshot', name),
      drop: (name) => change('dropSnapshot', name),
    },
    plantsChanged() {
      change('plantsChanged').catch(() => undefined)
    },
    close: events.closed,
    listen: events.listen,
    get hasListeners() {
      return events.hasListeners
    },
    onLeft: events.onLeft,
  }
}

type RecordedReply = { readonly id: number; readonly reply: Reply }

/** The largest `body.maxSize` that is a number of bytes by default, in bytes. */
const largestNumber = 1024 * 1024

type Change = <Name extends ChangeName, Result = void>(name: Name, ...args: Changes[Name]) => Promise<Result>

type Access = {
  readonly refreshed: () => Promise<LocalInstance>
  readonly change: Change
  readonly keyOf: (caller: Caller) => Caller
  readonly position: () => number
}

/** How often a change by a function is tried while others change the plants meanwhile. */
const maxAttempts = 100

const sharedPlants = ({ refreshed, change, keyOf, position }: Access): Plants => {
  const changeAt = async (matches: (plant: FixturePlant) => boolean, patch: PlantPatch | null): Promise<number> => {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const plants = await (await refreshed()).plants.all()
      const since = position()
      const positions = plants.flatMap((plant, index) => (matches(plant) ? [index] : []))
      const changed = await change<'changeAt', number | undefined>('changeAt', { since, positions }, patch)
      if (changed !== undefined) return changed
    }
    throw new PlantMockError('Others keep changing the plants, so that a function cannot select any. Use a filter.')
  }
  return {
    all: async (match) => (await refreshed()).plants.all(match),
    visibleTo: async (caller) => (await refreshed()).plants.visibleTo(caller),
    find: async (match) => (await refreshed()).plants.find(match),
    async update(match, patch) {
      const keyed = keyedFields(patch, keyOf, 'patch')
      return typeof match === 'function'
        ? changeAt(plantPredicate(match), keyed)
        : change<'update', number>('update', keyedFields(match, keyOf, 'filter'), keyed)
    },
    async remove(match: PlantMatch) {
      return typeof match === 'function'
        ? changeAt(plantPredicate(match), null)
        : change<'remove', number>('remove', keyedFields(match, keyOf, 'filter'))
    },
    clear: () => change('clearPlants'),
  }
}

const keyedFields = (given: PlantFields, keyOf: (caller: Caller) => Caller, kind: 'filter' | 'patch'): PlantFields => {
  const fields = parseFields(given, kind)
  return fields.access ? { ...fields, access: fields.access.map(keyOf) } : fields
}

const sharedRequests = ({
  refreshed,
  change,
  events,
}: Pick<Access, 'refreshed' | 'change'> & { events: MockEvents }): Requests =>
  requestsOf({
    all: async (match) => (await refreshed()).requests.all(match),
    count: async (match) => (await refreshed()).requests.count(match),
    clear: () => change('clearRequests'),
    listen: async (onEntry) =>
      events.listen(({ type }) => {
        if (type === 'request') onEntry()
      }),
  })

const keyedFault = (fault: Fault, keyOf: (caller: Caller) => Caller): Fault => {
  const checked = checkFault(fault)
  return checked.caller === undefined ? checked : { ...checked, caller: keyOf(checked.caller) }
}

/** Checked plants, which name callers by their keys. */
export const withKeys = async (
  plants: Parameters<InstanceApi['seed']>[0],
  keyOf: (caller: Caller) => Caller,
): Promise<readonly FixturePlant[]> =>
  Array.from(await fixtureTable(plants), (plant) =>
    plant.access === undefined ? plant : { ...plant, access: [...new Set(plant.access.map(keyOf))] },
  )

/** Bounds the instances that are kept for sessions, which any client can name. */
const maxIdleSessions = 1_000

/** The instances of a mock that all replicas share. */
export interface SharedInstances extends MockInstances {
  /** The sessions that somebody listens to. */
  listeningSessions(): readonly string[]
  /** Receives what happens in the copy. */
  observe(session: string | undefined, event: Parameters<MockEvents['emit']>[0]): void
  /** To be called when the list of sessions may have changed. */
  sessionsChanged(): void
  /** To be called when the copy was replaced. */
  replaced(): void
  readonly hasListeners: boolean
}

export const sharedInstances = (link: ReplicaLink): SharedInstances => {
  const root = sharedInstance(undefined, link)
  const sessions = new Map<string, SharedInstance>()
  const listeners = new Set<() => void>()

  const forgetIdle = (): void => {
    for (const [id, instance] of sessions) if (!instance.hasListeners) sessions.delete(id)
  }

  const session = (id: string): SharedInstance => {
    const known = sessions.get(id)
    if (known !== undefined) return known
    checkSessionId(id)
    if (sessions.size >= maxIdleSessions) forgetIdle()
    const made = sharedInstance(id, link)
    sessions.set(id, made)
    return made
  }

  return {
    refresh: async (id) => {
      if (id === undefined) await link.refresh()
      else await link.submit({ type: 'use', session: id })
    },
    root,
    session,
    handlerFor: (id) => handlerOf(id, { root, session }),
    sessions: {
      async all() {
        await link.refresh()
        return link.machine().instances.sessions.all()
      },
      drop: (id) => link.submit({ type: 'drop', id }) as Promise<boolean>,
    },
    listen(onChange) {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
    callers: sharedCallers(link),
    async nameCallers(callers) {
      const { findPseudonym } = link.machine().instances.callers
      const unnamed = [...new Set(callers)].filter((caller) => findPseudonym(caller) === undefined)
      if (unnamed.length > 0) await link.submit({ type: 'name', callers: unnamed })
    },
    listeningSessions: () => [...sessions].flatMap(([id, { hasListeners }]) => (hasListeners ? [id] : [])),
    observe: (id, event) => (id === undefined ? root : sessions.get(id))?.events.emit(event),
    sessionsChanged() {
      for (const listener of listeners) listener()
    },
    replaced() {
      for (const { events } of [root, ...sessions.values()])
        events.changed('plants', 'assumptions', 'faults', 'requests', 'coverage')
      for (const listener of listeners) listener()
    },
    get hasListeners() {
      return listeners.size > 0 || root.hasListeners || [...sessions.values()].some(({ hasListeners }) => hasListeners)
    },
  }
}

/** The registry of the copy. Only a command may assign a name, so that all replicas assign the same ones. */
const sharedCallers = ({ machine, keyOf }: ReplicaLink): CallerRegistry => {
  const registry = (): CallerRegistry => machine().instances.callers
  return {
    callerOf: (token) => registry().callerOf(token),
    get configured() {
      return registry().configured
    },
    get secrets() {
      return registry().secrets
    },
    pseudonymOf: (caller) => registry().findPseudonym(keyOf(caller)) ?? 'caller-other',
    findPseudonym: (caller) => registry().findPseudonym(caller),
    keyOfPseudonym: (pseudonym) => registry().keyOfPseudonym(pseudonym),
    tokenOfPseudonym: (pseudonym) => registry().tokenOfPseudonym(pseudonym),
    get size() {
      return registry().size
    },
    dump: () => registry().dump(),
    restore: (dump) => registry().restore(dump),
  }
}
