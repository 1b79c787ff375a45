import { PlantMockError } from '../../util/errors.ts'

/** Beyond it, the oldest snapshot with a generated name is evicted. */
const maxSnapshots = 1_000

/** The part of a mock instance that snapshots with names need. */
export type SnapshotSource<Saved> = {
  readonly capture: () => Promise<Saved>
  readonly restore: (saved: Saved) => Promise<void>
}

type Snapshot<Saved> = { readonly saved: Saved; readonly isUserNamed: boolean }

/** Snapshots as plain data, apart from `Saved`. */
export type SnapshotsDump<Saved> = {
  readonly snapshots: readonly (readonly [name: string, snapshot: Snapshot<Saved>])[]
  readonly generatedNames: number
}

export class NamedSnapshots<Saved> {
  readonly #source: SnapshotSource<Saved>
  readonly #snapshots = new Map<string, Snapshot<Saved>>()
  #generatedNames = 0

  constructor(source: SnapshotSource<Saved>) {
    this.#source = source
  }

  names(): readonly string[] {
    return [...this.#snapshots.keys()]
  }

  /** @param name Replaces the snapshot with this name. Default: an unused name such as `snapshot-1`. */
  async take(name?: string): Promise<string> {
    if (this.#snapshots.size >= maxSnapshots && (name === undefined || !this.#snapshots.has(name))) this.#evict()
    if (name === undefined)
      do this.#generatedNames++
      while (this.#snapshots.has(`snapshot-${this.#generatedNames}`))
    const key = name ?? `snapshot-${this.#generatedNames}`
    this.#snapshots.set(key, { saved: await this.#source.capture(), isUserNamed: name !== undefined })
    return key
  }

  /** False for an unknown name. */
  async restore(name: string): Promise<boolean> {
    const snapshot = this.#snapshots.get(name)
    if (snapshot !== undefined) await this.#source.restore(snapshot.saved)
    return snapshot !== undefined
  }

  /** False for an unknown name. */
  drop(name: string): boolean {
    return this.#snapshots.delete(name)
  }

  /** To restore them elsewhere. */
  dump(): SnapshotsDump<Saved> {
    return { snapshots: [...this.#snapshots], generatedNames: this.#generatedNames }
  }

  load({ snapshots, generatedNames }: SnapshotsDump<Saved>): void {
    for (const [name, snapshot] of snapshots) this.#snapshots.set(name, snapshot)
    this.#generatedNames = generatedNames
  }

  #evict(): void {
    const oldest = [...this.#snapshots].find(([, { isUserNamed }]) => !isUserNamed)
    if (oldest === undefined)
      throw new PlantMockError(`All ${maxSnapshots} snapshots are in use. Delete one of them first.`)
    this.#snapshots.delete(oldest[0])
  }
}
