import { PlantMockError } from '../../util/errors.ts'
import { messageOf } from '../../util/words.ts'
import type { AssumptionId } from '../assumptions/registry.ts'
import type { HiddenChanges } from '../operations/hidden-plants.ts'
import type { Service, ServiceOptions } from '../service/service.ts'
import type { MemoryStore } from '../store/memory-store.ts'

/** An exchange was recorded, a user changed something, or the instance was dropped. */
export type MockEvent =
  | { readonly type: 'request'; readonly id: number }
  | { readonly type: 'change'; readonly subject: ChangeSubject }
  | { readonly type: 'closed' }

export type ChangeSubject = 'plants' | 'assumptions' | 'faults' | 'requests' | 'coverage'

export type MockEvents = ReturnType<typeof mockEvents>

/** @param observe Receives each event too, and does not count as a listener. Default: none. */
export const mockEvents = (observe?: (event: MockEvent) => void) => {
  const listeners = new Set<(event: MockEvent) => void>()
  let hasLeft: () => void = () => undefined
  return {
    /** Calls back for each event from now on; the result stops that. An open event stream is such a listener. */
    listen(onEvent: (event: MockEvent) => void): () => void {
      listeners.add(onEvent)
      return () => {
        if (listeners.delete(onEvent) && listeners.size === 0) hasLeft()
      }
    },
    get hasListeners(): boolean {
      return listeners.size > 0
    },
    /** Calls back whenever the last listener leaves. */
    onLeft(callback: () => void): void {
      hasLeft = callback
    },
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
  /** @param isWatched Whether the service of `watch` handled the exchange. */
  exchangeRecorded(isWatched: boolean): void
  watch(options: WatchOptions): WatchedService
}

export type WatchOptions = Omit<ServiceOptions, 'store'> & {
  readonly store: MemoryStore
  /** The assumptions that no variation reaches, because code sets them. */
  readonly fixed: readonly AssumptionId[]
  /** The seed of shuffled lists. */
  readonly seed: number
}

/** A service that an observer watches, and what else it must know of the instance. */
export interface WatchedService extends Service {
  /** A test sets these assumptions itself, from now on. */
  fix(ids: readonly AssumptionId[]): void
  /** Plants were read past the service: a state that would be another under an alternative shows now. */
  stateRead(): void
  /** The plants were replaced: they do not differ any more. */
  plantsReplaced(): void
  /** Plants and assumptions were restored to those of the start. */
  restarted(): void
  /** The plants that only some alternatives hide. */
  readonly hidden: HiddenChanges
  /** Captures what differs; the result restores it together with the plants. */
  snapshot(): () => void
}

/** The environment variable that names a CommonJS module with a function `openObserver`. */
export const observerVariable = 'PLANT_MOCK_OBSERVER'

/** The exports of a module of the observer. `globals` are those of the code that creates mocks. */
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
