import type { Finding, Outcome, Report } from '../../util/report.ts'
import { nameOf } from '../../util/terminal.ts'
import { plural } from '../../util/words.ts'
import { type MutantId, mutants } from '../evidence/mutants.ts'
import { withShortPath } from '../suite/test-result.ts'
import { acceptanceNotes } from './accepted.ts'
import { type DataOptions, mutationData } from './mutation-data.ts'
import {
  countsText,
  isAnyJudged,
  isDecided,
  ruleOf,
  type ScoredMutant,
  type ScoredReport,
  scoreOf,
  scoreText,
  statuses,
  whyOf,
} from './mutation-score.ts'

type ReportOptions = DataOptions & {
  readonly repeatOf: (mutant: MutantId) => string
  readonly next: string
}

export const mutationReport = (found: ScoredReport, options: ReportOptions): Report => {
  const { results, runs, exchanges, milliseconds, flaky, isStopped } = found
  const { threshold, acceptance, repeatOf, next } = options
  const verdict = `${scoreText(results, threshold)}${isStopped ? ' Stopped before everything was tried.' : ''}`
  const isReached = scoreOf(results) >= threshold
  const survivors = withStatus(results, 'survived').toSorted((a, b) => b.exercisedBy.length - a.exercisedBy.length)
  const [first] = survivors
  const unread = withStatus(results, 'unread')
  const named = (status: ScoredMutant['status'], outcome: Outcome) =>
    ({
      title: statuses[status].title,
      layout: 'names',
      findings: withStatus(results, status).map((mutant) => namedFinding(mutant, outcome)),
    }) as const
  return {
    command: 'mutate',
    verdict,
    style: isReached && isAnyJudged(results) && isDecided(results) ? 'green' : 'red',
    facts: [countsText(results), `${plural(runs, 'run')}, ${plural(exchanges, 'exchange')}.`],
    sections: [
      {
        title: statuses.survived.title,
        findings: survivors.map((mutant) =>
          survivorFinding(mutant, isReached || acceptance?.isUpdated ? 'noted' : 'failed', repeatOf),
        ),
      },
      { title: statuses.unread.title, findings: unread.length === 0 ? [] : [unreadFinding(unread)] },
      { title: statuses.accepted.title, findings: withStatus(results, 'accepted').map(acceptedFinding) },
      named('tolerable', 'skipped'),
      named('notExercised', 'skipped'),
      named('notJudged', 'skipped'),
      named('killed', 'passed'),
      {
        title: 'Flaky: failed and passed under the same mutant',
        layout: 'names',
        findings: flaky.map((test) => ({ name: nameOf(withShortPath(test)), outcome: 'skipped' })),
      },
    ],
    notes: acceptanceNotes(acceptance),
    next:
      first === undefined
        ? [`Next: ${next}`]
        : [`Next: make a test fail under ${first.id}, then run ${repeatOf(first.id)}`],
    milliseconds,
    data: mutationData(found, verdict, options),
  }
}

const withStatus = (results: readonly ScoredMutant[], wanted: ScoredMutant['status']): readonly ScoredMutant[] =>
  results.filter(({ status }) => status === wanted)

const survivorFinding = (mutant: ScoredMutant, outcome: Outcome, repeatOf: ReportOptions['repeatOf']): Finding => ({
  name: mutant.id,
  outcome,
  text: mutants[mutant.id].does,
  section: ruleOf(mutant.id).section,
  effect: exercisedText(mutant),
  exchange: mutant.exchange,
  commands: [['Repeat', repeatOf(mutant.id)]],
})

const unreadFinding = (unread: readonly ScoredMutant[]): Finding => ({
  name: 'No test reads the response of a create',
  outcome: 'noted',
  text: plural(unread.length, 'mutant'),
  section: ruleOf('create.empty').section,
  reason: unread.map(({ id }) => id).join(', '),
})

const acceptedFinding = ({ id, reason }: ScoredMutant): Finding => ({
  name: id,
  outcome: 'skipped',
  section: ruleOf(id).section,
  ...(reason !== '' && { text: reason }),
})

const namedFinding = (mutant: ScoredMutant, outcome: Outcome): Finding => {
  const why = whyOf(mutant)
  return { name: mutant.id, outcome, section: ruleOf(mutant.id).section, ...(why !== '' && { reason: why }) }
}

const exercisedText = ({ exercisedBy }: ScoredMutant): string => {
  const files = [...new Set(exercisedBy.map((test) => withShortPath(test).file))]
  const more = files.length > 1 ? ` and ${plural(files.length - 1, 'more file')}` : ''
  return exercisedBy.length === 0
    ? 'exercised by the command'
    : `exercised by ${plural(exercisedBy.length, 'test')} in ${files[0]}${more}`
}
