/**
 * An immutable set: adding a text returns a new set. The sets share one Map, and each set contains its first `size`
 * entries. The class has no `#private` fields, because `vary` compares sets from two bundled copies of the class.
 */
export class GrowingSet {
  static readonly empty = new GrowingSet(new Map(), 0)

  private readonly places: Map<string, number>
  readonly size: number

  private constructor(places: Map<string, number>, size: number) {
    this.places = places
    this.size = size
  }

  static from(texts: Iterable<string>): GrowingSet {
    let set = new GrowingSet(new Map(), 0)
    for (const text of texts) set = set.with(text)
    return set
  }

  has(text: string): boolean {
    return (this.places.get(text) ?? this.size) < this.size
  }

  /** perf: shares the Map of the old set. Copies the Map only if another set has already grown differently. */
  with(text: string): GrowingSet {
    if (this.has(text)) return this
    // Adds nothing to the Map of the constant `empty`, because this Map would stay in memory for good.
    if (this.size === 0) return new GrowingSet(new Map([[text, 0]]), 1)
    const isNext = this.places.size === this.size || this.places.get(text) === this.size
    const places = isNext ? this.places : new Map([...this.places].slice(0, this.size))
    places.set(text, this.size)
    return new GrowingSet(places, this.size + 1)
  }

  equals(other: GrowingSet): boolean {
    if (this.size !== other.size) return false
    return this.places === other.places || this.toJSON().every((text) => other.has(text))
  }

  toJSON(): readonly string[] {
    return [...this.places.keys()].slice(0, this.size)
  }
}
