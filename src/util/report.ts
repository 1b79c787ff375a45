import { type Paint, printable, type Style, wrap } from './terminal.ts'

/** Something that a report names: a rule, an assumption, a mutant. */
export type Finding = {
  readonly name: string
  /** Default: the style of the surrounding text. */
  readonly style?: Style
  /** One sentence. */
  readonly text?: string
  /** The section of the contract. */
  readonly section?: string
  /** The effect on the tests, such as `breaks 2 tests`. */
  readonly effect?: string
  /** Sentences below the finding, for example the reason or the place. */
  readonly reasons?: readonly string[]
  /** Lines below the reasons that are not wrapped: messages, exchanges, commands. Printable and painted. */
  readonly details?: readonly string[]
}

/** A title above findings, sentences or rows of two columns. A section without content is omitted. */
export type Section = {
  readonly title: string
  readonly findings?: readonly Finding[]
  readonly sentences?: readonly string[]
  readonly rows?: readonly (readonly [string, string])[]
}

export type Report = {
  /** The result in a sentence or two: the first line. */
  readonly verdict: string
  readonly style: Style
  /** Counts, below the verdict. */
  readonly facts: readonly string[]
  readonly sections: readonly Section[]
  /** Sentences about all sections. */
  readonly notes: readonly string[]
  /** Commands to run next, each with its purpose. They are not wrapped. */
  readonly next: readonly string[]
}

export type Screen = {
  readonly paint: Paint
  /** In characters. Default: unlimited, as in a file or a pipe. */
  readonly width?: number | undefined
}

/** In characters: the minimum for rows of two columns. */
const minWidth = 60

/** The layout of every text report: verdict, counts, sections of findings, notes, and what to do next. */
export const renderReport = (report: Report, { paint, ...screen }: Screen): string => {
  const width = Math.max(minWidth, screen.width ?? Number.POSITIVE_INFINITY)
  const { verdict, style, facts, sections, notes, next } = report
  const shown = (text: string): readonly string[] => wrap(printable(text), width)
  return [
    ...shown(verdict).map((line) => paint(style, line)),
    ...facts.flatMap(shown),
    ...sections.flatMap((section) => sectionLines(section, paint, width)),
    ...paragraph(notes.flatMap(shown)),
    ...paragraph(next.map(printable)),
    '',
  ].join('\n')
}

const paragraph = (lines: readonly string[]): readonly string[] => (lines.length === 0 ? [] : ['', ...lines])

const sectionLines = (section: Section, paint: Paint, width: number): readonly string[] => {
  const { title, findings = [], sentences = [], rows = [] } = section
  const lines = [
    ...findings.flatMap((finding) => findingLines(finding, paint, width)),
    ...sentences.flatMap((sentence) => indented(2, printable(sentence), width)),
    ...aligned(rows, width),
  ]
  return lines.length === 0 ? [] : ['', paint('bold', title), ...lines]
}

const findingLines = (finding: Finding, paint: Paint, width: number): readonly string[] => {
  const { name, style, text, section = '', effect, reasons = [], details = [] } = finding
  const cited = section === '' ? '' : ` (contract ${section})`
  const known = printable(name)
  const head = `${known}${text === undefined ? '' : `: ${printable(text)}`}${cited}${effect === undefined ? '' : ` — ${printable(effect)}`}`
  const [first = '', ...rest] = indented(2, head, width)
  const painted = style === undefined ? first : first.replace(known, () => paint(style, known))
  return [
    painted,
    ...rest,
    ...reasons.flatMap((reason) => indented(4, printable(reason), width)),
    ...details.map((detail) => `    ${detail}`),
  ]
}

/** The lines of a sentence, with a hanging indent. */
const indented = (by: number, text: string, width: number): readonly string[] =>
  wrap(text, width - by - 2).map((line, index) => `${' '.repeat(index === 0 ? by : by + 2)}${line}`)

/** In characters. After a longer left text, the right text starts a new line. */
const maxLeft = 36

const aligned = (rows: readonly (readonly [string, string])[], width: number): readonly string[] => {
  const pairs = rows.map(([left, right]) => [printable(left), printable(right)] as const)
  const column = Math.max(0, ...pairs.map(([left]) => left.length).filter((length) => length <= maxLeft))
  return pairs.flatMap(([left, right]) => {
    const [first = '', ...rest] = wrap(right, width - column - 4).map((line) => `${' '.repeat(column + 4)}${line}`)
    if (left.length > column) return [...indented(2, left, width), first, ...rest]
    return [`  ${left.padEnd(column)}${first.slice(column + 2)}`, ...rest]
  })
}
