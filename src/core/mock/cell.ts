import { PlantMockError } from '../../util/errors.ts'
import { andThen, isPromise, type MaybePromise } from '../../util/maybe-promise.ts'
import { Plants } from '../model/plants.ts'
import type { State } from '../model/state.ts'
import { initialMemory, type Memory, type Start, withState } from './memory.ts'

export type WritePlants = (before: Plants, after: Plants) => MaybePromise<StateChange | undefined>

export type StateChange = (state: State) => State

export type CellOptions = {
  readonly start: Start
  readonly base: MaybePromise<Plants>
  readonly plants?: Plants | undefined
  readonly write?: WritePlants | undefined
  readonly onBase: (base: Plants) => void
  readonly onStored?: ((change: StateChange) => void) | undefined
}

type CommitOptions = { readonly undo?: (() => void) | undefined; readonly isWritten?: boolean }

/** Runs requests and commands one after another, because concurrent commits would overwrite each other. */
export class Cell {
  #memory: Memory
  #write: WritePlants | undefined
  readonly #onBase: CellOptions['onBase']
  readonly #onStored: CellOptions['onStored']
  #loading: Promise<void> | undefined
  #pending: Promise<unknown> | undefined
  #isRunning = false

  constructor({ start, base, plants, write, onBase, onStored }: CellOptions) {
    this.#write = write
    this.#onBase = onBase
    this.#onStored = onStored
    this.#memory = initialMemory(start, isPromise(base) ? (plants ?? Plants.none) : base, plants)
    if (isPromise(base))
      this.#load(
        base.then((base) => {
          this.#memory = initialMemory(start, base, plants)
        }),
      )
  }

  get memory(): Memory {
    return this.#memory
  }

  get loading(): Promise<void> | undefined {
    return this.#loading
  }

  get hasWriter(): boolean {
    return this.#write !== undefined
  }

  inOrder<T>(work: () => MaybePromise<T>): MaybePromise<T> {
    if (this.#loading !== undefined) return this.#loading.then(() => this.inOrder(work))
    const result = this.#pending === undefined ? work() : this.#pending.then(work)
    if (!isPromise(result)) return result
    const settled: Promise<unknown> = result.then(ignore, ignore).then(() => {
      if (this.#pending === settled) this.#pending = undefined
    })
    this.#pending = settled
    return result
  }

  /** Marks a command as running. Its filter must change nothing, because the command would overwrite the change. */
  run<T>(command: () => T): T {
    const wasRunning = this.#isRunning
    this.#isRunning = true
    try {
      return command()
    } finally {
      this.#isRunning = wasRunning
    }
  }

  commit(next: Memory, { undo, isWritten = next.state.plants !== this.#memory.state.plants }: CommitOptions = {}) {
    // perf: returns before the functions below are created (`npm run bench`, POST).
    if (this.#write === undefined && !this.#isRunning) return this.replace(next)
    const fail = (error: unknown): never => {
      undo?.()
      throw error
    }
    let written: ReturnType<WritePlants>
    try {
      if (this.#isRunning)
        throw new PlantMockError('A filter function cannot change the mock. Change the mock before or after the call.')
      if (isWritten) written = this.#write?.(this.#memory.state.plants, next.state.plants)
    } catch (error) {
      fail(error)
    }
    const finish = (change: StateChange | undefined): void => {
      this.replace(change ? withState(next, change(next.state)) : next)
      if (change) this.#onStored?.(change)
    }
    return isPromise(written) ? written.then(finish, fail) : finish(written)
  }

  replace(next: Memory): void {
    const { base } = this.#memory
    this.#memory = next
    if (next.base !== base) this.#onBase(next.base)
  }

  /**
   * @param begin Returns the initial state. Later requests and commands wait for `begin`, and fail if `begin` fails.
   * @throws PlantMockError if the plants are already stored elsewhere.
   */
  keepElsewhere(write: WritePlants, begin: (state: State) => MaybePromise<State>): void {
    if (this.#write !== undefined)
      throw new PlantMockError(
        'This mock already keeps its plants in a file or another collection. Create another mock.',
      )
    this.#write = write
    const start = (): MaybePromise<void> =>
      andThen(begin(this.#memory.state), (state) => {
        this.#memory = withState(this.#memory, state)
      })
    const started = this.#loading === undefined ? start() : this.#loading.then(start)
    if (isPromise(started)) this.#load(started)
  }

  #load(loading: Promise<void>): void {
    const loaded: Promise<void> = loading.then(() => {
      if (this.#loading === loaded) this.#loading = undefined
    })
    this.#loading = loaded
    loaded.catch(ignore)
  }
}

const ignore = (): void => undefined
