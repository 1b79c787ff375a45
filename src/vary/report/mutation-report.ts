import { nameOf, type Paint, printable } from '../../util/terminal.ts'
import { plural } from '../../util/words.ts'
import { type MutantId, mutants } from '../evidence/mutants.ts'
import { whyNotJudged } from '../search/trials.ts'
import { withShortPath } from '../suite/test-result.ts'
import { acceptanceText, type ReportedAcceptance } from './accepted.ts'
import { exchangeText } from './exchange-text.ts'
import { mutationHtml } from './mutation-html.ts'
import { mutationJson } from './mutation-json.ts'
import {
  isAnyJudged,
  isDecided,
  metText,
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
  readonly reporter: 'text' | 'json' | 'html'
  readonly paint: Paint
  /** The least score with which the command succeeds, in percent. */
  readonly threshold: number
  readonly version: string
  /** The comparison with the file of `--accept`. Default: none was made. */
  readonly acceptance?: ReportedAcceptance
  /** The last line of text: the command to run next, after the survivor that most tests have met. */
  readonly next: (survivor: MutantId | undefined) => string
}

/** Renders the report for standard output. */
export const renderMutationReport = (report: ScoredReport, options: RenderOptions): string => {
  const { reporter } = options
  if (reporter === 'json') return mutationJson(report, options)
  return reporter === 'html' ? mutationHtml(report, options.acceptance) : asText(report, options)
}

const asText = (report: ScoredReport, { paint, next, acceptance }: RenderOptions): string => {
  const { results } = report
  const { killed, survived } = scoreOf(results)
  const survivors = survivorsIn(results)
  const counted = plural(killed + survived, 'mutant')
  const counts = killed + survived === 0 ? '' : `: the tests kill ${killed} of ${counted} that they meet`
  const sections = scoresBySection(results).filter((one) => one.killed + one.survived > 0)
  const width = Math.max(0, ...sections.map(({ title }) => title.length))
  return [
    ...(report.isStopped ? ['Stopped before everything was tried.'] : []),
    paint(
      survivors.length > 0 || !isAnyJudged(results) || !isDecided(results) ? 'red' : 'green',
      `${scoreText(results)}${counts}.`,
    ),
    ...sections.map((one) => `  ${one.title.padEnd(width)}  ${one.killed} of ${one.killed + one.survived}`),
    '',
    ...survivors.flatMap((mutant) => [...survivorText(mutant, paint), '']),
    ...results.flatMap((mutant) => (mutant.status === 'accepted' ? [acceptedText(mutant)] : [])),
    ...listed(results, 'tolerable', `survived and not counted (${tolerableText})`),
    ...listed(results, 'notMet', 'not met (no response would change)'),
    ...Object.entries(whyNotJudged).flatMap(([reason, why]) =>
      listed(
        results.filter(({ notJudged }) => notJudged === reason),
        'notJudged',
        `not judged (${why})`,
      ),
    ),
    ...(report.flaky.length === 0
      ? []
      : [`Flaky, and not counted: ${report.flaky.map((test) => printable(nameOf(withShortPath(test)))).join(', ')}`]),
    ...acceptanceText(acceptance),
    `${plural(report.runs, 'run')}, ${plural(report.exchanges, 'exchange')}.`,
    next(survivors[0]?.id),
    '',
  ].join('\n')
}

const survivorText = (mutant: ScoredMutant, paint: Paint): readonly string[] => {
  const { id, exchange } = mutant
  const met = printable(metText(mutant))
  return [
    `${paint('red', 'survived')}  ${paint('bold', id)}: ${mutants[id].does} (contract ${ruleOf(id).section}) — ${met}`,
    ...(exchange === undefined ? [] : exchangeText(exchange, paint)),
  ]
}

const listed = (results: readonly ScoredMutant[], wanted: ScoredMutant['status'], label: string): readonly string[] => {
  const ids = results.flatMap(({ id, status }) => (status === wanted ? [id] : []))
  return ids.length === 0 ? [] : [`${ids.length} ${label}: ${ids.join(', ')}.`]
}

const acceptedText = ({ id, reason }: ScoredMutant): string =>
  `accepted  ${id}${reason === '' ? '' : `: ${printable(reason)}`}`
