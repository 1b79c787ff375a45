import type { ReportedTest, Style } from './terminal.ts'

/** `noted` is worth reading, but no failure. `skipped` has no result, or was accepted. */
export type Outcome = 'failed' | 'noted' | 'skipped' | 'passed'

export type Finding = {
  readonly name: string
  readonly outcome: Outcome
  readonly text?: string
  readonly section?: string
  /** The effect on the tests, such as `breaks 2 tests`. */
  readonly effect?: string
  /** A sentence below the finding that gives its reason or place. */
  readonly reason?: string
  readonly tests?: readonly ReportedTest[]
  /** The exchange that shows the finding. `-` and `+` mark lines of the response before and after a change. */
  readonly exchange?: { readonly request: string; readonly diff: readonly string[] } | undefined
  /** Commands and files with their labels, which are never wrapped. */
  readonly commands?: readonly (readonly [label: string, command: string])[]
}

/** Groups findings and sentences under a title. Text reports omit an empty section. */
export type Section = {
  readonly title: string
  readonly findings?: readonly Finding[]
  readonly sentences?: readonly string[]
  /**
   * The layout in text reports. `rows` has two columns, name and reason. `names` lists only names, grouped by reason.
   * `hidden` omits the section, which other formats contain. Default: a paragraph for each finding.
   */
  readonly layout?: 'rows' | 'names' | 'hidden'
  /** The maximum number of names that the layout `names` lists in a group. Default: unlimited. */
  readonly maxNames?: number
}

/** The result of a command. Each format only renders this value. */
export type Report = {
  readonly command: string
  /** The first line, which states the result in one or two sentences. */
  readonly verdict: string
  readonly style: Style
  readonly facts: readonly string[]
  readonly sections: readonly Section[]
  readonly notes: readonly string[]
  /** Commands to run next, each with its purpose, which are never wrapped. */
  readonly next: readonly string[]
  readonly milliseconds?: number
  /** The JSON report, which contains the verdict. */
  readonly data: object
}

type Titled = Finding & { readonly title: string }

export const findingsIn = ({ sections }: Pick<Report, 'sections'>): readonly Titled[] =>
  sections.flatMap(({ title, findings = [] }) => findings.map((finding) => ({ ...finding, title })))

export const failuresIn = (report: Pick<Report, 'sections'>): readonly Titled[] =>
  findingsIn(report).filter(({ outcome }) => outcome === 'failed')

/** Returns a finding in one line without its name, such as `Changed: was 201, is 200; breaks 1 test`. */
export const sentenceOf = ({ title, text, effect, reason }: Titled): string => {
  const parts = [text, effect, reason].filter((part) => part !== undefined)
  return parts.length === 0 ? title : `${title}: ${parts.join('; ').replaceAll('.; ', '; ')}`
}
