import type { Caller, FixturePlant } from '../contract/schemas.ts'
import type { StoredPlant } from './plant-store.ts'
import { type TableRow, toRow } from './row.ts'

/** Numbers lists of callers from 0; equal lists have one number and share one array. */
class AccessLists {
  /** By number. `undefined` stands for the missing `access` of a plant that every caller may see. */
  readonly all: (readonly Caller[] | undefined)[] = [undefined]
  readonly #numbers = new Map<string, number>()

  /** The number of a list, without repeated callers. */
  numberOf(access: readonly Caller[] | undefined): number {
    if (access === undefined) return 0
    // Tokens have no spaces (RFC 6750, 2.1).
    const key = access.length === 1 ? (access[0] ?? '') : access.join(' ')
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.all.push([...new Set(access)]) - 1
    this.#numbers.set(key, number)
    return number
  }
}

/** Plants by column, to be appended and read by position. */
export class Columns {
  length = 0
  /** Name and tag of each plant in turns. */
  readonly #texts = new PackedTexts()
  /** NaN for a plant without id. */
  #ids = new Float64Array(initialCapacity)
  /** The number of each plant's access list. */
  #access = new Uint32Array(initialCapacity)
  readonly #lists = new AccessLists()

  push({ id = Number.NaN, name, tag, access }: FixturePlant | StoredPlant): void {
    if (this.length === this.#ids.length) this.#grow()
    this.#ids[this.length] = id
    this.#access[this.length] = this.#lists.numberOf(access)
    this.#texts.push(name)
    this.#texts.push(tag)
    this.length++
  }

  /** NaN for a plant without id. */
  id(position: number): number {
    return this.#ids[position] ?? Number.NaN
  }

  /** The number of its access list: the index in `lists`. */
  list(position: number): number {
    return this.#access[position] ?? 0
  }

  get lists(): readonly (readonly Caller[] | undefined)[] {
    return this.#lists.all
  }

  row(position: number): TableRow {
    const id = this.id(position)
    const plant = {
      id: Number.isNaN(id) ? undefined : id,
      name: this.#texts.at(2 * position),
      tag: this.#texts.at(2 * position + 1),
    }
    return toRow(position, plant, this.lists[this.list(position)])
  }

  #grow(): void {
    const [ids, access] = [this.#ids, this.#access]
    this.#ids = new Float64Array(2 * ids.length)
    this.#access = new Uint32Array(2 * ids.length)
    this.#ids.set(ids)
    this.#access.set(access)
  }
}

const initialCapacity = 32

/** Texts of a page. A power of two. */
const pageSize = 8_192
/** A page with more characters, in UTF-16 code units, stays a list: V8 bounds the length of a string. */
const maxPageLength = 2 ** 24

/** Consecutive texts: one string with the end of each text, or a list where that would be too long. */
type Page = { readonly text: string; readonly ends: Uint32Array } | readonly string[]

/**
 * A list of texts, to be appended and read.
 *
 * perf: each full page is one string, because the garbage collector visits each object of a store that is never
 * collected (large stores in `npm run bench`).
 */
export class PackedTexts {
  readonly #pages: Page[] = []
  #last: string[] = []

  push(text: string): void {
    this.#last.push(text)
    if (this.#last.length < pageSize) return
    this.#pages.push(packed(this.#last))
    this.#last = []
  }

  /** The text at an index below the length of the list. */
  at(index: number): string {
    const page = this.#pages[Math.floor(index / pageSize)] ?? this.#last
    const position = index % pageSize
    if (!('ends' in page)) return page[position] ?? ''
    return page.text.slice(position === 0 ? 0 : page.ends[position - 1], page.ends[position])
  }
}

const packed = (texts: readonly string[]): Page => {
  const ends = new Uint32Array(texts.length)
  let end = 0
  for (let i = 0; i < texts.length; i++) {
    end += texts[i]?.length ?? 0
    ends[i] = end
  }
  return end > maxPageLength ? texts : { text: texts.join(''), ends }
}
