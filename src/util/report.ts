import type { ReportedTest, Style } from './terminal.ts'

/** `noted`: worth reading, and no failure. `skipped`: without a result, or accepted. */
export type Outcome = 'failed' | 'noted' | 'skipped' | 'passed'

export type Finding = {
  readonly name: string
  readonly outcome: Outcome
  readonly text?: string
  readonly section?: string
  /** The effect on the tests, such as `breaks 2 tests`. */
  readonly effect?: string
  /** A sentence below the finding: a reason or a place. */
  readonly reason?: string
  readonly tests?: readonly ReportedTest[]
  /** An exchange: `-` and `+` mark lines of the response before and after a change. */
  readonly exchange?: { readonly request: string; readonly diff: readonly string[] } | undefined
  /** Commands and files with their labels. They are not wrapped. */
  readonly commands?: readonly (readonly [label: string, command: string])[]
}

/** A title above findings and sentences. Text omits a section without content. */
export type Section = {
  readonly title: string
  readonly findings?: readonly Finding[]
  readonly sentences?: readonly string[]
  /**
   * The layout of the findings as text. `rows`: two columns, name and reason. `names`: the names alone, grouped by
   * reason. `hidden`: other formats alone have the section. Default: a paragraph for each finding.
   */
  readonly layout?: 'rows' | 'names' | 'hidden'
  /** For the layout `names`: how many names of each group are listed. Default: all. */
  readonly maxNames?: number
}

/** The result of a command. Each format renders this value, and decides nothing. */
export type Report = {
  readonly command: string
  /** The result in a sentence or two: the first line. */
  readonly verdict: string
  readonly style: Style
  readonly facts: readonly string[]
  readonly sections: readonly Section[]
  readonly notes: readonly string[]
  /** Commands to run next, each with its purpose. They are not wrapped. */
  readonly next: readonly string[]
  readonly milliseconds?: number
  /** The document of the format JSON, with the verdict. */
  readonly data: object
}

type Titled = Finding & { readonly title: string }

export const findingsIn = ({ sections }: Pick<Report, 'sections'>): readonly Titled[] =>
  sections.flatMap(({ title, findings = [] }) => findings.map((finding) => ({ ...finding, title })))

export const failuresIn = (report: Pick<Report, 'sections'>): readonly Titled[] =>
  findingsIn(report).filter(({ outcome }) => outcome === 'failed')

/** A finding in one line, without its name: `Changed: was 201, is 200; breaks 1 test`. */
export const sentenceOf = ({ title, text, effect, reason }: Titled): string => {
  const parts = [text, effect, reason].filter((part) => part !== undefined)
  return parts.length === 0 ? title : `${title}: ${parts.join('; ').replaceAll('.; ', '; ')}`
}
