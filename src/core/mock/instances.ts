import { PlantMockError } from '../../util/errors.ts'
import { andThen, type MaybePromise } from '../../util/maybe-promise.ts'
import { printableLines } from '../../util/terminal.ts'
import { checkAssume, environmentAssume } from '../assumptions/parse.ts'
import type { Assume, AssumptionId, Assumptions } from '../assumptions/registry.ts'
import { resolveAssumptions } from '../assumptions/resolve.ts'
import type { Token } from '../contract/caller.ts'
import type { Fault } from '../faults/fault.ts'
import type { Secrets } from '../http/redact.ts'
import { journalBudget } from '../journal/budget.ts'
import { type CallerRegistry, callerRegistry } from '../journal/callers.ts'
import { defaultJournalSize } from '../journal/journal.ts'
import { failureReporter, type ReportFailure } from '../journal/redact.ts'
import { Plants } from '../model/plants.ts'
import type { KnownCallers } from '../model/request.ts'
import { type ResponseCheck, responseCheck } from '../operations/violations.ts'
import type { WritePlants } from './cell.ts'
import type { CallerKeys } from './command-row.ts'
import { keyedFault, keyedPlants, tokenAsKey } from './commands.ts'
import { createMockInstance, type InstanceSettings, type LocalInstance, type MockInstance } from './instance.ts'
import type { Start } from './memory.ts'
import { type MockEvent, observerOfEnvironment } from './observer.ts'
import type { PlantMockOptions } from './options.ts'
import { fixtureTable, requireAllowed } from './plant-changes.ts'
import type { Sessions } from './plant-mock.ts'
import { checkSessionId, sessionTable } from './sessions.ts'

export type RequestHandler = Pick<MockInstance, 'handle' | 'maxBodySize' | 'record' | 'problem' | 'inForce'>

export interface MockInstances {
  refresh(session?: string): MaybePromise<void>
  readonly root: MockInstance
  session(id: string): MockInstance
  handlerFor(session: string | undefined): RequestHandler
  readonly sessions: Sessions
  readonly startedWith: Assumptions
  /** Sets the assumptions with which later sessions and resets begin. Missing for a mock in a shared store. */
  readonly startWith?: (assumptions: Assumptions) => void
  listen(onChange: () => void): () => void
  readonly callers: CallerRegistry
  nameCallers(callers: Iterable<string>): MaybePromise<void>
  readonly reportFailure: ReportFailure
  readonly overrides: {
    readonly check: ResponseCheck
    readonly report: (text: string) => void
  }
}

export interface LocalInstances extends MockInstances {
  readonly root: LocalInstance
  session(id: string): LocalInstance
  peek(id: string): LocalInstance | undefined
  readonly sessionCount: number
  readonly known: KnownCallers
  sessionInstances(): readonly (readonly [id: string, instance: LocalInstance])[]
}

export const defaultSessions = 256

export type MockInternals = Partial<
  Pick<InstanceSettings, 'upstream' | 'observer' | 'fixed' | 'now'> & Pick<Start, 'assumptions'> & CallerKeys
> & {
  readonly plants?: Plants | undefined
  readonly write?: WritePlants
  readonly tokens?: Secrets
  readonly observe?: (session: string | undefined, event: MockEvent) => void
}

export const createMockInstances = (options: PlantMockOptions = {}, internals: MockInternals = {}): LocalInstances => {
  const { upstream, observe, now, keyOf: given = tokenAsKey } = internals
  const { onNotice = (text: string) => console.info(`plant-mock: ${printableLines(text)}`) } = options
  const callers = callerRegistry({ callers: options.callers ?? {}, keyOf: given, tokens: internals.tokens })
  /** Keeps the token for redaction now, because stored plants have only the key of a token. */
  const learningKeyOf: CallerKeys['keyOf'] = (caller) => {
    callers.learn(caller)
    return given(caller)
  }
  const keyOf = given === tokenAsKey ? given : learningKeyOf
  const { keyOfToken = (token) => keyOf(callers.callerOf(token as Token)) } = internals
  const keys: CallerKeys = { keyOf, keyOfToken }
  const observer = 'observer' in internals ? internals.observer : observerOfEnvironment()
  const assumptions = internals.assumptions ?? initialAssumptions(options, observer?.assume)
  const listed = new Set([...(options.tokens ?? []).map(keys.keyOfToken), ...callers.configured.map(keyOf)])
  const settings: InstanceSettings = {
    start: {
      assumptions,
      faults: initialFaults(options).map((fault) => keyedFault(fault, keys)),
      seed: options.seed ?? 1,
    },
    callers,
    keys,
    known: { keyOf: keys.keyOfToken, isListed: (key) => listed.has(key) },
    journal: options.journal ?? defaultJournalSize,
    budget: journalBudget(),
    prefer: options.prefer ?? true,
    upstream,
    observer,
    fixed: internals.fixed ?? (Object.keys(options.assume ?? {}) as AssumptionId[]),
    now,
  }
  const learn = (tokens: Iterable<string>): void => {
    for (const token of tokens) callers.learn(token)
  }
  learn(options.tokens ?? [])
  const learned = (plants: Plants): Plants => {
    requireAllowed(plants, assumptions)
    learn(plants.callers)
    return Plants.from(keyedPlants({ plants }, keys).plants)
  }
  let fixtures = andThen(fixtureTable(options.fixtures ?? []), learned)
  const create = (id?: string): LocalInstance =>
    createMockInstance(settings, {
      base: fixtures,
      ...(id === undefined && { plants: internals.plants, write: internals.write }),
      onBase: (base) => {
        learn(base.callers)
        if (id === undefined) fixtures = base
      },
      observe: observe && ((event) => observe(id, event)),
    })
  const root = create()
  const table = sessionTable(options.sessions ?? defaultSessions, onNotice)

  const session = (id: string): LocalInstance => {
    const known = table.use(id)
    if (known !== undefined) return known
    checkSessionId(id)
    return table.add(id, () => create(id))
  }

  return {
    refresh: () => undefined,
    root,
    session,
    handlerFor: (id) => handlerOf(id, { root, session }),
    peek: table.peek,
    get sessionCount() {
      return table.size
    },
    sessionInstances: table.entries,
    known: settings.known,
    startedWith: assumptions,
    startWith(next) {
      settings.start.assumptions = next
    },
    sessions: {
      all: async () => table.entries().map(([id, { journal }]) => ({ id, requests: journal.latest })),
      drop: async (id) => table.drop(id),
    },
    listen: table.listen,
    callers,
    nameCallers: () => undefined,
    reportFailure: failureReporter(callers, onNotice),
    overrides: { check: responseCheck(), report: onNotice },
  }
}

export const initialAssumptions = (
  { assumptions: file, tokens, assume = {} }: PlantMockOptions,
  observed: Assume = {},
): Assumptions => {
  if (file !== undefined && typeof file.provenance !== 'function')
    throw new PlantMockError('The option assumptions must be the result of loadAssumptions().')
  const hasTokens = tokens !== undefined
  const environment = { ...environmentAssume(), ...observed }
  return resolveAssumptions({ file, hasTokens, environment, explicit: checkAssume(assume) }).assumptions
}

export const initialFaults = ({ faults = [], latency, failRate = 0 }: PlantMockOptions): readonly Fault[] => [
  ...(latency === undefined || latency === 0 ? [] : [{ delay: latency }]),
  ...(failRate === 0 ? [] : [{ status: 503, probability: failRate }]),
  ...faults,
]

export const handlerOf = (
  id: string | undefined,
  { root, session }: Pick<MockInstances, 'root' | 'session'>,
): RequestHandler => {
  if (id === undefined) return root
  try {
    return session(id)
  } catch (error) {
    if (!(error instanceof PlantMockError)) throw error
    const { maxBodySize, problem, inForce } = root
    const reply = problem({ problem: 'invalid-session', detail: error.message })
    return { maxBodySize, problem, inForce, handle: () => ({ id: 0, reply }), record: () => 0 }
  }
}
