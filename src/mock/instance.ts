import { checkAssume } from '../assumptions/parse.ts'
import type { Assumptions } from '../assumptions/registry.ts'
import type { ProblemType } from '../contract/problems.ts'
import { type Caller, describeField, type FixturePlant, validateFixturePlant } from '../contract/schemas.ts'
import type { Fault } from '../faults/fault.ts'
import { createFaults } from '../faults/faults.ts'
import type { Exchange, Origin, Reply } from '../http/exchange.ts'
import type { BodyBudget } from '../journal/body-budget.ts'
import type { Pseudonyms } from '../journal/callers.ts'
import type { JournalEntry, JournalLine } from '../journal/entry.ts'
import { createJournal } from '../journal/journal.ts'
import { bodyLimit, mostHeld } from '../service/body-limit.ts'
import { createService, operationOf, type Service } from '../service/service.ts'
import { asFixture, type PlantStore } from '../store/plant-store.ts'
import { PlantMockError } from '../util/errors.ts'
import { andThen, type MaybePromise } from '../util/maybe-promise.ts'
import { seededRandom } from '../util/random.ts'
import type { CoverageCount } from './coverage.ts'
import type { PlantMock } from './plant-mock.ts'
import { requestsOf } from './requests.ts'

/** What happens in a instance: an exchange was answered, or something was changed by hand. */
export type MockEvent =
  | { readonly type: 'request'; readonly id: number }
  | { readonly type: 'change'; readonly subject: 'plants' | 'assumptions' | 'faults' | 'requests' | 'coverage' }

/** What users may ask of a instance. */
export type Operations = Omit<PlantMock, 'fetch' | 'session' | 'sessions'>

/** One mock service: a store, what it starts with, the service over it, and what is played around that. */
export interface MockInstance extends Operations {
  /** What users may ask of it, apart from what adapters need. */
  readonly operations: Operations
  /** Notes an exchange that something else has answered. */
  note(exchange: Exchange, reply: Reply, began: number): void
  /** Answers an exchange of plain data; at once when the store does and no fault delays it. It never throws. */
  handle(exchange: Exchange): MaybePromise<Reply>
  /** What is assumed now. */
  readonly inForce: Assumptions
  /** The largest request body, in bytes, that it takes. */
  readonly bodyLimit: number
  /** How many exchanges there have been. */
  readonly exchanges: number
  /** One exchange of the journal, by its number. */
  entry(id: number): JournalEntry | undefined
  /** Exchanges after the one with this number, in short; of many the latest `most`. */
  lines(after: number, most: number): readonly JournalLine[]
  /** Sets a fault, and gives its id. */
  addFault(fault: Fault): string
  /** Takes one fault away by its id. */
  removeFault(id: string): boolean
  /** The answer to a request that never became an exchange, in the form that the assumptions ask for. */
  problem(type: ProblemType, detail: string): Reply
  /** To be called when something else has changed the plants in the store. */
  refresh(): void
  /** Gives back what is kept for others to see; it goes on answering. */
  close(): void
  /** Calls back for what happens from now on; the result ends that. */
  listen(onEvent: (event: MockEvent) => void): () => void
}

export type MockInstanceOptions = {
  readonly store: PlantStore
  readonly fixtures: readonly FixturePlant[] | undefined
  readonly assumptions: Assumptions
  readonly tokens: readonly Caller[]
  readonly callers: ReadonlyMap<Caller, string>
  readonly seed: number
  readonly faults: readonly Fault[]
  readonly journal: number
  readonly budget: BodyBudget
  readonly coverage: CoverageCount
  readonly origin: Origin | undefined
  readonly names: Pseudonyms
  /** Milliseconds since 1970, as finely as may be. */
  readonly clock: () => number
  readonly wait: (milliseconds: number) => Promise<void>
  /** Told of fixtures that take the place of those it started with. */
  readonly onLoad?: (fixtures: readonly FixturePlant[]) => void
}

/**
 * Makes a instance. With a store in memory every effect happens at once; with another, requests wait until the
 * fixtures are in.
 * @throws PlantMockError for a fixture or fault that cannot be used.
 */
export const createMockInstance = (options: MockInstanceOptions): MockInstance => {
  const { store, assumptions: initial, seed, coverage, names, clock } = options
  let assumptions = initial
  let random = seededRandom(seed)
  // Faults draw from a source of their own: what fails must not change how lists are shuffled.
  let chance = seededRandom(seed)
  const service = createService({
    store,
    assumptions,
    random: () => random(),
    tokens: new Set([...options.tokens, ...options.callers.values()]),
    names: options.callers,
  })
  const faults = createFaults({
    service: { handle: answerFrom(options.origin, service), problem: service.problem },
    initial: options.faults,
    random: () => chance(),
    wait: options.wait,
    nameOf: names.of,
  })
  const journal = createJournal(options.journal, names, options.budget)
  const listeners = new Set<(event: MockEvent) => void>()

  const tell = (event: MockEvent): void => {
    for (const listener of listeners) listener(event)
  }

  let goBack: () => MaybePromise<void> = () => undefined
  const started = andThen(start(store, options.fixtures), (back) => {
    goBack = back
  })
  /** Pending until the fixtures are in; whatever comes before waits for it. Kept when it fails. */
  let starting = started instanceof Promise ? started : undefined
  const forgetStart = () => {
    starting = undefined
  }
  starting?.then(forgetStart, () => undefined)

  const setAssumptions = (values: Assumptions): void => {
    assumptions = values
    service.assume(values)
  }

  const all = async () => {
    if (starting !== undefined) await starting
    return (await store.all()).map(asFixture)
  }

  const fail = (error: unknown) =>
    service.problem(
      'internal-error',
      `The fixtures could not be stored: ${error instanceof Error ? error.message : error}`,
    )

  const record = (exchange: Exchange, reply: Reply, began: number): Reply => {
    journal.record(exchange, reply, began, clock() - began)
    coverage.count(reply)
    if (listeners.size > 0) tell({ type: 'request', id: journal.latest })
    return reply
  }

  const clearJournal = (): void => {
    journal.clear()
    tell({ type: 'change', subject: 'requests' })
  }

  const addFault = (fault: Fault): string => {
    const id = faults.add(fault)
    tell({ type: 'change', subject: 'faults' })
    return id
  }

  const removeFault = (id: string): boolean => {
    const removed = faults.remove(id)
    if (removed) tell({ type: 'change', subject: 'faults' })
    return removed
  }

  const operations: Operations = {
    plants: {
      all,
      visibleTo: async (caller) => {
        const name = store.nameOf?.(caller) ?? caller
        return (await all()).filter(({ access }) => access === undefined || access.includes(name))
      },
      find: async (matches) => (await all()).find(matches),
    },
    requests: requestsOf({
      all: async (match) =>
        typeof match === 'function' ? journal.entries().filter(match) : journal.entries(match),
      count: async (match) =>
        typeof match === 'function' ? journal.entries().filter(match).length : journal.count(match),
      clear: async () => clearJournal(),
      listen: async (onEntry) => {
        const listener = ({ type }: MockEvent) => {
          if (type === 'request') onEntry()
        }
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }),
    violations: async () =>
      journal.entries({ violating: true }).flatMap(({ id, operation, method, url, violations }) =>
        violations.map((violation) => ({
          ...violation,
          request: id,
          ...(operation !== undefined && { operation }),
          exchange: `${method} ${url}`,
        })),
      ),
    assumptions: async () => assumptions,
    async assume(values) {
      setAssumptions({ ...assumptions, ...checkAssume(values) })
      tell({ type: 'change', subject: 'assumptions' })
    },
    async seed(plants) {
      const checked = checkFixtures(plants)
      if (starting !== undefined) await starting
      await store.seed(checked)
      tell({ type: 'change', subject: 'plants' })
    },
    async snapshot() {
      if (starting !== undefined) await starting
      const kept = assumptions
      const bringBack = await store.snapshot()
      return async () => {
        const back = bringBack()
        setAssumptions(kept)
        service.forget()
        await back
        tell({ type: 'change', subject: 'plants' })
        tell({ type: 'change', subject: 'assumptions' })
      }
    },
    async reset() {
      if (starting !== undefined) await starting
      // First, so that nothing else has changed when the plants cannot be brought back.
      const back = goBack()
      setAssumptions(initial)
      random = seededRandom(seed)
      chance = seededRandom(seed)
      service.forget()
      faults.reset()
      clearJournal()
      await back
      for (const subject of ['plants', 'assumptions', 'faults'] as const) tell({ type: 'change', subject })
    },
    async load(fixtures) {
      const plants = checkFixtures(fixtures)
      if (starting !== undefined) await starting
      const filled = store.refill(plants)
      service.forget()
      await filled
      goBack = await store.snapshot()
      options.onLoad?.(plants)
      tell({ type: 'change', subject: 'plants' })
    },
    async fail(fault) {
      const id = addFault(fault)
      return async () => {
        removeFault(id)
      }
    },
    faults: async () => faults.all(),
    pending: async () => faults.pending(),
    async clearFaults() {
      faults.clear()
      tell({ type: 'change', subject: 'faults' })
    },
    coverage: async () => coverage.rows(),
    async clearCoverage() {
      coverage.clear()
      tell({ type: 'change', subject: 'coverage' })
    },
  }

  return {
    ...operations,
    operations,
    note: record,
    handle(exchange) {
      const began = clock()
      const reply =
        starting === undefined ? faults.handle(exchange) : starting.then(() => faults.handle(exchange), fail)
      return reply instanceof Promise
        ? reply.then((reply) => record(exchange, reply, began))
        : record(exchange, reply, began)
    },
    addFault,
    removeFault,
    get inForce() {
      return assumptions
    },
    get bodyLimit() {
      // What goes on to an origin is its to judge.
      return options.origin === undefined ? bodyLimit(assumptions) : mostHeld
    },
    get exchanges() {
      return journal.latest
    },
    refresh() {
      service.forget()
      tell({ type: 'change', subject: 'plants' })
    },
    close: () => journal.close(),
    entry: (id) => journal.entry(id),
    lines: (after, most) => journal.lines(after, most),
    problem: service.problem,
    listen(onEvent) {
      listeners.add(onEvent)
      return () => listeners.delete(onEvent)
    },
  }
}

/** The operations of the contract are answered by the origin, where there is one. */
const answerFrom = (origin: Origin | undefined, service: Service): Service['handle'] =>
  origin === undefined
    ? service.handle
    : (exchange) =>
        operationOf(exchange) === undefined
          ? service.handle(exchange)
          : origin(exchange, () => service.handle(exchange))

/** Fills the store, and gives the way back to that state. */
const start = (
  store: PlantStore,
  fixtures: readonly FixturePlant[] | undefined,
): MaybePromise<() => MaybePromise<void>> => {
  const plants = fixtures && checkFixtures(fixtures)
  return andThen(store.all(), (held) => {
    if (plants === undefined) return store.snapshot()
    if (held.length === 0) return andThen(store.seed(plants), () => store.snapshot())
    return () => store.refill(plants)
  })
}

/** Checks all before any is used, so that a bad one leaves nothing half done. */
const checkFixtures = (plants: readonly FixturePlant[]): readonly FixturePlant[] => {
  if (!Array.isArray(plants))
    throw new PlantMockError(
      'Fixtures are an array of plants: [{ id: 1, name: "Aloe vera", tag: "succulent" }].',
    )
  for (const [index, plant] of plants.entries()) {
    const checked = validateFixturePlant(plant)
    if ('errors' in checked)
      throw new PlantMockError(
        `The plant at index ${index} of the fixtures cannot be used: ${checked.errors.map(inWords).join('; ')}.`,
      )
  }
  return plants
}

const inWords = (error: Parameters<typeof describeField>[0]): string =>
  describeField(error).replace(/^The body /, 'it ')
