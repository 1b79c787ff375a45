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

export interface MockObserver {
  readonly assume?: Assume
  exchangeRecorded(isWatched: boolean, call: ResolvedRequest): void
  watch(options: WatchOptions): Watcher
}

export type WatchOptions = {
  readonly memory: () => Memory
  readonly context: CommandContext
  readonly fixed: readonly AssumptionId[]
}

export interface Watcher {
  step(state: State, request: ServiceRequest, assumptions: Assumptions, call: ResolvedRequest): Step
  run(name: CommandName, memory: Memory, argument: unknown): Ran<unknown>
  adopted(change: (state: State) => State): void
  replied(problem: Problem, reply: Reply): void
  snapshot(): () => void
  readonly maxBodySize: number
}

export const observerVariable = 'PLANT_MOCK_OBSERVER'

export type ObserverModule = { readonly openObserver: (globals: object) => MockObserver | undefined }

const nodeProcess = (): Partial<NodeJS.Process> | undefined =>
  (globalThis as { process?: Partial<NodeJS.Process> }).process

export const isObservedRun = (): boolean => Boolean(nodeProcess()?.env?.[observerVariable])

export const observerOfEnvironment = (): MockObserver | undefined => {
  const process = nodeProcess()
  const file = process?.env?.[observerVariable]
  if (!file || process?.getBuiltinModule === undefined) return undefined
  try {
    // Loads with `createRequire`, because a test runner may have its own module system.
    const load = process.getBuiltinModule('node:module').createRequire(file)
    const observer = (load(file) as ObserverModule).openObserver(globalThis)
    if (observer !== undefined && typeof observer.watch !== 'function') throw new Error(`${file} opens no observer`)
    return observer
  } catch (error) {
    throw new PlantMockError(
      `${observerVariable} is not usable here (${messageOf(error)}). plant-mock sets this variable only for the tests that it runs; remove it from your environment.`,
    )
  }
}
