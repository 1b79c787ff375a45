import { PlantMockError } from '../../util/errors.ts'
import { messageOf } from '../../util/words.ts'
import type { Assume, AssumptionId, Assumptions } from '../assumptions/registry.ts'
import type { Reply } from '../http/reply.ts'
import type { ServiceRequest } from '../model/request.ts'
import type { Problem } from '../model/result.ts'
import type { State } from '../model/state.ts'
import type { Step } from '../model/step.ts'
import type { ResolvedRequest } from '../operations/call.ts'
import type { ChangeSubject, CommandContext, Ran } from './command-row.ts'
import type { CommandName } from './commands.ts'
import type { Memory } from './memory.ts'

export type MockEvent =
  | { readonly type: 'request'; readonly id: number }
  | { readonly type: 'change'; readonly subject: ChangeSubject }
  | { readonly type: 'closed' }

export type MockEvents = ReturnType<typeof mockEvents>

/** @param observe Also receives each event, but does not count as a listener. Default: none. */
export const mockEvents = (observe?: (event: MockEvent) => void) => {
  const listeners = new Set<(event: MockEvent) => void>()
  let onUse: () => void = () => undefined
  return {
    listen(onEvent: (event: MockEvent) => void): () => void {
      listeners.add(onEvent)
      return () => {
        if (listeners.delete(onEvent) && listeners.size === 0) onUse()
      }
    },
    get hasListeners(): boolean {
      return listeners.size > 0
    },
    /** Calls back when a method is called, an exchange is recorded, or the last listener unsubscribes. */
    onUsed(callback: () => void): void {
      onUse = callback
    },
    used: (): void => onUse(),
    emit(event: MockEvent): void {
      observe?.(event)
      for (const listener of listeners) listener(event)
    },
    changed(...subjects: readonly ChangeSubject[]): void {
      for (const subject of subjects) this.emit({ type: 'change', subject })
    },
  }
}

/** Records how a program uses the mocks of its process. `plant-mock vary` loads an observer into test suites. */
export interface MockObserver {
  readonly assume?: Assume
  /** @param isWatched Whether a watcher's `step` handled the exchange. */
  exchangeRecorded(isWatched: boolean, call: ResolvedRequest): void
  watch(options: WatchOptions): Watcher
}

export type WatchOptions = {
  readonly memory: () => Memory
  readonly context: CommandContext
  readonly fixed: readonly AssumptionId[]
}

export interface Watcher {
  /** Replaces the model's `step`. @param call The original of `request`. */
  step(state: State, request: ServiceRequest, assumptions: Assumptions, call: ResolvedRequest): Step
  /** Replaces a command's `run`. `eachPlant` counts as the command `plants`. */
  run(name: CommandName, memory: Memory, argument: unknown): Ran<unknown>
  /** Notifies of a change that the memory already has. @param change A pure function. */
  adopted(change: (state: State) => State): void
  replied(problem: Problem, reply: Reply): void
  /** Saves the observer's state. @returns A function that restores this state. */
  snapshot(): () => void
  /** The largest body that the observer needs, in bytes. */
  readonly maxBodySize: number
}

/** The environment variable that names a CommonJS module with a function `openObserver`. */
export const observerVariable = 'PLANT_MOCK_OBSERVER'

/** The exports of an observer module. `globals` is the global object of the realm that creates mocks, such as jsdom. */
export type ObserverModule = { readonly openObserver: (globals: object) => MockObserver | undefined }

/** @returns `undefined` in browsers. */
const nodeProcess = (): Partial<NodeJS.Process> | undefined =>
  (globalThis as { process?: Partial<NodeJS.Process> }).process

/** Whether this process belongs to a run of `plant-mock vary` or `mutate`, which report requests themselves. */
export const isObservedRun = (): boolean => Boolean(nodeProcess()?.env?.[observerVariable])

export const observerOfEnvironment = (): MockObserver | undefined => {
  const process = nodeProcess()
  const file = process?.env?.[observerVariable]
  if (!file || process?.getBuiltinModule === undefined) return undefined
  try {
    // `createRequire` works even in a runner with its own module system.
    const load = process.getBuiltinModule('node:module').createRequire(file)
    const observer = (load(file) as ObserverModule).openObserver(globalThis)
    if (observer !== undefined && typeof observer.watch !== 'function') throw new Error(`${file} opens no observer`)
    return observer
  } catch (error) {
    throw new PlantMockError(
      `${observerVariable} is not usable here (${messageOf(error)}). Only plant-mock vary sets this variable; remove it from your environment.`,
    )
  }
}
