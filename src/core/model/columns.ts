// perf: stores plants in strings and typed arrays, which the garbage collector does not scan. As objects, a million
// plants would take three times the memory (`npm run bench`).

type NumberArray = Float64Array | Uint32Array

/** perf: grows in pages, because doubling a large array leaves the old array as garbage (`npm run bench`, memory). */
export class Numbers {
  length = 0
  readonly #Column: typeof Float64Array | typeof Uint32Array
  readonly #pages: NumberArray[] = []
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

/** Must be a power of two, because the capacity of a page doubles from `initialCapacity` to `pageSize`. */
const pageSize = 4_096
/** Keeps a longer page as an array of texts, because V8 limits the length of a string. */
const maxPageLength = 2 ** 24

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
  // perf: avoids `entries()`, which allocates a pair for each text.
  texts.forEach((text, index) => {
    end += text.length
    ends[index] = end
  })
  return end > maxPageLength ? texts : { text: texts.join(''), ends }
}

/** A hash table with open addressing that maps each id to its last position. */
export class IdIndex {
  readonly #ids: Numbers
  #slots = new Uint32Array(initialCapacity)
  #size = 0
  readonly #previousWithSameId = new Map<number, number>()

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
    if (taken !== 0) this.#previousWithSameId.set(position, taken - 1)
    else if (++this.#size * 2 > this.#slots.length) this.#grow()
  }

  last(id: number): number | undefined {
    const taken = this.#slots[this.#slotOf(id)] as number
    return taken === 0 ? undefined : taken - 1
  }

  before(position: number): number | undefined {
    return this.#previousWithSameId.get(position)
  }

  #slotOf(id: number): number {
    const mask = this.#slots.length - 1
    // Gives consecutive ids consecutive slots, which share cache lines.
    let bits = (id ^ Math.trunc(id / 2 ** 32)) >>> 0
    let slot = bits & mask
    for (;;) {
      const taken = this.#slots[slot] as number
      if (taken === 0 || this.#ids.at(taken - 1) === id) return slot
      // Mixes in the upper bits of the id after a collision, as CPython's dict does.
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
