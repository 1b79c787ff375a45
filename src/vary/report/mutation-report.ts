import { exchangeText, suiteCommand, withShortPath } from '../../cli/repeat-command.ts'
import { nameOf, type Paint, printable } from '../../util/terminal.ts'
import { plural } from '../../util/words.ts'
import { mutants } from '../evidence/mutants.ts'
import type { MutantReport } from '../search/search-mutants.ts'
import { mutationHtml } from './mutation-html.ts'
import { mutationJson } from './mutation-json.ts'
import { metText, ruleOf, type ShownReport, scoreOf, scoresBySection, survivorsIn } from './mutation-score.ts'

/** Renders the report for standard output. */
export const renderMutationReport = (report: ShownReport, reporter: 'text' | 'json' | 'html', paint: Paint): string => {
  if (reporter === 'json') return mutationJson(report)
  return reporter === 'html' ? mutationHtml(report) : asText(report, paint)
}

const asText = (report: ShownReport, paint: Paint): string => {
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
    nextText(report, survivors),
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

/** The one command to run next. */
const nextText = ({ line }: ShownReport, [survivor]: readonly MutantReport[]): string =>
  survivor === undefined
    ? `Next: ${suiteCommand(line, 'vary')}`
    : `Next: let a test fail under ${survivor.id}, then run ${suiteCommand(line, 'mutate', [survivor.id])}`
