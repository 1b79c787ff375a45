import { Composer, type CST, Lexer, LineCounter, Parser, type Scalar, visit } from 'yaml'
import type { ParsedJson } from '../../util/json.ts'
import { messageOf } from '../../util/words.ts'

/** YAML 1.2 with the core schema. Tags of other schemas, keys that are no texts and repeated keys are errors. */
export const parseYaml = (text: string): ParsedJson => {
  const lines = new LineCounter()
  const lineAt = (offset = 0): string => `(line ${lines.linePos(offset).line})`
  try {
    const composer = new Composer({
      version: '1.2',
      schema: 'core',
      resolveKnownTags: false,
      stringKeys: true,
      // The check of the parser compares each key with all others: a map of 28,000 keys takes a minute.
      uniqueKeys: false,
    })
    const [document, second] = composer.compose(tokensIn(text, lines), true, text.length)
    if (document === undefined) return { value: null }
    if (second !== undefined) return { error: `it has several documents ${lineAt(second.range[0])}` }
    const [problem] = [...document.errors, ...document.warnings]
    if (problem !== undefined) return { error: `${problem.message.replace(/\.$/, '')} ${lineAt(problem.pos[0])}` }
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
      return { error: `the key ${JSON.stringify(repeated.value)} is repeated ${lineAt(repeated.range?.[0])}` }
    return { value: document.toJS() as unknown }
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
