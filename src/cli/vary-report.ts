import { type AssumptionId, findAssumption } from '../assumptions/registry.ts'
import type { Variation } from '../assumptions/variations.ts'
import { escapeXml } from '../util/junit.ts'
import type { Reporter } from './options.ts'
import type { RunResult } from './run-command.ts'

/** One variation that was tried. */
export type Tried = RunResult & {
  readonly variation: Variation
  /** The file with the output, kept for runs that failed. */
  readonly output: string | undefined
  /** The command that repeats just this run. */
  readonly repeat: string
}

export type VaryReport = {
  readonly command: readonly string[]
  readonly tried: readonly Tried[]
  /** How many variations there were to try: more than `tried` when it was stopped. */
  readonly planned: number
  readonly milliseconds: number
}

/** The report in one of its forms, for standard output. */
export const renderReport = (report: VaryReport, reporter: Reporter, colour: boolean): string =>
  ({ text: () => asText(report, colour), json: () => asJson(report), junit: () => asJunit(report) })[
    reporter
  ]()

/** The points that a variation changes. */
const changed = ({ assume }: Variation) =>
  Object.entries(assume).map(([id, value]) => {
    const row = findAssumption(id)
    return { id: id as AssumptionId, value, section: row?.section ?? '', relies: row?.relies ?? '' }
  })

const sectionsOf = (variation: Variation): string =>
  [...new Set(changed(variation).flatMap(({ section }) => section.split(', ')))].join(', ')

/** What the client seems to rely on. With several points changed at once, each of them may be the one. */
const reliance = (variation: Variation): string =>
  `The client seems to rely on ${[...new Set(changed(variation).map(({ relies }) => relies))].join(', or on ')}; the contract does not state that.`

const asText = (report: VaryReport, colour: boolean): string => {
  const paint = (code: number, text: string) => (colour ? `\u001B[${code}m${text}\u001B[0m` : text)
  const { tried, planned } = report
  const failed = tried.filter(({ passed }) => !passed)
  const rows = tried.flatMap(({ variation, passed }) =>
    changed(variation).map(({ id, value, section }, i) => [
      id,
      String(value),
      section,
      i === 0 ? (passed ? 'passed' : 'failed') : '',
    ]),
  )
  const paintResult = (result: string) => paint(result === 'failed' ? 31 : 32, result)
  return [
    ...table([['assumption', 'value', 'contract', 'result'], ...rows], paintResult),
    '',
    ...byAssumptions(failed).flatMap(([first, ...others]) => [
      paint(
        1,
        `${Object.keys(first.variation.assume).join(' ')}  (contract.md ${sectionsOf(first.variation)})`,
      ),
      `  ${reliance(first.variation)}`,
      ...[first, ...others].flatMap(({ variation, ending, output, repeat }) => [
        `  ${paint(31, variation.name)}: ${ending}`,
        ...(output === undefined ? [] : [`    Output  ${output}`]),
        `    Repeat  ${repeat}`,
      ]),
      '',
    ]),
    ...suspects(tried),
    summary(tried.length, failed, planned),
    '',
  ].join('\n')
}

/** Failures that change the same assumptions tell one story. */
const byAssumptions = (failed: readonly Tried[]): readonly (readonly [Tried, ...Tried[]])[] => {
  const groups = new Map<string, [Tried, ...Tried[]]>()
  for (const run of failed) {
    const key = Object.keys(run.variation.assume).join(' ')
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [run])
    else group.push(run)
  }
  return [...groups.values()]
}

const summary = (tried: number, failed: readonly Tried[], planned: number): string => {
  const of = tried === planned ? `${tried}` : `${tried} tried of ${planned}`
  if (tried === 0) return 'Stopped before any variation was tried.'
  if (failed.length === 0) return `None of ${of} variations breaks the client.`
  const names = byAssumptions(failed).map(([{ variation }]) => Object.keys(variation.assume).join('+'))
  const guilty = names.every((name) => !name.includes('+')) ? `: ${names.join(', ')}` : ''
  return `${failed.length} of ${of} variations ${failed.length === 1 ? 'breaks' : 'break'} the client${guilty}.`
}

/** Where each run changes several points: the values that are in failed runs and in no passed one. */
const suspects = (tried: readonly Tried[]): readonly string[] => {
  if (!tried.some(({ variation, passed }) => !passed && changed(variation).length > 1)) return []
  const namesIn = (passed: boolean) =>
    new Set(
      tried
        .filter((run) => run.passed === passed)
        .flatMap(({ variation }) => changed(variation).map(({ id, value }) => `${id}=${value}`)),
    )
  const innocent = namesIn(true)
  const guilty = [...namesIn(false)].filter((name) => !innocent.has(name))
  return guilty.length === 0
    ? ['No single value is in all failures alone: it takes two together.', '']
    : ['In failed runs alone:', ...guilty.map((name) => `  ${name}`), '']
}

const table = (
  rows: readonly (readonly string[])[],
  paintLast: (text: string) => string,
): readonly string[] => {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  return rows.map((row, i) => {
    const [last = ''] = row.slice(3)
    const cells = widths.map((width, column) => (row[column] ?? '').padEnd(width))
    return `${cells.join('  ')}  ${i === 0 || last === '' ? last : paintLast(last)}`.trimEnd()
  })
}

const asJson = ({ command, tried, planned, milliseconds }: VaryReport): string =>
  `${JSON.stringify(
    {
      command,
      planned,
      failed: tried.filter(({ passed }) => !passed).length,
      milliseconds: Math.round(milliseconds),
      runs: tried.map(({ variation, passed, ending, milliseconds, output, repeat }) => ({
        name: variation.name,
        assume: variation.assume,
        section: sectionsOf(variation),
        passed,
        ending,
        milliseconds: Math.round(milliseconds),
        ...(!passed && { relies: changed(variation).map(({ relies }) => relies), output, repeat }),
      })),
    },
    null,
    2,
  )}\n`

const asJunit = ({ tried, milliseconds }: VaryReport): string => {
  const seconds = (ms: number) => (ms / 1000).toFixed(3)
  const failed = tried.filter(({ passed }) => !passed).length
  const cases = tried.map(({ variation, passed, ending, milliseconds, output, repeat }) => {
    const open = `    <testcase classname="contract.md ${escapeXml(sectionsOf(variation))}" name="${escapeXml(variation.name)}" time="${seconds(milliseconds)}"`
    if (passed) return `${open}/>`
    const text = [`Output: ${output}`, `Repeat: ${repeat}`].join('\n')
    return `${open}>\n      <failure message="${escapeXml(`${ending}. ${reliance(variation)}`)}">${escapeXml(text)}</failure>\n    </testcase>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${tried.length}" failures="${failed}" time="${seconds(milliseconds)}">`,
    `  <testsuite name="plant-mock vary" tests="${tried.length}" failures="${failed}" time="${seconds(milliseconds)}">`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}
