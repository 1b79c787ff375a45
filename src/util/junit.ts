import { printableLines } from './terminal.ts'
import { escapeMarkup } from './text.ts'

/** One test case of a JUnit report. Without `failure` and `skipped`, it passed. */
export type JunitCase = {
  readonly classname: string
  readonly name: string
  /** In seconds. */
  readonly time?: number
  readonly failure?: { readonly message: string; readonly text: string }
  readonly skipped?: string
  /** Shown as the standard output of a passed case. */
  readonly output?: string
}

export type JunitSuite = {
  readonly name: string
  /** In seconds. */
  readonly time?: number
  readonly cases: readonly JunitCase[]
}

export const renderJunit = (suites: readonly JunitSuite[]): string => {
  const cases = suites.flatMap((suite) => suite.cases)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts(cases, totalTime(suites))}>`,
    ...suites.flatMap(renderSuite),
    '</testsuites>',
    '',
  ].join('\n')
}

const totalTime = (suites: readonly JunitSuite[]): number | undefined =>
  suites.every(({ time }) => time === undefined) ? undefined : suites.reduce((sum, { time = 0 }) => sum + time, 0)

const renderSuite = ({ name, time, cases }: JunitSuite): readonly string[] => [
  `  <testsuite name="${escapeXml(name)}" ${counts(cases, time)}>`,
  ...cases.map(renderCase),
  '  </testsuite>',
]

const counts = (cases: readonly JunitCase[], time: number | undefined): string => {
  const failures = cases.filter(({ failure }) => failure !== undefined).length
  const skipped = cases.filter((one) => one.skipped !== undefined).length
  return `tests="${cases.length}" failures="${failures}" skipped="${skipped}"${timeAttribute(time)}`
}

const timeAttribute = (time: number | undefined): string => (time === undefined ? '' : ` time="${time.toFixed(3)}"`)

const renderCase = ({ classname, name, time, failure, skipped, output }: JunitCase): string => {
  const open = `    <testcase classname="${escapeXml(classname)}" name="${escapeXml(name)}"${timeAttribute(time)}`
  if (failure !== undefined)
    return `${open}><failure message="${escapeXml(failure.message)}">${escapeXml(failure.text)}</failure></testcase>`
  if (skipped !== undefined) return `${open}><skipped message="${escapeXml(skipped)}"/></testcase>`
  return output === undefined ? `${open}/>` : `${open}><system-out>${escapeXml(output)}</system-out></testcase>`
}

/** Escapes terminal controls as in JSON; characters that XML 1.0 (2.2) excludes become U+FFFD. */
const escapeXml = (text: string): string =>
  escapeMarkup(
    printableLines(text)
      .toWellFormed()
      .replaceAll(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD'),
  ).replaceAll('\n', '&#10;')
