import { contractText } from './contract-text.ts'
import { sectionsIn } from './violation.ts'

/** A citable part of contract.md: a section such as 4.2, or a rule such as 2.4 or 4.2.1. */
export type ContractSection = {
  readonly section: string
  /** The heading, such as `4.2 List plants`; for a rule, the heading of its section and its number. */
  readonly title: string
  /** Markdown: the whole section without its subsections, or the sentence of a rule. */
  readonly text: string
}

/** Splits contract.md into sections at its headings, and extracts the numbered rules of each section. */
const parseSections = (markdown: string): ReadonlyMap<string, ContractSection> => {
  const sections = new Map<string, ContractSection>()
  const parts = markdown.split(/^#{2,3} (?=\d)/m).slice(1)
  for (const part of parts) {
    const [heading = '', ...lines] = part.split('\n')
    const [number = '', ...words] = heading.split(' ')
    const section = number.replace(/\.$/, '')
    sections.set(section, { section, title: `${section} ${words.join(' ')}`, text: lines.join('\n').trim() })
  }
  for (const { section, title, text } of [...sections.values()])
    for (const [, rule = '', sentence = ''] of text.matchAll(/^(\d+)\. (.+)$/gm)) {
      const cited = `${section}.${rule}`
      sections.set(cited, { section: cited, title: `${title}, rule ${rule}`, text: sentence })
    }
  return sections
}

/**
 * A part of contract.md by number: `4.2`, `2.4` (rule 4 of section 2), `4.2.1`; `undefined` for an unknown number.
 */
export const contractSection = (section: string): ContractSection | undefined =>
  parseSections(contractText).get(section)

/** The known parts of a citation such as `4.2, 8`. Default: every part of contract.md, sections first. */
export const contractSections = (citation?: string): readonly ContractSection[] => {
  const sections = parseSections(contractText)
  const numbers = citation === undefined ? [...sections.keys()] : sectionsIn(citation)
  return numbers.flatMap((number) => sections.get(number) ?? [])
}
