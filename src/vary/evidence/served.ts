import type { Assumptions } from '../../core/assumptions/registry.ts'
import type { Reply } from '../../core/http/reply.ts'
import type { WatchedService, WatchOptions } from '../../core/mock/observer.ts'
import type { Call } from '../../core/service/call.ts'
import { createService } from '../../core/service/service.ts'
import type { MemoryStore } from '../../core/store/memory-store.ts'
import type { StoredPlant } from '../../core/store/plant-store.ts'
import { changedExchange } from './changed-exchange.ts'
import type { EvidenceLog } from './evidence-log.ts'
import { lookahead } from './lookahead.ts'
import { type Mutant, mutants } from './mutants.ts'
import { lifetimeKey, type ServePlan, whole } from './serve-plan.ts'
import { createShadow, isSameReply } from './shadow.ts'
import { currentTestFile } from './test-process.ts'

type Options = WatchOptions & {
  readonly evidence: EvidenceLog
  readonly plan: ServePlan
  /** Those of the code that runs tests. */
  readonly globals: object
}

/** A service that differs from the one as it is. */
type Change = { readonly name: string; readonly mutant: Partial<Mutant> }

type Created = { readonly caller: string; readonly plant: StoredPlant }

/**
 * Creates the service of an instance whose calls get another service, as a plan says for the file of the running
 * test. Where the plan serves none, each reply is compared with that of every mutant.
 */
export const createServedService = (options: Options): WatchedService => {
  const { evidence, plan, store } = options
  const random = lookahead(options.random)
  let created: readonly Created[] = []
  const createdBy = (caller: string) => created.flatMap((one) => (one.caller === caller ? [one.plant] : []))

  const noteCreated = (caller: string, plant: StoredPlant): void => {
    created = [...created, { caller, plant }]
  }
  const compared = plan.mutants.map(changeOf)
  let services = servicesOf(options.assumptions)
  /** Numbered at its first exchange, so that instances and resets without one leave no gap. */
  let lifetime: number | undefined

  function servicesOf(inForce: Assumptions) {
    const shadowOf = byName(({ mutant }) => {
      const seen = previewOf(store, createdBy, mutant)
      return createShadow([], inForce, undefined, { ...options, store: seen, random: random.view })
    })
    const serviceOf = byName(({ mutant }) => {
      const served = storeOf(store, createdBy, mutant, noteCreated)
      return createService({ ...options, assumptions: inForce, store: served, random: random.next })
    })
    return {
      serviceOf,
      handle: (change: Change, call: Call): Reply => serviceOf(change).handle(callOf(change, call)) as Reply,
      /** The reply that it would give, without any effect. */
      preview: (change: Change, call: Call): Reply => shadowOf(change).handle(callOf(change, call))[0]?.reply as Reply,
    }
  }

  const begin = (): void => {
    created = []
    lifetime = undefined
  }

  const currentChange = (): Change | undefined => {
    const { serve = {} } = plan
    const file = currentTestFile(options.globals)
    const own = lifetime === undefined ? undefined : serve[lifetimeKey(file, lifetime)]
    const id = own ?? (file === undefined ? undefined : serve[file]) ?? serve[whole]
    return id === undefined ? undefined : changeOf(id)
  }

  const writeVisible = (alternatives: readonly number[], since?: number): void => {
    if (alternatives.length > 0) evidence.write({ type: 'visible', alternatives, lifetime }, since)
  }

  /** Replies, and writes which mutants would do so otherwise. */
  const compare = (call: Call, since: number): Reply => {
    const previews = compared.map((change) => (isReplyOnly(change.mutant) ? undefined : services.preview(change, call)))
    const reply = services.handle(unchanged, call)
    const visible = compared.flatMap((change, index) =>
      isSameReply(reply, replyOf(change, call, previews[index] ?? reply)) ? [] : [index],
    )
    writeVisible(visible, since)
    return reply
  }

  const isServing = plan.serve !== undefined

  return {
    handle(call) {
      const since = evidence.now()
      lifetime ??= evidence.nextLifetime(currentTestFile(options.globals))
      const change = currentChange()
      if (change === undefined) {
        const reply = isServing ? services.handle(unchanged, call) : compare(call, since)
        random.commit()
        return reply
      }
      const before = services.preview(change.mutant.stores === undefined ? unchanged : asStored, call)
      const reply = replyOf(change, call, services.handle(change, call))
      random.commit()
      if (!isSameReply(before, reply)) {
        const index = compared.findIndex(({ name }) => name === change.name)
        if (index !== -1) writeVisible([index], since)
        evidence.writeDifference(change.name, changedExchange(call, before, reply), since)
      }
      return reply
    },
    problem: (problem) => services.serviceOf(unchanged).problem(problem),
    assume(changed) {
      services = servicesOf(changed)
    },
    fix: () => {},
    stateRead() {
      const served = currentChange()
      const lost = compared.flatMap(({ name, mutant }, index) =>
        mutant.stores === undefined || (isServing && name !== served?.name) ? [] : [index],
      )
      if (created.length > 0) writeVisible(lost)
    },
    plantsReplaced: begin,
    restarted: begin,
    hidden: {
      changed(changes) {
        created = created.flatMap(({ caller, plant }) => {
          const next = changes.has(plant) ? changes.get(plant) : plant
          return next === undefined ? [] : [{ caller, plant: next }]
        })
      },
      removeAll() {
        created = []
      },
    },
    snapshot() {
      const saved = { created, lifetime }
      return () => {
        ;({ created, lifetime } = saved)
      }
    },
  }
}

/** Makes what each change needs, when it is needed. */
const byName = <Value>(make: (change: Change) => Value): ((change: Change) => Value) => {
  const made = new Map<string, Value>()
  return (change) => {
    const value = made.get(change.name) ?? make(change)
    made.set(change.name, value)
    return value
  }
}

const unchanged: Change = { name: '', mutant: {} }

/** The service whose store has the plants that another one has lost. */
const asStored: Change = {
  name: 'as stored',
  mutant: {
    list: ({ store, caller, created, limit, order }) => {
      const others = store.list(caller, { limit, order }) as readonly StoredPlant[]
      return (order === 'added' ? [...others, ...created] : [...created.toReversed(), ...others]).slice(0, limit)
    },
  },
}

const changeOf = (id: ServePlan['mutants'][number]): Change => ({ name: id, mutant: mutants[id] })

/** perf: most mutants need no service of their own to compare a reply. */
const isReplyOnly = ({ call, stores, list }: Partial<Mutant>): boolean =>
  call === undefined && stores === undefined && list === undefined

const callOf = ({ mutant }: Change, call: Call): Call =>
  mutant.call === undefined || call.operation !== mutant.operation ? call : mutant.call(call)

const replyOf = ({ mutant }: Change, { operation }: Call, reply: Reply): Reply => {
  const { status, body } = reply
  if (mutant.reply === undefined || operation !== mutant.operation || body === undefined) return reply
  return status >= 200 && status < 300 ? mutant.reply(reply, body) : reply
}

type CreatedBy = (caller: string) => readonly StoredPlant[]

/** The store of the instance, as a mutant uses it. */
const storeOf = (
  store: MemoryStore,
  createdBy: CreatedBy,
  { list, stores }: Partial<Mutant>,
  onCreated: (caller: string, plant: StoredPlant) => void = () => {},
): MemoryStore => ({
  ...store,
  list: (caller, options) =>
    list === undefined ? store.list(caller, options) : list({ ...options, store, caller, created: createdBy(caller) }),
  create(caller, plant, onDuplicate) {
    const result =
      stores === undefined ? store.create(caller, plant, onDuplicate) : store.preview(caller, plant, onDuplicate)
    if (result.outcome !== 'created') return result
    stores?.(store, plant)
    onCreated(caller, result.plant)
    return result
  },
})

/** The store as it would be if a mutant had been in force since the state was set. */
const previewOf = (store: MemoryStore, createdBy: CreatedBy, mutant: Partial<Mutant>): MemoryStore => {
  const seen = storeOf(store, createdBy, mutant)
  if (mutant === asStored.mutant)
    return {
      ...seen,
      preview(caller, plant, onDuplicate) {
        const same = createdBy(caller).find(({ id }) => id !== undefined && id === plant.id)
        const isConflict = same !== undefined && onDuplicate.startsWith('conflict')
        return isConflict ? { outcome: 'conflict', plant: same } : store.preview(caller, plant, onDuplicate)
      },
    }
  if (mutant.stores === undefined) return seen
  return {
    ...store,
    list: (caller, options) => {
      const lost = new Set(createdBy(caller))
      const plants = store.list(caller, { ...options, limit: options.limit + lost.size }) as readonly StoredPlant[]
      return plants.filter((plant) => !lost.has(plant)).slice(0, options.limit)
    },
    preview(caller, plant, onDuplicate) {
      const result = store.preview(caller, plant, onDuplicate)
      const isLost = result.outcome !== 'created' && createdBy(caller).includes(result.plant)
      return isLost ? { outcome: 'created', plant: { ...plant, access: [caller] } } : result
    },
  }
}
