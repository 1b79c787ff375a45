import { type Rule, rules } from '../../core/contract/rules.ts'
import { plural } from '../../util/words.ts'
import { type MutantId, mutantIds, mutants } from '../evidence/mutants.ts'
import { whyNotJudged } from '../search/judge.ts'
import type { MutantReport, MutationReport } from '../search/search-mutants.ts'

export const ruleOf = (id: MutantId): Rule => rules[mutants[id].rule]

export type ScoredMutant = Omit<MutantReport, 'status'> & {
  readonly status: MutantReport['status'] | 'tolerable' | 'accepted' | 'unread'
  readonly reason: string
}

type Words = {
  readonly title: string
  readonly stryker: 'Killed' | 'Survived' | 'NoCoverage' | 'Ignored'
  readonly why?: string
}

export const statuses: Readonly<Record<ScoredMutant['status'], Words>> = {
  killed: { title: 'Killed', stryker: 'Killed' },
  survived: { title: 'Survived', stryker: 'Survived' },
  unread: { title: 'Not covered', stryker: 'NoCoverage', why: 'no test reads the response of a create' },
  accepted: { title: 'Accepted', stryker: 'Ignored' },
  tolerable: {
    title: 'Not counted',
    stryker: 'Ignored',
    why: 'a client that reads only name and tag cannot notice it',
  },
  notExercised: { title: 'Not exercised', stryker: 'NoCoverage', why: 'no response would change' },
  notJudged: { title: 'Not judged', stryker: 'Ignored' },
}

export const whyOf = ({ status, reason, notJudged }: ScoredMutant): string =>
  notJudged === undefined ? (statuses[status].why ?? reason) : whyNotJudged[notJudged]

export type ScoredReport = Omit<MutationReport, 'results'> & { readonly results: readonly ScoredMutant[] }

/** If all mutants of the rule `create.shape` survive, no test reads the response of a create. */
const ofCreated = mutantIds.filter((id) => mutants[id].rule === 'create.shape')

export const scoredMutants = (
  results: readonly MutantReport[],
  accepted: ReadonlyMap<string, string>,
): readonly ScoredMutant[] => {
  const isUnread = ofCreated.every((id) => results.find((result) => result.id === id)?.status === 'survived')
  return results.map((result) => {
    const { id } = result
    const survival = accepted.has(id)
      ? 'accepted'
      : isUnread && ofCreated.includes(id)
        ? 'unread'
        : mutants[id].isTolerable
          ? 'tolerable'
          : 'survived'
    return {
      ...result,
      status: result.status === 'survived' ? survival : result.status,
      reason: accepted.get(id) ?? '',
    }
  })
}

const countOf = (results: readonly Pick<ScoredMutant, 'status'>[], wanted: ScoredMutant['status']): number =>
  results.filter(({ status }) => status === wanted).length

export const scoreOf = (results: readonly Pick<ScoredMutant, 'status'>[]): number => {
  const [killed, survived] = [countOf(results, 'killed'), countOf(results, 'survived')]
  return killed + survived === 0 ? 100 : Math.floor((100 * killed) / (killed + survived))
}

export const isAnyJudged = (results: readonly ScoredMutant[]): boolean =>
  results.some(({ status }) => status !== 'notExercised' && status !== 'notJudged')

export const isDecided = (results: readonly ScoredMutant[]): boolean =>
  results.every(({ status }) => status !== 'notJudged')

export const scoreText = (results: readonly ScoredMutant[], threshold: number): string => {
  const killed = countOf(results, 'killed')
  const counted = killed + countOf(results, 'survived')
  const met = results.length - countOf(results, 'notExercised')
  const judged = met - countOf(results, 'notJudged')
  const part = met === judged ? '' : ` (${judged} of ${met} judged)`
  const score = scoreOf(results)
  if (counted > 0)
    return `Score ${score} %${part}, ${score < threshold ? 'below' : 'at least'} the threshold of ${threshold} %: ${killed} of ${plural(counted, 'counted mutant')} killed.`
  return `${met === 0 ? 'No test exercises a mutant' : judged === 0 ? 'No mutant was judged' : 'No test exercises a counted mutant'}${part}.`
}

export const countsText = (results: readonly ScoredMutant[]): string => {
  const counts = Object.entries(statuses).flatMap(([status, { title }]) => {
    const count = countOf(results, status as ScoredMutant['status'])
    return count === 0 ? [] : [`${count} ${title.toLowerCase()}`]
  })
  return `${plural(results.length, 'mutant')}: ${counts.join(', ')}.`
}
