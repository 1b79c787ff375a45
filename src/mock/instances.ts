import { environmentAssume } from '../assumptions/environment.ts'
import { checkAssume, formatAssume } from '../assumptions/parse.ts'
import type { Assumptions } from '../assumptions/registry.ts'
import { resolveAssumptions } from '../assumptions/resolve.ts'
import { assumptionsFromSeed } from '../assumptions/variations.ts'
import { type Caller, isBearerToken } from '../contract/schemas.ts'
import type { Fault } from '../faults/fault.ts'
import { bodyBudget } from '../journal/body-budget.ts'
import { pseudonyms } from '../journal/callers.ts'
import { defaultJournalSize } from '../journal/journal.ts'
import { memoryStore } from '../store/memory-store.ts'
import type { PlantStore } from '../store/plant-store.ts'
import { PlantMockError } from '../util/errors.ts'
import { countCoverage } from './coverage.ts'
import { createMockInstance, type MockInstance, type MockInstanceOptions } from './instance.ts'
import type { PlantMockOptions } from './options.ts'
import type { Sessions } from './plant-mock.ts'
import { checkSessionId } from './session-id.ts'

/** What an adapter needs of a instance. */
export type Answering = Pick<MockInstance, 'bodyLimit' | 'handle' | 'note'>

/** The instances of one mock: its own, and one for each session. */
export interface MockInstances {
  readonly root: MockInstance
  /**
   * A session, made when it is not there yet.
   * @throws PlantMockError for an id that cannot be used.
   */
  session(id: string): MockInstance
  /** The instance that a request belongs to, by its header; for an impossible session, one that says so. */
  answering(session: string | undefined): Answering
  readonly sessions: Sessions
  /** Calls back when a session is made or dropped; the result ends that. */
  listen(onChange: () => void): () => void
  /** A stable name for a caller, `caller-1` and so on: what logs show in the place of a token. */
  pseudonym(caller: Caller): string
}

const defaultSessions = 256

const longestTimer = 2 ** 31 - 1

/**
 * Makes the instances of a mock.
 * @throws PlantMockError for a fixture, token, fault or assumption that cannot be used.
 */
export const createMockInstances = (options: PlantMockOptions = {}): MockInstances => {
  const { onNotice = (text: string) => console.info(`plant-mock: ${text}`) } = options
  const most = options.sessions ?? defaultSessions
  const callers = checkCallers(options.callers ?? {})
  const store = storeOf(options)
  const names = pseudonyms(callers, (caller) => store.callerKey?.(caller) ?? caller)
  const budget = bodyBudget()
  const shared: Omit<MockInstanceOptions, 'store' | 'fixtures' | 'coverage'> = {
    assumptions: initialAssumptions(options, onNotice),
    tokens: options.tokens ?? [],
    callers,
    seed: options.seed ?? 1,
    faults: initialFaults(options),
    journal: options.journal ?? defaultJournalSize,
    budget,
    origin: options.origin,
    names,
    clock: clock(),
    // What is longer, such as many delays of a day together, would be no time at all to a timer.
    wait: (milliseconds) =>
      new Promise((resolve) => setTimeout(resolve, Math.min(milliseconds, longestTimer))),
  }
  let fixtures = options.fixtures
  const coverage = countCoverage()
  const root = createMockInstance({
    ...shared,
    store,
    fixtures,
    coverage,
    // Sessions made from then on start with these too.
    onLoad: (loaded) => {
      fixtures = loaded
    },
  })
  const instances = new Map<string, MockInstance>()
  const listeners = new Set<() => void>()

  const changed = (): void => {
    for (const listener of listeners) listener()
  }

  const drop = (id: string): boolean => {
    const instance = instances.get(id)
    // Its journal gives back what it keeps of the room for bodies.
    instance?.close()
    const dropped = instances.delete(id)
    if (dropped) changed()
    return dropped
  }

  let hasTold = false
  const dropOldest = (): void => {
    const [oldest] = instances.keys()
    if (oldest === undefined) return
    drop(oldest)
    if (hasTold) return
    hasTold = true
    onNotice(
      `session ${oldest} was dropped: there may be ${most}, and it was unused for longest; others will follow silently`,
    )
  }

  const session = (id: string): MockInstance => {
    const known = instances.get(id)
    if (known !== undefined) {
      // A map keeps the order of insertion: the first is the one unused for longest.
      instances.delete(id)
      instances.set(id, known)
      return known
    }
    checkSessionId(id)
    if (typeof options.store === 'object')
      throw new PlantMockError(
        'A mock with a store of its own has no sessions: give the option store a function that makes one for each.',
      )
    if (instances.size >= most) dropOldest()
    const instance = createMockInstance({
      ...shared,
      store: storeOf(options, id),
      fixtures,
      coverage: countCoverage(coverage),
    })
    instances.set(id, instance)
    changed()
    return instance
  }

  const refusing = (error: unknown): Answering => {
    if (!(error instanceof PlantMockError)) throw error
    return {
      bodyLimit: root.bodyLimit,
      handle: () => root.problem('invalid-session', error.message),
      note: () => undefined,
    }
  }

  return {
    root,
    session,
    answering(id) {
      if (id === undefined) return root
      try {
        return session(id)
      } catch (error) {
        return refusing(error)
      }
    },
    sessions: {
      all: async () => [...instances].map(([id, { exchanges }]) => ({ id, requests: exchanges })),
      drop: async (id) => drop(id),
    },
    listen(onChange) {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
    pseudonym: names.of,
  }
}

/** Finer than `Date.now()`, and without its jumps. */
const clock = (): (() => number) => {
  const { timeOrigin } = performance
  return () => timeOrigin + performance.now()
}

/** By token. The message of a refusal names the caller and never the token. */
const checkCallers = (callers: Readonly<Record<string, Caller>>): ReadonlyMap<Caller, string> => {
  for (const [name, token] of Object.entries(callers))
    for (const [what, text] of [
      ['name', name],
      ['token', token],
    ] as const)
      if (typeof text !== 'string' || !isBearerToken(text))
        throw new PlantMockError(
          `The ${what} of the caller ${JSON.stringify(name)} is not a bearer token: letters, digits and -._~+/ only, then any number of =.`,
        )
  const byToken = new Map<Caller, string>()
  for (const [name, token] of Object.entries(callers)) {
    const other = byToken.get(token)
    if (other !== undefined)
      throw new PlantMockError(
        `The callers ${JSON.stringify(other)} and ${JSON.stringify(name)} have one and the same token.`,
      )
    byToken.set(token, name)
  }
  return byToken
}

const storeOf = ({ store = memoryStore }: PlantMockOptions, session?: string): PlantStore =>
  typeof store === 'function' ? store(session) : store

const initialAssumptions = (
  { assumptionSeed: seed, tokens, assume = {} }: PlantMockOptions,
  notice: (text: string) => void,
): Assumptions => {
  if (seed !== undefined)
    notice(`assumptions from seed ${seed}: ${formatAssume(assumptionsFromSeed(seed)) || 'all defaults'}`)
  return resolveAssumptions({
    seed,
    hasTokens: tokens !== undefined,
    environment: environmentAssume(),
    explicit: checkAssume(assume),
  }).assumptions
}

const initialFaults = ({ faults = [], latency, failRate = 0 }: PlantMockOptions): readonly Fault[] => [
  ...(latency === undefined || latency === 0 ? [] : [{ delay: latency }]),
  ...(failRate === 0 ? [] : [{ status: 503, probability: failRate }]),
  ...faults,
]
