import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderReport } from '../../src/util/render-report.ts'
import type { Finding, Report } from '../../src/util/report.ts'
import { plain } from '../../src/util/terminal.ts'
import { reportOf } from '../support/report-value.ts'

const report: Report = {
  command: 'vary',
  verdict: 'Two things differ, which the sections below describe in as many words as they need.',
  style: 'red',
  facts: ['3 runs, 4 exchanges.'],
  sections: [
    { title: 'Nothing' },
    {
      title: 'Changed',
      findings: [
        {
          ...{ name: 'create.status', outcome: 'failed', text: 'was 201, is 200', section: '4.1' },
          ...{ effect: 'breaks 1 test', reason: 'Because of a reason.' },
          tests: [{ file: 'a.js', line: 7, name: 'creates', message: 'one "two"\n\nthree' }],
          exchange: { request: 'POST /plants', diff: ['- 201', '+ 200'] },
          commands: [['Repeat', 'npx plant-mock']],
        },
        { name: 'list.order', outcome: 'noted', text: 'was added' },
      ],
    },
    {
      title: 'Set',
      layout: 'rows',
      findings: [
        {
          name: 'a=1',
          outcome: 'passed',
          reason: 'a place that is far too long for the rest of a line of this terminal',
        },
        { name: 'list.order=newest', outcome: 'passed', reason: 'here' },
      ],
    },
    {
      title: 'Not judged',
      layout: 'names',
      maxNames: 2,
      findings: ['b', 'c', 'd'].map((name) => ({ name, outcome: 'skipped', reason: 'no <list>' })),
    },
    { title: 'Kept', layout: 'hidden', findings: [{ name: 'e\u0000 \uD800', outcome: 'passed' }] },
  ],
  notes: ['A note.'],
  next: ['Next: npx plant-mock vary --only create.status=200 -- npx vitest run test/plants.test.ts test/more.test.ts'],
  milliseconds: 1000,
  data: { verdict: 'Two', a: 1 },
}
const text = (report: Report, width?: number) => renderReport(report, 'text', { paint: plain, width })

describe('a report', () => {
  it('has as text 80 columns in a pipe, apart from commands: verdict, counts, sections, notes, and what to do', () => {
    expect(text(report)).toMatchInlineSnapshot(`
      "Two things differ, which the sections below describe in as many words as they
      need.
      3 runs, 4 exchanges.

      Changed
        create.status: was 201, is 200 (contract 4.1) — breaks 1 test
          Because of a reason.
          a.js:7  creates
            one "two"
            three
          POST /plants
            - 201
            + 200
          Repeat  npx plant-mock
        list.order: was added

      Set
        a=1                a place that is far too long for the rest of a line of
                           this terminal
        list.order=newest  here

      Not judged
        b, c and 1 more: no <list>

      A note.

      Next: npx plant-mock vary --only create.status=200 -- npx vitest run test/plants.test.ts test/more.test.ts
      "
    `)
  })

  it('keeps to the width of a terminal', () => {
    const lines = text(report, 60).split('\n')
    expect(lines.filter((line) => line.length > 60)).toEqual(report.next)
  })

  it('has as JUnit a case for each finding, in one suite that says the verdict', () => {
    expect(renderReport(report, 'junit', { paint: plain }).split('\n')).toMatchInlineSnapshot(`
      [
        "<?xml version="1.0" encoding="UTF-8"?>",
        "<testsuites tests="8" failures="1" skipped="3" time="1.000">",
        "  <testsuite name="plant-mock vary" tests="8" failures="1" skipped="3" time="1.000">",
        "    <testcase classname="contract 4.1" name="create.status"><failure message="Changed: was 201, is 200; breaks 1 test; Because of a reason.">a.js:7  creates&#10;  one &quot;two&quot;&#10;  three&#10;POST /plants&#10;- 201&#10;+ 200&#10;Repeat: npx plant-mock</failure></testcase>",
        "    <testcase classname="plant-mock vary" name="list.order"><system-out>Changed: was added</system-out></testcase>",
        "    <testcase classname="plant-mock vary" name="a=1"><system-out>Set: a place that is far too long for the rest of a line of this terminal</system-out></testcase>",
        "    <testcase classname="plant-mock vary" name="list.order=newest"><system-out>Set: here</system-out></testcase>",
        "    <testcase classname="plant-mock vary" name="b"><skipped message="Not judged: no &lt;list&gt;"/></testcase>",
        "    <testcase classname="plant-mock vary" name="c"><skipped message="Not judged: no &lt;list&gt;"/></testcase>",
        "    <testcase classname="plant-mock vary" name="d"><skipped message="Not judged: no &lt;list&gt;"/></testcase>",
        "    <testcase classname="plant-mock vary" name="e\\u0000 �"><system-out>Kept</system-out></testcase>",
        "    <system-out>Two things differ, which the sections below describe in as many words as they need.&#10;3 runs, 4 exchanges.&#10;A note.&#10;Next: npx plant-mock vary --only create.status=200 -- npx vitest run test/plants.test.ts test/more.test.ts</system-out>",
        "  </testsuite>",
        "</testsuites>",
        "",
      ]
    `)
  })

  it('is as JSON its data', () => {
    expect(JSON.parse(renderReport(report, 'json', { paint: plain }))).toEqual(report.data)
  })

  it('paints the verdict, titles, names and differences, and adds no words', () => {
    const painted = renderReport(report, 'text', { paint: (style, text) => `<${style}>${text}</${style}>` })
    expect(painted).toContain('<green>  + 200</green>')
    expect(painted.replaceAll(/<\/?(?!list)\w+>/g, '')).toBe(text(report))
  })

  const failed = (name: string, message: string) => ({ file: 'a.js', name, message })
  const long = Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n')
  const exchange = { request: 'GET /plants', diff: ['  200', ...Array(4).fill('- a'), ...Array(4).fill('+ b')] }
  it.each<readonly [string, Partial<Finding>, readonly string[]]>([
    [
      'the tests that fit, and the number of further tests',
      { tests: [failed('one', 'short'), failed('two', long), failed('three', long), failed('four', long)] },
      [
        ...['    a.js  one', '      short', '    a.js  two', '      line 0', '      line 1', '      line 2'],
        ...['      line 3', '    …', '    and 2 more tests'],
      ],
    ],
    [
      'a part of each, with a long message and both sides of a long exchange',
      { tests: [failed('one', long)], exchange, commands: [['Repeat', 'npx plant-mock']] },
      [
        ...['    a.js  one', '      line 0', '      line 1', '    …'],
        ...['    GET /plants', '      - a', '      + b', '      + b', '    Repeat  npx plant-mock'],
      ],
    ],
  ])('shows in ten lines of a finding %s', (_, more, lines) => {
    const found = text(reportOf([{ name: 'a', outcome: 'failed', ...more }]))
    expect(found).toBe(['One guess.', '', 'Relied on', '  a', ...lines, ''].join('\n'))
  })

  it('does not repeat the tests of the finding above', () => {
    const tests = [failed('one', 'short')]
    const found = text(reportOf(['a', 'b'].map((name) => ({ name, outcome: 'failed', tests }))))
    expect(found).toContain('\n  b\n    the same tests\n')
  })

  it('keeps every word, in order, at any width', () => {
    const words = fc
      .array(fc.stringMatching(/^[\w"$]{1,12}$/), { minLength: 1, maxLength: 8 })
      .map((all) => all.join(' '))
    fc.assert(
      fc.property(words, words, words, fc.integer({ min: 1, max: 200 }), (verdict, name, reason, width) => {
        const finding = { name, outcome: 'failed', reason } as const
        const sections = [
          { title: 'Found', findings: [finding] },
          { title: 'Rows', layout: 'rows' as const, findings: [finding] },
        ]
        const shown = text(reportOf([], { verdict, sections }), width)
        const expected = `${verdict} Found ${name} ${reason} Rows ${name} ${reason}`
        expect(shown.split(/\s+/).filter(Boolean)).toEqual(expected.split(/\s+/))
      }),
    )
  })
})
