import { type Assumption, findAssumption } from '../assumptions/registry.ts'
import type { Variation } from '../assumptions/variations.ts'
import { contractCommand, sectionsIn } from '../contract/citation.ts'
import { renderJunit } from '../util/junit.ts'
import { type Paint, painter, printableJson } from '../util/terminal.ts'
import { plural } from '../util/words.ts'
import type { Reporter } from './options.ts'
import type { SuiteResult } from './run-suite.ts'

/** The result of the test suite under one variation. */
export type VariationResult = SuiteResult & {
  readonly variation: Variation
  /** The file with the output of a failed run. */
  readonly output: string | undefined
  /** The shell command that repeats this run. */
  readonly repeat: string
}

type Results = readonly VariationResult[]

export type VaryReport = {
  readonly command: readonly string[]
  readonly results: Results
  /** The number of planned variations: more than `results` when the command was stopped. */
  readonly planned: number
  readonly milliseconds: number
}

/** Renders the report for standard output. */
export const renderReport = (report: VaryReport, reporter: Reporter, colour: boolean): string => {
  const render = { text: asText, json: asJson, junit: asJunit }[reporter]
  return render(report, painter(colour))
}

/** The changed assumptions, with their new values. */
const changesIn = (results: Results) =>
  results.flatMap(({ variation }) =>
    Object.entries(variation.assume).map(([id, value]) => ({ ...(findAssumption(id) as Assumption), value })),
  )

/** The contract sections of the changed assumptions, such as `4.1` and `7`. */
const sectionsOf = (results: Results): readonly string[] => [
  ...new Set(changesIn(results).flatMap(({ section }) => sectionsIn(section))),
]

const citation = (results: Results): string => `contract ${sectionsOf(results).join(', ')}`

/** With several changed assumptions, each of them may be the cause. */
const reliance = (results: Results): string => {
  const relied = new Set(changesIn(results).map(({ relies }) => relies))
  return `The client seems to rely on ${[...relied].join(', or on ')}; the contract does not state that.`
}

const failedIn = (results: Results): Results => results.filter(({ passed }) => !passed)

const asText = ({ results, planned }: VaryReport, paint: Paint): string => {
  const failed = failedIn(results)
  return [
    ...resultTable(results, paint),
    '',
    ...changedSets(failed).flatMap((ids) => failureText(ids, failed, paint)),
    ...suspects(results),
    summary(results, planned),
    ...(failed.length === 0
      ? []
      : [`Read a section of the contract: ${contractCommand(sectionsOf(failed).join(','))}`]),
    '',
  ].join('\n')
}

const resultTable = (results: Results, paint: Paint): readonly string[] => {
  const rows = results.flatMap((result) => {
    const verdict = result.passed ? paint('green', 'passed') : paint('red', 'failed')
    return changesIn([result]).map(({ id, value, section }, i) => [id, String(value), section, i === 0 ? verdict : ''])
  })
  const table = [['assumption', 'value', 'contract', 'result'], ...rows]
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)))
  const pad = (cell: string, column: number) => cell.padEnd(widths[column] ?? 0)
  return table.map((cells) => cells.map(pad).join('  ').trimEnd())
}

const changedSet = ({ variation }: VariationResult): string => Object.keys(variation.assume).join(' ')

/** The sets of assumptions that were changed: failures of one set have the same probable cause. */
const changedSets = (results: Results): readonly string[] => [...new Set(results.map(changedSet))]

const failureText = (ids: string, failed: Results, paint: Paint): readonly string[] => {
  const group = failed.filter((result) => changedSet(result) === ids)
  return [
    `${paint('bold', ids)}  (${citation(group)})`,
    `  ${reliance(group)}`,
    ...group.flatMap(({ variation, outcome, output, repeat }) => [
      `  ${paint('red', variation.name)}: ${outcome}`,
      `    Output  ${output}`,
      `    Repeat  ${repeat}`,
    ]),
    '',
  ]
}

const changesOne = ({ variation }: VariationResult): boolean => Object.keys(variation.assume).length === 1

/** Where a run changes several assumptions: the values that occur in failed runs only. */
const suspects = (results: Results): readonly string[] => {
  if (failedIn(results).every(changesOne)) return []
  const valuesIn = (passed: boolean) => {
    const changes = changesIn(results.filter((result) => result.passed === passed))
    return new Set(changes.map(({ id, value }) => `${id}=${value}`))
  }
  const passing = valuesIn(true)
  const onlyFailing = [...valuesIn(false)].filter((value) => !passing.has(value))
  return onlyFailing.length === 0
    ? ['No single value occurs only in failed runs: a combination of values breaks the client.', '']
    : ['Only in failed runs:', ...onlyFailing.map((value) => `  ${value}`), '']
}

const summary = (results: Results, planned: number): string => {
  if (results.length === 0) return 'Stopped before the first variation ended.'
  const failed = failedIn(results)
  const total =
    results.length < planned
      ? `the ${plural(results.length, 'variation')} tried (${planned} planned)`
      : plural(planned, 'variation')
  if (failed.length === 0) return `None of ${total} breaks the client.`
  // With several assumptions in a variation, the cause is not known.
  const causes = failed.every(changesOne) ? `: ${changedSets(failed).join(', ')}` : ''
  return `${failed.length} of ${total} ${failed.length === 1 ? 'breaks' : 'break'} the client${causes}.`
}

const asJson = ({ command, results, planned, milliseconds }: VaryReport): string => {
  const runs = results.map((result) => {
    const { variation, passed, outcome, output, repeat } = result
    const section = sectionsOf([result]).join(', ')
    const relies = changesIn([result]).map(({ relies }) => relies)
    const run = { ...variation, section, passed, outcome, milliseconds: Math.round(result.milliseconds) }
    return passed ? run : { ...run, relies, output, repeat }
  })
  const failed = failedIn(results).length
  return `${printableJson({ command, planned, failed, milliseconds: Math.round(milliseconds), runs }, 2)}\n`
}

const asJunit = ({ results, milliseconds }: VaryReport): string => {
  const cases = results.map((result) => {
    const { variation, passed, outcome, output, repeat } = result
    const failure = { message: `${outcome}. ${reliance([result])}`, text: `Output: ${output}\nRepeat: ${repeat}` }
    const run = { classname: citation([result]), name: variation.name, time: result.milliseconds / 1000 }
    return passed ? run : { ...run, failure }
  })
  return renderJunit([{ name: 'plant-mock vary', time: milliseconds / 1000, cases }])
}
