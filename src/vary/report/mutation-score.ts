import { contractSection } from '../../core/contract/sections.ts'
import { sectionsIn } from '../../core/contract/violation.ts'
import { plural } from '../../util/words.ts'
import { rules } from '../../verify/rules/rules.ts'
import { type MutantId, mutants } from '../evidence/mutants.ts'
import type { MutantReport } from '../search/search-mutants.ts'
import { withShortPath } from '../suite/test-result.ts'

/** The rule of the contract that a mutant breaks. */
export const ruleOf = (id: MutantId): { readonly section: string; readonly statement: string } => {
  const { section = '', statement = '' } = rules.find((rule) => rule.id === mutants[id].rule) ?? {}
  return { section, statement }
}

export type Score = { readonly killed: number; readonly survived: number; readonly score: number }

/** The share of killed mutants among those that tests met, in percent. */
export const scoreOf = (results: readonly Pick<MutantReport, 'status'>[]): Score => {
  const count = (wanted: MutantReport['status']): number => results.filter(({ status }) => status === wanted).length
  const [killed, survived] = [count('killed'), count('survived')]
  return { killed, survived, score: killed + survived === 0 ? 0 : Math.floor((100 * killed) / (killed + survived)) }
}

/** The score of each section, in the order of the contract. */
export const scoresBySection = (results: readonly MutantReport[]): readonly (Score & { readonly title: string })[] => {
  const sections = [...new Set(results.flatMap(({ id }) => sectionsIn(ruleOf(id).section)))].toSorted((a, b) =>
    a.localeCompare(b, 'en', { numeric: true }),
  )
  return sections.map((section) => ({
    title: contractSection(section)?.title ?? section,
    ...scoreOf(results.filter(({ id }) => sectionsIn(ruleOf(id).section).includes(section))),
  }))
}

/** Those that the most tests have met come first. */
export const survivorsIn = (results: readonly MutantReport[]): readonly MutantReport[] =>
  results.filter(({ status }) => status === 'survived').toSorted((a, b) => b.metBy.length - a.metBy.length)

/** `met by 6 tests in test/plants.test.ts and 2 more files` */
export const metText = ({ metBy }: Pick<MutantReport, 'metBy'>): string => {
  const files = [...new Set(metBy.map((test) => withShortPath(test).file))]
  const more = files.length > 1 ? ` and ${plural(files.length - 1, 'more file')}` : ''
  return metBy.length === 0 ? 'met by the command' : `met by ${plural(metBy.length, 'test')} in ${files[0]}${more}`
}
