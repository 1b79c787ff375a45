import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Report, renderReport } from '../../src/util/report.ts'
import { plain } from '../../src/util/terminal.ts'

const report: Report = {
  verdict: 'Two things differ, which the sections below describe in as many words as they need.',
  style: 'red',
  facts: ['3 runs, 4 exchanges.'],
  sections: [
    { title: 'Nothing' },
    {
      title: 'Changed',
      findings: [
        {
          ...{ name: 'create.status', text: 'was 201, is 200, and the sentence goes on', section: '4.1' },
          ...{ effect: 'breaks 1 test', reasons: ['Because of a reason.'], details: ['Repeat  npx plant-mock'] },
        },
      ],
    },
    {
      title: 'Set',
      rows: [
        ['a=1', 'a place that is far too long for the rest of one line of this terminal'],
        ['list.order=newest', 'here'],
      ],
    },
  ],
  notes: ['A note.'],
  next: ['Next: npx plant-mock vary --only create.status=200 -- npx vitest run test/plants.test.ts'],
}

describe('a report', () => {
  it('has the verdict first, then counts, sections that hold something, notes, and what to do', () => {
    expect(renderReport(report, { paint: plain })).toMatchInlineSnapshot(`
      "Two things differ, which the sections below describe in as many words as they need.
      3 runs, 4 exchanges.

      Changed
        create.status: was 201, is 200, and the sentence goes on (contract 4.1) — breaks 1 test
          Because of a reason.
          Repeat  npx plant-mock

      Set
        a=1                a place that is far too long for the rest of one line of this terminal
        list.order=newest  here

      A note.

      Next: npx plant-mock vary --only create.status=200 -- npx vitest run test/plants.test.ts
      "
    `)
  })

  it('keeps to the width of the terminal, apart from details and commands', () => {
    expect(renderReport(report, { paint: plain, width: 60 })).toMatchInlineSnapshot(`
      "Two things differ, which the sections below describe in as
      many words as they need.
      3 runs, 4 exchanges.

      Changed
        create.status: was 201, is 200, and the sentence goes on
          (contract 4.1) — breaks 1 test
          Because of a reason.
          Repeat  npx plant-mock

      Set
        a=1                a place that is far too long for the
                           rest of one line of this terminal
        list.order=newest  here

      A note.

      Next: npx plant-mock vary --only create.status=200 -- npx vitest run test/plants.test.ts
      "
    `)
  })

  it('paints the verdict, titles and names, and nothing that has no words of its own', () => {
    const painted = renderReport(report, { paint: (style, text) => `<${style}>${text}</${style}>` })
    expect(painted.replaceAll(/<\/?\w+>/g, '')).toBe(renderReport(report, { paint: plain }))
  })

  it('keeps every word, in order, at any width', () => {
    const words = fc
      .array(fc.stringMatching(/^[\w"$]{1,12}$/), { minLength: 1, maxLength: 20 })
      .map((all) => all.join(' '))
    fc.assert(
      fc.property(words, words, words, fc.integer({ min: 1, max: 200 }), (verdict, name, text, width) => {
        const sections = [
          { title: 'Found', findings: [{ name, text, style: 'red' as const }], rows: [[name, text]] as const },
        ]
        const shown = renderReport(
          { ...report, verdict, sections, facts: [], notes: [], next: [] },
          { paint: plain, width },
        )
        const expected = `${verdict} Found ${name}: ${text} ${name} ${text}`
        expect(shown.split(/\s+/).filter(Boolean)).toEqual(expected.split(/\s+/))
      }),
    )
  })
})
