import { Composer, type CST, isNode, Lexer, LineCounter, Parser, type Scalar, visit } from 'yaml'
import { messageOf } from './words.ts'

export type ParsedYaml =
  | {
      readonly value: unknown
      readonly lineOf: (path: readonly string[]) => number
    }
  | {
      readonly error: string
      readonly line?: number
    }

type Options = {
  readonly bigIntegers?: boolean
}

/** Parses YAML 1.2 with merge keys (`<<`). Refuses tags outside the core schema, repeated keys and non-string keys. */
export const parseYaml = (text: string, { bigIntegers = false }: Options = {}): ParsedYaml => {
  const lines = new LineCounter()
  const refused = (error: string, offset = 0): ParsedYaml => ({ error, line: lines.linePos(offset).line })
  try {
    const composer = new Composer({
      version: '1.2',
      schema: 'core',
      resolveKnownTags: false,
      stringKeys: true,
      merge: true,
      intAsBigInt: bigIntegers,
      // Leaves repeated keys to `visit` below: `uniqueKeys` compares all pairs of keys (a minute for 28,000 keys).
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
    return { value: document.toJS({ maxAliasCount }) as unknown, lineOf }
  } catch (error) {
    return { error: error instanceof RangeError ? tooDeep : messageOf(error) }
  }
}

const tooDeep = 'it is nested too deep'

/** The package `yaml` multiplies the counts of nested aliases: its default limit of 100 refuses real documents. */
const maxAliasCount = 10_000

const maxDepth = 2_000

/** Limits nesting: the composer is recursive, and a stack overflow in a regular expression may end the process. */
function* tokensIn(text: string, lines: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    if (parser.stack.length > maxDepth) throw new RangeError(tooDeep)
  }
  yield* parser.end()
}
