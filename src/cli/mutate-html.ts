import { escapeMarkup } from '../util/escape-markup.ts'
import { mutants } from '../vary/mutants/mutants.ts'
import { metText, ruleOf, type ShownReport, scoreOf, scoresBySection, survivorsIn } from './mutate-score.ts'
import type { MutantReport } from './mutate-session.ts'

const style = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#1b1f1b;background:#fff}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #ccc;vertical-align:top}
pre{background:#f4f4f0;padding:.6rem;overflow:auto;margin:.3rem 0}.survived{color:#a40000}.killed{color:#1b5e20}
@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#161816}pre{background:#222}.survived{color:#ff8a80}.killed{color:#a5d6a7}}`

/** Renders the report as one page without scripts and without other files. */
export const mutationHtml = ({ results, command }: ShownReport): string => {
  const { killed, survived, score } = scoreOf(results)
  const sections = scoresBySection(results).map(
    (one) => `<tr><td>${escapeMarkup(one.title)}<td>${one.killed} of ${one.killed + one.survived}`,
  )
  const others = results.filter(({ status }) => status !== 'survived')
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Score ${score} %: mutants of the plant store</title><style>${style}</style>
<h1>Score ${score} %</h1>
<p>The tests of <code>${escapeMarkup(command.join(' '))}</code> kill ${killed} of ${killed + survived} mutants that they meet.
<h2>By section of the contract</h2><table><tr><th>Section<th>Killed${sections.join('\n')}</table>
<h2>Mutants</h2><table><tr><th>Status<th>Mutant<th>Tests${[...survivorsIn(results), ...others].map(rowOf).join('\n')}</table>
</html>
`
}

const rowOf = (mutant: MutantReport): string => {
  const { id, status, killedBy, exchange } = mutant
  const { section, statement } = ruleOf(id)
  const tests =
    status === 'killed' ? killedBy.map(({ name }) => escapeMarkup(name)).join('<br>') : escapeMarkup(metText(mutant))
  const shown =
    exchange === undefined ? '' : `<pre>${escapeMarkup([exchange.request, ...exchange.diff].join('\n'))}</pre>`
  return `<tr><td class="${status}">${statusText[status]}<td><b>${id}</b>: ${escapeMarkup(mutants[id].does)}<br>Contract ${section}: ${escapeMarkup(statement)}${shown}<td>${status === 'notMet' ? '' : tests}`
}

const statusText: Readonly<Record<MutantReport['status'], string>> = {
  survived: 'survived',
  killed: 'killed',
  notMet: 'not met',
  notJudged: 'not judged',
}
