import { PlantMockError } from '../../util/errors.ts'
import { messageOf } from '../../util/words.ts'
import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'
import type { Reply } from '../http/reply.ts'
import type { ServiceRequest } from '../model/request.ts'
import type { Problem } from '../model/result.ts'
import type { State } from '../model/state.ts'
import type { Step } from '../model/step.ts'
import type { Call } from '../operations/call.ts'
import type { ChangeSubject, CommandContext, Ran } from './command-row.ts'
import type { CommandName } from './commands.ts'
import type { Memory } from './memory.ts'

/** An exchange was recorded, a user changed something, or the instance was dropped. */
export type MockEvent =
  | { readonly type: 'request'; readonly id: number }
  | { readonly type: 'change'; readonly subject: ChangeSubject }
  | { readonly type: 'closed' }

export type MockEvents = ReturnType<typeof mockEvents>

/** @param observe Receives each event too, and does not count as a listener. Default: none. */
export const mockEvents = (observe?: (event: MockEvent) => void) => {
  const listeners = new Set<(event: MockEvent) => void>()
  let onUse: () => void = () => undefined
  return {
    /** Calls back for each event from now on; the result stops that. An open event stream is such a listener. */
    listen(onEvent: (event: MockEvent) => void): () => void {
      listeners.add(onEvent)
      return () => {
        if (listeners.delete(onEvent) && listeners.size === 0) onUse()
      }
    },
    get hasListeners(): boolean {
      return listeners.size > 0
    },
    /** Calls back at each use: a method, an exchange, and whenever the last listener leaves. */
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

/** Learns how a program uses the mocks of its process. `plant-mock vary` brings one to the test suites that it runs. */
export interface MockObserver {
  /** @param isWatched Whether a watcher's `step` may have handled the exchange. */
  exchangeRecorded(isWatched: boolean): void
  watch(options: WatchOptions): Watcher
}

export type WatchOptions = {
  /** The present memory of the instance. */
  readonly memory: () => Memory
  readonly context: CommandContext
  /** The assumptions that no variation reaches, because code sets them. */
  readonly fixed: readonly AssumptionId[]
}

/** What an observer does beside a mock instance. */
export interface Watcher {
  /** Called before each `step`. @returns The memory to take it with. */
  begin(memory: Memory): Memory
  /** Takes the place of the model's `step`, with the call as it came. */
  step(state: State, request: ServiceRequest, assumptions: Assumptions, call: Call): Step
  /** Takes the place of a command's `run`. `eachPlant` reads like `plants`. */
  run(name: CommandName, memory: Memory, argument: unknown): Ran<unknown>
  /** Plants have changed elsewhere, and the present memory has them. @param change A pure function. */
  adopted(change: (state: State) => State): void
  /** The instance has replied with a problem outside of the model. */
  replied(problem: Problem, reply: Reply): void
  /** Captures what belongs to the present memory; the result restores it. */
  snapshot(): () => void
  /** The largest body that it needs, in bytes. */
  readonly maxBodySize: number
}

/** The environment variable that names a CommonJS module with a function `openObserver`. */
export const observerVariable = 'PLANT_MOCK_OBSERVER'

/** The exports of a module of the observer. `globals` belong to the code that creates mocks. */
export type ObserverModule = { readonly openObserver: (globals: object) => MockObserver | undefined }

/** The parts of Node.js that this needs. Browsers load this module too. */
type NodeProcess = {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly getBuiltinModule?: (id: 'node:module') => { createRequire(file: string): (id: string) => unknown }
}

/** `undefined` where the environment names none, and in browsers. */
export const observerOfEnvironment = (): MockObserver | undefined => {
  const { process } = globalThis as { process?: NodeProcess }
  const file = process?.env?.[observerVariable]
  if (!file || process?.getBuiltinModule === undefined) return undefined
  try {
    // Also within a runner that has a module system of its own.
    const load = process.getBuiltinModule('node:module').createRequire(file)
    const observer = (load(file) as ObserverModule).openObserver(globalThis)
    if (observer !== undefined && typeof observer.watch !== 'function') throw new Error(`${file} opens no observer`)
    return observer
  } catch (error) {
    throw new PlantMockError(
      `${observerVariable} is not usable here (${messageOf(error)}). plant-mock vary sets this variable; remove it elsewhere.`,
    )
  }
}
