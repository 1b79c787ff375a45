import { contractText } from './contract-text.ts'
import { sectionsIn } from './violation.ts'

export type ContractSection = {
  readonly section: string
  /** The heading, such as `4.2 List plants`. A rule adds its number: `4.2 List plants, rule 1`. */
  readonly title: string
  /** The Markdown text of a section without its subsections, or the sentence of a rule. */
  readonly text: string
}

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

/** Finds a section (`4.2`) or a rule (`4.2.1`: rule 1 of 4.2). Returns `undefined` for an unknown number. */
export const contractSection = (section: string): ContractSection | undefined =>
  parseSections(contractText).get(section)

export const contractSections = (citation?: string): readonly ContractSection[] => {
  const sections = parseSections(contractText)
  const numbers = citation === undefined ? [...sections.keys()] : sectionsIn(citation)
  return numbers.flatMap((number) => sections.get(number) ?? [])
}
