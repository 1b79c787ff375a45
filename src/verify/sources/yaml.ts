import { LineCounter, parseDocument, type Scalar, visit } from 'yaml'
import type { ParsedJson } from '../../util/json.ts'
import { messageOf } from '../../util/words.ts'

/** YAML 1.2 with the core schema. Tags of other schemas, keys that are no texts and repeated keys are errors. */
export const parseYaml = (text: string): ParsedJson => {
  const lines = new LineCounter()
  const lineAt = (offset = 0): string => `(line ${lines.linePos(offset).line})`
  try {
    const document = parseDocument(text, {
      version: '1.2',
      schema: 'core',
      resolveKnownTags: false,
      stringKeys: true,
      // The check of the parser compares each key with all others: a map of 28,000 keys takes a minute.
      uniqueKeys: false,
      prettyErrors: false,
      lineCounter: lines,
    })
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
    // Aliases without anchor or by the thousand, and nesting that exhausts the stack.
    return { error: error instanceof RangeError ? 'it is nested too deep' : messageOf(error) }
  }
}
