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
