import type { ReportedTest, Style } from './terminal.ts'

export type Outcome = 'failed' | 'noted' | 'skipped' | 'passed'

export type Finding = {
  readonly name: string
  readonly outcome: Outcome
  readonly text?: string
  readonly section?: string
  readonly effect?: string
  readonly reason?: string
  readonly tests?: readonly ReportedTest[]
  readonly exchange?: { readonly request: string; readonly diff: readonly string[] } | undefined
  readonly commands?: readonly (readonly [label: string, command: string])[]
}

export type Section = {
  readonly title: string
  readonly findings?: readonly Finding[]
  readonly sentences?: readonly string[]
  /** How a text report prints findings: as a table, as names grouped by reason, not at all. Default: paragraphs. */
  readonly layout?: 'rows' | 'names' | 'hidden'
  readonly maxNames?: number
}

export type Report = {
  readonly command: string
  readonly verdict: string
  readonly style: Style
  readonly facts: readonly string[]
  readonly sections: readonly Section[]
  readonly notes: readonly string[]
  readonly next: readonly string[]
  readonly milliseconds?: number
  readonly data: object
}

type Titled = Finding & { readonly title: string }

export const findingsIn = ({ sections }: Pick<Report, 'sections'>): readonly Titled[] =>
  sections.flatMap(({ title, findings = [] }) => findings.map((finding) => ({ ...finding, title })))

export const failuresIn = (report: Pick<Report, 'sections'>): readonly Titled[] =>
  findingsIn(report).filter(({ outcome }) => outcome === 'failed')

export const sentenceOf = ({ title, text, effect, reason }: Titled): string => {
  const parts = [text, effect, reason].filter((part) => part !== undefined)
  return parts.length === 0 ? title : `${title}: ${parts.join('; ').replaceAll('.; ', '; ')}`
}
