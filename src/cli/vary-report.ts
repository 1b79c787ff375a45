import { findAssumption } from '../assumptions/registry.ts'
import type { Variation } from '../assumptions/variations.ts'
import { renderJunit } from '../util/junit.ts'
import { type Paint, painter } from '../util/terminal.ts'
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

export type VaryReport = {
  readonly command: readonly string[]
  readonly results: readonly VariationResult[]
  /** The number of planned variations: more than `results` when the command was stopped. */
  readonly planned: number
  readonly milliseconds: number
}

/** Renders the report for standard output. */
export const renderReport = (report: VaryReport, reporter: Reporter, colour: boolean): string =>
  renderers[reporter](report, painter(colour))

type ChangedValue = {
  readonly id: string
  readonly value: unknown
  readonly section: string
  readonly relies: string
}

const changedValues = ({ assume }: Variation): readonly ChangedValue[] =>
  Object.entries(assume).map(([id, value]) => {
    const row = findAssumption(id)
    return { id, value, section: row?.section ?? '', relies: row?.relies ?? '' }
  })

/** The contract sections of the changed assumptions, such as `4.1, 7`. */
const sectionsOf = (...variations: readonly Variation[]): readonly string[] => [
  ...new Set(variations.flatMap(changedValues).flatMap(({ section }) => section.split(', '))),
]

const citation = (variation: Variation): string => `contract ${sectionsOf(variation).join(', ')}`

/** With several changed assumptions, each of them may be the cause. */
const reliance = (variation: Variation): string =>
  `The client seems to rely on ${[...new Set(changedValues(variation).map(({ relies }) => relies))].join(', or on ')}; the contract does not state that.`

const failedIn = (results: readonly VariationResult[]) => results.filter(({ passed }) => !passed)

const asText = ({ results, planned }: VaryReport, paint: Paint): string => {
  const failed = failedIn(results)
  return [
    ...resultTable(results, paint),
    '',
    ...byAssumptions(failed).flatMap((group) => failureText(group, paint)),
    ...suspects(results),
    summary(results, planned),
    ...(failed.length === 0 ? [] : [readMore(failed)]),
    '',
  ].join('\n')
}

const failureText = (group: readonly [VariationResult, ...VariationResult[]], paint: Paint) => {
  const [{ variation: first }] = group
  return [
    `${paint('bold', Object.keys(first.assume).join(' '))}  (${citation(first)})`,
    `  ${reliance(first)}`,
    ...group.flatMap(({ variation, outcome, output, repeat }) => [
      `  ${paint('red', variation.name)}: ${outcome}`,
      ...(output === undefined ? [] : [`    Output  ${output}`]),
      `    Repeat  ${repeat}`,
    ]),
    '',
  ]
}

/** Groups failures that change the same assumptions: they have the same probable cause. */
const byAssumptions = (
  failed: readonly VariationResult[],
): readonly (readonly [VariationResult, ...VariationResult[]])[] => {
  const groups = new Map<string, [VariationResult, ...VariationResult[]]>()
  for (const result of failed) {
    const key = Object.keys(result.variation.assume).join(' ')
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [result])
    else group.push(result)
  }
  return [...groups.values()]
}

const summary = (results: readonly VariationResult[], planned: number): string => {
  if (results.length === 0) return 'Stopped before the first variation ended.'
  const failed = failedIn(results)
  const total =
    results.length < planned
      ? `the ${plural(results.length, 'variation')} tried (${planned} planned)`
      : plural(planned, 'variation')
  if (failed.length === 0) return `None of ${total} breaks the client.`
  const changed = byAssumptions(failed).map(([{ variation }]) => Object.keys(variation.assume))
  // With several assumptions in a variation, the cause is not known.
  const causes = changed.every(({ length }) => length === 1) ? `: ${changed.join(', ')}` : ''
  return `${failed.length} of ${total} ${failed.length === 1 ? 'breaks' : 'break'} the client${causes}.`
}

const readMore = (failed: readonly VariationResult[]): string => {
  const sections = sectionsOf(...failed.map(({ variation }) => variation))
  return `Read a section of the contract: npx plant-mock contract ${sections.join(',')}`
}

/** Where a run changes several assumptions: the values that occur in failed runs only. */
const suspects = (results: readonly VariationResult[]): readonly string[] => {
  if (!results.some(({ variation, passed }) => !passed && changedValues(variation).length > 1)) return []
  const valuesIn = (passed: boolean) =>
    new Set(
      results
        .filter((result) => result.passed === passed)
        .flatMap(({ variation }) => changedValues(variation).map(({ id, value }) => `${id}=${value}`)),
    )
  const passing = valuesIn(true)
  const onlyFailing = [...valuesIn(false)].filter((value) => !passing.has(value))
  return onlyFailing.length === 0
    ? ['No single value occurs only in failed runs: a combination of values breaks the client.', '']
    : ['Only in failed runs:', ...onlyFailing.map((value) => `  ${value}`), '']
}

const resultTable = (results: readonly VariationResult[], paint: Paint): readonly string[] => {
  const rows = results.flatMap(({ variation, passed }) =>
    changedValues(variation).map(({ id, value, section }, i) => ({
      cells: [id, String(value), section],
      result: i > 0 ? '' : passed ? paint('green', 'passed') : paint('red', 'failed'),
    })),
  )
  const table = [{ cells: ['assumption', 'value', 'contract'], result: 'result' }, ...rows]
  const widths = [0, 1, 2].map((column) => Math.max(...table.map(({ cells }) => (cells[column] ?? '').length)))
  return table.map(({ cells, result }) =>
    [...cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)), result].join('  ').trimEnd(),
  )
}

const asJson = ({ command, results, planned, milliseconds }: VaryReport): string =>
  `${JSON.stringify(
    {
      command,
      planned,
      failed: failedIn(results).length,
      milliseconds: Math.round(milliseconds),
      runs: results.map(({ variation, passed, outcome, milliseconds, output, repeat }) => ({
        name: variation.name,
        assume: variation.assume,
        section: sectionsOf(variation).join(', '),
        passed,
        outcome,
        milliseconds: Math.round(milliseconds),
        ...(!passed && { relies: changedValues(variation).map(({ relies }) => relies), output, repeat }),
      })),
    },
    null,
    2,
  )}\n`

const asJunit = ({ results, milliseconds }: VaryReport): string =>
  renderJunit([
    {
      name: 'plant-mock vary',
      time: milliseconds / 1000,
      cases: results.map(({ variation, passed, outcome, milliseconds, output, repeat }) => ({
        classname: citation(variation),
        name: variation.name,
        time: milliseconds / 1000,
        ...(!passed && {
          failure: {
            message: `${outcome}. ${reliance(variation)}`,
            text: `Output: ${output}\nRepeat: ${repeat}`,
          },
        }),
      })),
    },
  ])

const renderers: Readonly<Record<Reporter, (report: VaryReport, paint: Paint) => string>> = {
  text: asText,
  json: asJson,
  junit: asJunit,
}
