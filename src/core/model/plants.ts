import type { FixturePlant, PlantId } from '../contract/schemas.ts'
import { anyPlant, everyCaller, type Group, isSameAccess, isSamePlant, Rows, type StoredPlant } from './rows.ts'

export { isSamePlant, type StoredPlant } from './rows.ts'

export type OnDuplicate = 'conflict' | 'conflict-everywhere' | 'accept' | 'replace' | 'idempotent'

/** Maps a plant's position to its new value, or to `undefined` if the plant is removed. */
export type PlantChanges = ReadonlyMap<number, StoredPlant | undefined>

/**
 * An immutable list of plants in insertion order: appending returns a new list. The lists share rows, and each list
 * reads only the rows below its length. Appending to an older list copies its `tail`. The class has no `#private`
 * fields, because `vary` compares plants from two bundled copies of the class.
 */
export class Plants implements Iterable<FixturePlant> {
  static readonly none = new Plants(new Rows(), new Rows(), 0, new Map())

  private readonly base: Rows
  private readonly tail: Rows
  private readonly tailLength: number
  private readonly replaced: ReadonlyMap<number, StoredPlant>

  private constructor(base: Rows, tail: Rows, tailLength: number, replaced: ReadonlyMap<number, StoredPlant>) {
    this.base = base
    this.tail = tail
    this.tailLength = tailLength
    this.replaced = replaced
  }

  static from(plants: Iterable<FixturePlant | StoredPlant>): Plants {
    if (plants instanceof Plants) return plants
    const builder = Plants.builder()
    for (const plant of plants) builder.push(plant)
    return builder.build()
  }

  static builder() {
    const rows = new Rows()
    return {
      push: (plant: FixturePlant | StoredPlant): void => rows.push(plant),
      get length(): number {
        return rows.length
      },
      /** Call `build` last, because the returned plants share the rows of the builder. */
      build: (): Plants => new Plants(rows, new Rows(), 0, new Map()),
    }
  }

  get length(): number {
    return this.base.length + this.tailLength
  }

  at(position: number): StoredPlant {
    if (position < 0 || position >= this.length) throw new RangeError(`No plant is at position ${position}.`)
    const replaced = this.replaced.size === 0 ? undefined : this.replaced.get(position)
    if (replaced !== undefined) return replaced
    const inTail = position - this.base.length
    return inTail < 0 ? this.base.at(position) : this.tail.at(inTail)
  }

  *[Symbol.iterator](): Generator<FixturePlant> {
    for (let position = 0; position < this.length; position++) yield asFixture(this.at(position))
  }

  get callers(): readonly string[] {
    return [...new Set([...this.base.callers, ...this.tail.callers])].filter((caller) => this.knows(caller))
  }

  knows(caller: string): boolean {
    return this.base.knows(caller, this.base.length) || this.tail.knows(caller, this.tailLength)
  }

  get largeId(): number | undefined {
    const inTail = this.tail.largeId(this.tailLength)
    return this.base.largeId(this.base.length) ?? (inTail === undefined ? undefined : this.base.length + inTail)
  }

  get untagged(): number | undefined {
    const { length } = this.base
    const inTail = this.tail.untagged(this.tailLength, (position) => this.replaced.has(length + position))
    const inRows =
      this.base.untagged(length, (position) => this.replaced.has(position)) ??
      (inTail === undefined ? undefined : this.base.length + inTail)
    return inRows ?? [...this.replaced].find(([, { tag }]) => tag === undefined)?.[0]
  }

  visibleTo(caller: string, limit = Number.POSITIVE_INFINITY, order: 'added' | 'newest' = 'added'): readonly number[] {
    const positions: number[] = []
    const tail = { rows: this.tail, length: this.tailLength, offset: this.base.length }
    const base = { rows: this.base, length: this.base.length, offset: 0 }
    for (const { rows, length, offset } of order === 'added' ? [base, tail] : [tail, base])
      rows.addVisible(positions, caller, { length, offset, limit, order })
    return positions
  }

  findDuplicate(caller: string, id: PlantId | undefined, onDuplicate: OnDuplicate): number | undefined {
    if (id === undefined || onDuplicate === 'accept') return undefined
    return (
      this.#find(caller, id) ??
      this.#find(everyCaller, id) ??
      (onDuplicate === 'conflict-everywhere' ? this.#find(anyPlant, id) : undefined)
    )
  }

  #find(group: Group, id: PlantId): number | undefined {
    const inTail = this.tail.find(group, id, this.tailLength)
    return inTail === undefined ? this.base.find(group, id, this.base.length) : this.base.length + inTail
  }

  append(plant: FixturePlant | StoredPlant): Plants {
    // Does not add to the tail of a fixture: a fixture stays in memory, and its tail would stay with it.
    const rows = this.tailLength === 0 ? new Rows() : this.tail
    const tail = rows.extended(this.tailLength, plant)
    return new Plants(this.base, tail, this.tailLength + 1, this.replaced)
  }

  appendAll(plants: Iterable<FixturePlant | StoredPlant>): Plants {
    if (this.length === 0) return Plants.from(plants)
    let appended: Plants = this
    for (const plant of plants) appended = appended.append(plant)
    return appended
  }

  changed(changes: PlantChanges): Plants {
    if (changes.size === 0) return this
    const replaced = this.#replacedBy(changes)
    if (replaced !== undefined) return new Plants(this.base, this.tail, this.tailLength, replaced)
    const builder = Plants.builder()
    for (let position = 0; position < this.length; position++) {
      const plant = changes.has(position) ? changes.get(position) : this.at(position)
      if (plant !== undefined) builder.push(plant)
    }
    return builder.build()
  }

  #replacedBy(changes: PlantChanges): ReadonlyMap<number, StoredPlant> | undefined {
    if (this.replaced.size + changes.size > maxReplaced) return undefined
    const replaced = new Map(this.replaced)
    for (const [position, plant] of changes) {
      const { id, access } = this.at(position)
      if (plant === undefined || plant.id !== id || !isSameAccess(plant.access, access)) return undefined
      replaced.set(position, { id, name: plant.name, tag: plant.tag, access })
    }
    return replaced
  }

  /** A key for caches: the same for a list and for lists made by appending plants to it. */
  get lineage(): object {
    return this.tail
  }

  /** Compares by identity. Returns false for equal plants that were built separately. */
  extends(earlier: Plants): boolean {
    if (this.base !== earlier.base || this.replaced !== earlier.replaced) return false
    return earlier.tailLength === 0 || (this.tail === earlier.tail && this.tailLength >= earlier.tailLength)
  }

  equals(other: Plants): boolean {
    if (this.length !== other.length) return false
    if (this.extends(other)) return true
    const isBaseSame = this.base === other.base && this.replaced === other.replaced
    for (let position = isBaseSame ? this.base.length : 0; position < this.length; position++)
      if (!isSamePlant(this.at(position), other.at(position))) return false
    return true
  }

  toJSON(): readonly FixturePlant[] {
    return [...this]
  }
}

/** perf: to replace a plant, copies a map of at most 256 replaced plants instead of 100,000 rows. */
const maxReplaced = 256

export const asFixture = ({ id, name, tag, access }: FixturePlant | StoredPlant): FixturePlant => {
  if (tag === undefined) return { ...(id !== undefined && { id }), name, ...(access && { access: [...access] }) }
  // perf: avoids conditional spreads, which would take most of the time of an update of 100,000 plants.
  if (access === undefined) return id === undefined ? { name, tag } : { id, name, tag }
  const copy = [...access]
  return id === undefined ? { name, tag, access: copy } : { id, name, tag, access: copy }
}
