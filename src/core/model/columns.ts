// perf: columns are strings and typed arrays, which the garbage collector does not scan. A million plants as objects
// would take three times the memory, and a create twice the time (`npm run bench`).

type NumberArray = Float64Array | Uint32Array

/** perf: pages, because an array that doubles leaves as much garbage as it contains (`npm run bench`, memory). */
export class Numbers {
  length = 0
  readonly #Column: typeof Float64Array | typeof Uint32Array
  readonly #pages: NumberArray[] = []
  /** The incomplete page, which doubles up to `pageSize`. */
  #last: NumberArray

  constructor(Column: typeof Float64Array | typeof Uint32Array) {
    this.#Column = Column
    this.#last = new Column(initialCapacity)
  }

  push(number: number): void {
    const position = this.length++ % pageSize
    if (position === this.#last.length || (position === 0 && this.length > 1)) this.#grow()
    this.#last[position] = number
  }

  at(index: number): number | undefined {
    return index < this.length ? (this.#pages[Math.floor(index / pageSize)] ?? this.#last)[index % pageSize] : undefined
  }

  /** The numbers must ascend. */
  countBelow(bound: number): number {
    let [start, end] = [0, this.length]
    if (end === 0 || (this.at(end - 1) as number) < bound) return end
    while (start < end) {
      const middle = (start + end) >>> 1
      if ((this.at(middle) as number) < bound) start = middle + 1
      else end = middle
    }
    return start
  }

  #grow(): void {
    const full = this.#last
    if (full.length === pageSize) {
      this.#pages.push(full)
      this.#last = new this.#Column(pageSize)
    } else {
      this.#last = new this.#Column(2 * full.length)
      this.#last.set(full)
    }
  }
}

const initialCapacity = 16

/** A power of two, because doubling `initialCapacity` must end at this size. */
const pageSize = 4_096
/** A page with more characters stays an array, because V8 limits the length of a string. */
const maxPageLength = 2 ** 24

/** The texts as one string with the end of each text, or as an array if the string would be too long. */
type Page = { readonly text: string; readonly ends: Uint32Array } | readonly string[]

export class Texts {
  length = 0
  readonly #pages: Page[] = []
  #last: string[] = []

  push(text: string): void {
    this.#last.push(text)
    this.length++
    if (this.#last.length < pageSize) return
    this.#pages.push(packed(this.#last))
    this.#last = []
  }

  at(index: number): string {
    const page = this.#pages[Math.floor(index / pageSize)] ?? this.#last
    const position = index % pageSize
    if (!('ends' in page)) return page[position] ?? ''
    return page.text.slice(page.ends[position - 1], page.ends[position])
  }
}

const packed = (texts: readonly string[]): Page => {
  const ends = new Uint32Array(texts.length)
  let end = 0
  // perf: `entries()` would allocate a pair for each text.
  texts.forEach((text, index) => {
    end += text.length
    ends[index] = end
  })
  return end > maxPageLength ? texts : { text: texts.join(''), ends }
}

/** Maps each id to its last position. A hash table with open addressing, whose keys stay in the column of ids. */
export class IdIndex {
  readonly #ids: Numbers
  /** Position + 1; 0 marks a free slot. */
  #slots = new Uint32Array(initialCapacity)
  #size = 0
  /** Maps a position to the previous position with the same id. */
  readonly #previous = new Map<number, number>()

  /** @param ids NaN stands for a missing id. */
  constructor(ids: Numbers) {
    this.#ids = ids
    let capacity = initialCapacity
    while (capacity < 2 * ids.length) capacity *= 2
    this.#slots = new Uint32Array(capacity)
    for (let position = 0; position < ids.length; position++) this.add(position)
  }

  add(position: number): void {
    const id = this.#ids.at(position) as number
    if (Number.isNaN(id)) return
    const slot = this.#slotOf(id)
    const taken = this.#slots[slot] as number
    this.#slots[slot] = position + 1
    if (taken !== 0) this.#previous.set(position, taken - 1)
    else if (++this.#size * 2 > this.#slots.length) this.#grow()
  }

  last(id: number): number | undefined {
    const taken = this.#slots[this.#slotOf(id)] as number
    return taken === 0 ? undefined : taken - 1
  }

  before(position: number): number | undefined {
    return this.#previous.get(position)
  }

  /** Finds the slot of this id, or the free slot for it. */
  #slotOf(id: number): number {
    const mask = this.#slots.length - 1
    // Consecutive ids have consecutive slots, which share cache lines.
    let bits = (id ^ Math.trunc(id / 2 ** 32)) >>> 0
    let slot = bits & mask
    for (;;) {
      const taken = this.#slots[slot] as number
      if (taken === 0 || this.#ids.at(taken - 1) === id) return slot
      // The upper bits take part in the probing, as in CPython's dict.
      bits >>>= 5
      slot = (slot * 5 + 1 + bits) & mask
    }
  }

  #grow(): void {
    const slots = this.#slots
    this.#slots = new Uint32Array(2 * slots.length)
    for (const taken of slots) if (taken !== 0) this.#slots[this.#slotOf(this.#ids.at(taken - 1) as number)] = taken
  }
}
