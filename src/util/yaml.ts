import { Composer, type CST, isNode, Lexer, LineCounter, Parser, type Scalar, visit } from 'yaml'
import { messageOf } from './words.ts'

export type ParsedYaml =
  | {
      readonly value: unknown
      /** The line of a value, or of what would contain it. @param path The keys and indexes that lead to it. */
      readonly lineOf: (path: readonly string[]) => number
    }
  | {
      /** A clause without a full stop. */
      readonly error: string
      /** Where that is known. */
      readonly line?: number
    }

type Options = {
  /** Whether each integer is a bigint, which holds it exactly. Default: false. */
  readonly bigIntegers?: boolean
}

/** YAML 1.2 with the core schema. Tags of other schemas, keys that are no texts and repeated keys are errors. */
export const parseYaml = (text: string, { bigIntegers = false }: Options = {}): ParsedYaml => {
  const lines = new LineCounter()
  const refused = (error: string, offset = 0): ParsedYaml => ({ error, line: lines.linePos(offset).line })
  try {
    const composer = new Composer({
      version: '1.2',
      schema: 'core',
      resolveKnownTags: false,
      stringKeys: true,
      intAsBigInt: bigIntegers,
      // The check of the parser compares each key with all others: a map of 28,000 keys takes a minute.
      uniqueKeys: false,
    })
    const [document, second] = composer.compose(tokensIn(text, lines), true, text.length)
    if (document === undefined) return { value: null, lineOf: () => 1 }
    if (second !== undefined) return refused('it has several documents', second.range[0])
    const [problem] = [...document.errors, ...document.warnings]
    if (problem !== undefined) return refused(problem.message.replace(/\.$/, ''), problem.pos[0])
    let repeated: Scalar | undefined
    visit(document, {
      Map(_, { items }) {
        const seen = new Set<unknown>()
        for (const { key } of items) {
          const { value } = key as Scalar
          if (seen.has(value)) repeated ??= key as Scalar
          seen.add(value)
        }
        return repeated && visit.BREAK
      },
    })
    if (repeated !== undefined)
      return refused(`the key ${JSON.stringify(repeated.value)} is repeated`, repeated.range?.[0])
    const lineOf = (path: readonly string[]): number => {
      const node = document.getIn(path, true)
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
      return path.length === 0 ? 1 : lineOf(path.slice(0, -1))
    }
    return { value: document.toJS() as unknown, lineOf }
  } catch (error) {
    // Aliases without anchor or by the thousand, and nesting.
    return { error: error instanceof RangeError ? tooDeep : messageOf(error) }
  }
}

const tooDeep = 'it is nested too deep'

/** In tokens that are open: a document has about a hundred. */
const maxDepth = 2_000

/** The composer is recursive, and V8 may end the process where the stack is exhausted while it compiles a pattern. */
function* tokensIn(text: string, lines: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    if (parser.stack.length > maxDepth) throw new RangeError(tooDeep)
  }
  yield* parser.end()
}
