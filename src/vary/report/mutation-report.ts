import { nameOf, type Paint, printable } from '../../util/terminal.ts'
import { plural } from '../../util/words.ts'
import { type MutantId, mutants } from '../evidence/mutants.ts'
import type { MutantReport, MutationReport } from '../search/search-mutants.ts'
import { withShortPath } from '../suite/test-result.ts'
import { exchangeText } from './exchange-text.ts'
import { mutationHtml } from './mutation-html.ts'
import { mutationJson } from './mutation-json.ts'
import { metText, ruleOf, scoreOf, scoresBySection, survivorsIn } from './mutation-score.ts'

type RenderOptions = {
  readonly reporter: 'text' | 'json' | 'html'
  readonly paint: Paint
  /** The least score with which the command succeeds, in percent. */
  readonly threshold: number
  readonly version: string
  /** The last line of text: the command to run next, after the survivor that most tests have met. */
  readonly next: (survivor: MutantId | undefined) => string
}

/** Renders the report for standard output. */
export const renderMutationReport = (report: MutationReport, options: RenderOptions): string => {
  const { reporter } = options
  if (reporter === 'json') return mutationJson(report, options)
  return reporter === 'html' ? mutationHtml(report) : asText(report, options)
}

const asText = (report: MutationReport, { paint, next }: RenderOptions): string => {
  const { results } = report
  const { killed, survived, score } = scoreOf(results)
  const survivors = survivorsIn(results)
  const sections = scoresBySection(results).filter((one) => one.killed + one.survived > 0)
  const width = Math.max(0, ...sections.map(({ title }) => title.length))
  return [
    ...(report.isStopped ? ['Stopped before everything was tried.'] : []),
    killed + survived === 0
      ? paint('red', 'No test met a mutant.')
      : paint(
          survived > 0 ? 'red' : 'green',
          `Score ${score} %: the tests kill ${killed} of ${plural(killed + survived, 'mutant')} that they meet.`,
        ),
    ...sections.map((one) => `  ${one.title.padEnd(width)}  ${one.killed} of ${one.killed + one.survived}`),
    '',
    ...survivors.flatMap((mutant) => [...survivorText(mutant, paint), '']),
    ...listed(results, 'notMet', 'not met (no response would change)'),
    ...listed(results, 'notJudged', 'not judged'),
    ...(report.flaky.length === 0
      ? []
      : [`Flaky, and not counted: ${report.flaky.map((test) => printable(nameOf(withShortPath(test)))).join(', ')}`]),
    `${plural(report.runs, 'run')}, ${plural(report.exchanges, 'exchange')}.`,
    next(survivors[0]?.id),
    '',
  ].join('\n')
}

const survivorText = (mutant: MutantReport, paint: Paint): readonly string[] => {
  const { id, exchange } = mutant
  const met = printable(metText(mutant))
  return [
    `${paint('red', 'survived')}  ${paint('bold', id)}: ${mutants[id].does} (contract ${ruleOf(id).section}) — ${met}`,
    ...(exchange === undefined ? [] : exchangeText(exchange, paint)),
  ]
}

const listed = (results: readonly MutantReport[], wanted: MutantReport['status'], label: string): readonly string[] => {
  const ids = results.flatMap(({ id, status }) => (status === wanted ? [id] : []))
  return ids.length === 0 ? [] : [`${ids.length} ${label}: ${ids.join(', ')}.`]
}
