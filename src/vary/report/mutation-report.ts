import { type Finding, renderReport, type Screen } from '../../util/report.ts'
import { nameOf } from '../../util/terminal.ts'
import { plural } from '../../util/words.ts'
import { type MutantId, mutants } from '../evidence/mutants.ts'
import { whyNotJudged } from '../search/judge.ts'
import { withShortPath } from '../suite/test-result.ts'
import { acceptanceText, type ReportedAcceptance } from './accepted.ts'
import { exchangeText } from './exchange-text.ts'
import { mutationJson } from './mutation-json.ts'
import {
  exercisedText,
  isAnyJudged,
  isDecided,
  ruleOf,
  type ScoredMutant,
  type ScoredReport,
  scoreOf,
  scoresBySection,
  scoreText,
  survivorsIn,
  tolerableText,
} from './mutation-score.ts'

type RenderOptions = {
  readonly reporter: 'text' | 'json'
  readonly screen: Screen
  /** The minimum score for the command to succeed, in percent. */
  readonly threshold: number
  readonly version: string
  /** The comparison with the file of `--accept`. Default: no comparison. */
  readonly acceptance?: ReportedAcceptance
  /** The shell command that runs the suite against this mutant again. */
  readonly repeatOf: (mutant: MutantId) => string
  /** The command to run next if no mutant survives. */
  readonly next: string
}

/** Renders the report for standard output. */
export const renderMutationReport = (report: ScoredReport, options: RenderOptions): string =>
  options.reporter === 'json' ? mutationJson(report, options) : asText(report, options)

/** The score; also says if the search was stopped. */
export const mutationVerdict = ({ results, isStopped }: Pick<ScoredReport, 'results' | 'isStopped'>): string => {
  const { killed, survived } = scoreOf(results)
  const counted = plural(killed + survived, 'mutant')
  const counts = killed + survived === 0 ? '' : `: the tests kill ${killed} of ${counted} that they exercise`
  return `${scoreText(results)}${counts}.${isStopped ? ' Stopped before everything was tried.' : ''}`
}

const asText = (report: ScoredReport, { screen, repeatOf, next, acceptance }: RenderOptions): string => {
  const { results } = report
  const survivors = survivorsIn(results)
  const sections = scoresBySection(results).filter((one) => one.killed + one.survived > 0)
  const isGood = survivors.length === 0 && isAnyJudged(results) && isDecided(results)
  return renderReport(
    {
      verdict: mutationVerdict(report),
      style: isGood ? 'green' : 'red',
      facts: [`${plural(report.runs, 'run')}, ${plural(report.exchanges, 'exchange')}.`],
      sections: [
        {
          title: 'Killed, by section',
          rows: sections.map((one) => [one.title, `${one.killed} of ${one.killed + one.survived}`]),
        },
        { title: 'Survived', findings: survivors.map((mutant) => survivorFinding(mutant, screen, repeatOf)) },
        { title: 'Accepted', findings: results.filter(isAccepted).map(acceptedFinding) },
        { title: `Not counted: ${tolerableText}`, sentences: listed(results, 'tolerable') },
        { title: 'Not exercised: no response would change', sentences: listed(results, 'notExercised') },
        { title: 'Not judged', sentences: notJudgedTexts(results) },
        {
          title: 'Flaky: failed and passed under the same mutant',
          sentences: report.flaky.map((test) => nameOf(withShortPath(test))),
        },
      ],
      notes: acceptanceText(acceptance),
      next:
        survivors[0] === undefined
          ? [`Next: ${next}`]
          : [`Next: make a test fail under ${survivors[0].id}, then run ${repeatOf(survivors[0].id)}`],
    },
    screen,
  )
}

const survivorFinding = (mutant: ScoredMutant, { paint }: Screen, repeatOf: RenderOptions['repeatOf']): Finding => {
  const { id, exchange } = mutant
  return {
    name: id,
    style: 'red',
    text: mutants[id].does,
    section: ruleOf(id).section,
    effect: exercisedText(mutant),
    details: [...(exchange === undefined ? [] : exchangeText(exchange, paint)), `Repeat  ${repeatOf(id)}`],
  }
}

const isAccepted = ({ status }: ScoredMutant): boolean => status === 'accepted'

const acceptedFinding = ({ id, reason }: ScoredMutant): Finding => ({
  name: id,
  ...(reason !== '' && { text: reason }),
})

const listed = (results: readonly ScoredMutant[], wanted: ScoredMutant['status']): readonly string[] => {
  const ids = results.flatMap(({ id, status }) => (status === wanted ? [id] : []))
  return ids.length === 0 ? [] : [ids.join(', ')]
}

const notJudgedTexts = (results: readonly ScoredMutant[]): readonly string[] =>
  Object.entries(whyNotJudged).flatMap(([reason, why]) =>
    listed(
      results.filter(({ notJudged }) => notJudged === reason),
      'notJudged',
    ).map((ids) => `${ids}: ${why}`),
  )
