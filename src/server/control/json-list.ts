import { textChunks } from '../../util/text-chunks.ts'

/** The response `{"name":[…]}` with a list that may be long: its items are taken and converted while it is sent. */
export class JsonList {
  readonly #name: string
  readonly #items: Iterable<unknown>

  constructor(name: string, items: Iterable<unknown>) {
    this.#name = name
    this.#items = items
  }

  /** The whole text if it is short. The items after the first parts are converted when these parts are taken. */
  render(): string | Iterable<string> {
    const chunks = textChunks(this.#texts())
    const [first, second] = [chunks.next(), chunks.next()]
    if (second.done) return first.value ?? ''
    return joined([first.value ?? '', second.value], chunks)
  }

  *#texts(): Generator<string> {
    yield `{${JSON.stringify(this.#name)}:[`
    let separator = ''
    for (const item of this.#items) {
      yield `${separator}${JSON.stringify(item)}`
      separator = ','
    }
    yield ']}'
  }
}

function* joined(first: readonly string[], rest: Iterable<string>): Generator<string> {
  yield* first
  yield* rest
}
