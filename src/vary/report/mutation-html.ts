import { shellWord } from '../../util/shell.ts'
import { printable } from '../../util/terminal.ts'
import { escapeMarkup } from '../../util/text.ts'
import { mutants } from '../evidence/mutants.ts'
import { acceptanceText, type ReportedAcceptance } from './accepted.ts'
import {
  exercisedText,
  notCountedText,
  ruleOf,
  type ScoredMutant,
  type ScoredReport,
  scoreOf,
  scoresBySection,
  scoreText,
  survivorsIn,
} from './mutation-score.ts'

const style = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#1b1f1b;background:#fff}
table{border-collapse:collapse;width:100%}td:first-child{white-space:nowrap}td,th{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #ccc;vertical-align:top;overflow-wrap:anywhere}
pre{background:#f4f4f0;padding:.6rem;white-space:pre-wrap;margin:.3rem 0}p{overflow-wrap:anywhere}.survived,del{color:#a40000}.killed,ins{color:#1b5e20}del,ins{text-decoration:none}
@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#161816}pre{background:#222}.survived,del{color:#ff8a80}.killed,ins{color:#a5d6a7}}`

/** Renders the report as one page without scripts and external files. */
export const mutationHtml = ({ results, command }: ScoredReport, acceptance?: ReportedAcceptance): string => {
  const { killed, survived } = scoreOf(results)
  const title = scoreText(results)
  const sections = scoresBySection(results).map(
    (one) => `<tr><td>${escapeMarkup(one.title)}<td>${one.killed} of ${one.killed + one.survived}`,
  )
  const others = results.filter(({ status }) => status !== 'survived')
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}: mutants of the plant store</title><style>${style}</style>
<h1>${title}</h1>
<p>The tests of <code>${shown(command.map(shellWord).join(' '))}</code> kill ${killed} of ${killed + survived} mutants that they exercise.
${acceptanceText(acceptance)
  .map((line) => `<p>${shown(line)}\n`)
  .join('')}<h2>By section of the contract</h2><table><tr><th>Section<th>Killed${sections.join('\n')}</table>
<h2>Mutants</h2><table><tr><th>Status<th>Mutant${[...survivorsIn(results), ...others].map(rowOf).join('\n')}</table>
</html>
`
}

const rowOf = (mutant: ScoredMutant): string => {
  const { id, status, exchange } = mutant
  const note = notCountedText(mutant)
  const { section, statement } = ruleOf(id)
  const exchanged =
    exchange === undefined ? '' : `<pre>${[exchange.request, ...exchange.diff].map(lineOf).join('\n')}</pre>`
  return `<tr><td class="${status}">${statusText[status]}<td><b>${id}</b>: ${escapeMarkup(mutants[id].does)}<br>Contract ${section}: ${escapeMarkup(statement)}${note === undefined ? '' : `<br>${shown(note)}`}${exchanged}${testsOf(mutant)}`
}

const testsOf = (mutant: ScoredMutant): string => {
  const { status, killedBy } = mutant
  if (status === 'notExercised') return ''
  if (status !== 'killed' || killedBy.length === 0) return `<br>${shown(exercisedText(mutant))}`
  return `<br>killed by ${killedBy.map(({ name }) => `<q>${shown(name)}</q>`).join(', ')}`
}

const lineOf = (line: string): string => {
  const element = { '-': 'del', '+': 'ins' }[line.slice(0, 1)]
  return element === undefined ? shown(line) : `<${element}>${shown(line)}</${element}>`
}

/** Escapes text that comes from a client or its tests. */
const shown = (text: string): string => escapeMarkup(printable(text))

const statusText: Readonly<Record<ScoredMutant['status'], string>> = {
  survived: 'survived',
  tolerable: 'not counted',
  accepted: 'accepted',
  killed: 'killed',
  notExercised: 'not exercised',
  notJudged: 'not judged',
}
