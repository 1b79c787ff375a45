import { type Rule, rules } from '../../core/contract/rules.ts'
import { contractSection } from '../../core/contract/sections.ts'
import { sectionsIn } from '../../core/contract/violation.ts'
import { plural } from '../../util/words.ts'
import { type MutantId, mutants } from '../evidence/mutants.ts'
import { whyNotJudged } from '../search/judge.ts'
import type { MutantReport, MutationReport } from '../search/search-mutants.ts'
import { withShortPath } from '../suite/test-result.ts'

/** The rule of the contract that a mutant breaks. */
export const ruleOf = (id: MutantId): Rule => rules[mutants[id].rule]

/** A mutant as reports show it. */
export type ScoredMutant = Omit<MutantReport, 'status'> & {
  /** `tolerable` and `accepted`: survivors that do not count. */
  readonly status: MutantReport['status'] | 'tolerable' | 'accepted'
  /** Why the team accepts the mutant; `''` without a reason. */
  readonly reason: string
}

/** Why a tolerable mutant does not count. */
export const tolerableText = 'a client that reads only name and tag cannot notice it'

/** Why a mutant does not count; `undefined` if it counts. */
export const notCountedText = ({ status, reason, notJudged }: ScoredMutant): string | undefined => {
  if (notJudged !== undefined) return `Not judged: ${whyNotJudged[notJudged]}`
  if (status === 'accepted') return reason === '' ? 'Accepted' : `Accepted: ${reason}`
  return status === 'tolerable' ? `Not counted: ${tolerableText}` : undefined
}

export type ScoredReport = Omit<MutationReport, 'results'> & { readonly results: readonly ScoredMutant[] }

/** Marks survivors that a tolerant client cannot show, or that a team accepts. @param accepted Reasons by id. */
export const scoredMutants = (
  results: readonly MutantReport[],
  accepted: ReadonlyMap<string, string>,
): readonly ScoredMutant[] =>
  results.map((result) => {
    const reason = accepted.get(result.id)
    const survival = reason !== undefined ? 'accepted' : mutants[result.id].isTolerable ? 'tolerable' : 'survived'
    return { ...result, status: result.status === 'survived' ? survival : result.status, reason: reason ?? '' }
  })

export type Score = { readonly killed: number; readonly survived: number; readonly score: number }

/** The percentage of killed mutants among killed and survived mutants; 100 if both are 0. */
export const scoreOf = (results: readonly Pick<ScoredMutant, 'status'>[]): Score => {
  const count = (wanted: ScoredMutant['status']): number => results.filter(({ status }) => status === wanted).length
  const [killed, survived] = [count('killed'), count('survived')]
  return { killed, survived, score: killed + survived === 0 ? 100 : Math.floor((100 * killed) / (killed + survived)) }
}

/** The number of mutants that the tests exercise, and how many of these are judged. */
const judgedIn = (results: readonly ScoredMutant[]): { readonly met: number; readonly judged: number } => {
  const met = results.filter(({ status }) => status !== 'notExercised')
  return { met: met.length, judged: met.filter(({ status }) => status !== 'notJudged').length }
}

export const isAnyJudged = (results: readonly ScoredMutant[]): boolean => judgedIn(results).judged > 0

/** Whether every exercised mutant is judged. */
export const isDecided = (results: readonly ScoredMutant[]): boolean =>
  results.every(({ status }) => status !== 'notJudged')

/** `Score 47 %`, or `Score 47 % (17 of 23 judged)` */
export const scoreText = (results: readonly ScoredMutant[]): string => {
  const { killed, survived, score } = scoreOf(results)
  const { met, judged } = judgedIn(results)
  const part = met === judged ? '' : ` (${judged} of ${met} judged)`
  if (killed + survived > 0) return `Score ${score} %${part}`
  return `${met === 0 ? 'No test exercises a mutant' : judged === 0 ? 'No mutant was judged' : 'No test exercises a counted mutant'}${part}`
}

/** The score of each section, in the order of the contract. */
export const scoresBySection = (results: readonly ScoredMutant[]): readonly (Score & { readonly title: string })[] => {
  const sections = [...new Set(results.flatMap(({ id }) => sectionsIn(ruleOf(id).section)))].toSorted((a, b) =>
    a.localeCompare(b, 'en', { numeric: true }),
  )
  return sections.map((section) => ({
    title: contractSection(section)?.title ?? section,
    ...scoreOf(results.filter(({ id }) => sectionsIn(ruleOf(id).section).includes(section))),
  }))
}

/** The survivors, sorted by the number of tests that exercise them, highest first. */
export const survivorsIn = (results: readonly ScoredMutant[]): readonly ScoredMutant[] =>
  results.filter(({ status }) => status === 'survived').toSorted((a, b) => b.exercisedBy.length - a.exercisedBy.length)

/** `exercised by 6 tests in test/plants.test.ts and 2 more files` */
export const exercisedText = ({ exercisedBy }: Pick<ScoredMutant, 'exercisedBy'>): string => {
  const files = [...new Set(exercisedBy.map((test) => withShortPath(test).file))]
  const more = files.length > 1 ? ` and ${plural(files.length - 1, 'more file')}` : ''
  return exercisedBy.length === 0
    ? 'exercised by the command'
    : `exercised by ${plural(exercisedBy.length, 'test')} in ${files[0]}${more}`
}
