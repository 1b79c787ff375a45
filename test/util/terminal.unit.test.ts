import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { printable, printableJson, printableLines } from '../../src/util/terminal.ts'
import type { ConformanceReport } from '../../src/verify/ask/check.ts'
import { renderConformance } from '../../src/verify/report/report.ts'

/** Terminals act on C0 and C1 controls, and on bidirectional controls. */
const obeyed = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2060-\u206F]/u
/** CI systems execute these lines of a log; GitHub Actions trims each line first. */
const executed = /^\s*::|##\w*\[/m
const withoutLineEnds = (text: string): string => text.replaceAll('\n', '')
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(...':: # \u0085 \u001b [ 3 1 m \u009b \u202e \r \n \b a \u0007 \u2028'.split(' '), ' '),
  }),
)

describe('foreign text at a terminal', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', '\\u001b[31mred\\u001b[0m'],
    ['\u009b2J', '\\u009b2J'],
    ['a\u202eb', 'a\\u202eb'],
    ['two\r\nlines\tand a tab', 'two lines and a tab'],
    ['::set-output name=a::b', '\\u003a:set-output name=a::b'],
    ['\u00a0::add-mask::a', '\u00a0\\u003a:add-mask::a'],
    ['a ::b', 'a ::b'],
    ['a ###[error]b', 'a #\\u0023#[error]b'],
    ['##vso[task.setvariable]', '\\u0023#vso[task.setvariable]'],
    ['Größe 🌿 👨‍👩‍👧', 'Größe 🌿 👨‍👩‍👧'],
  ])('%j is shown as %s', (text, shown) => {
    expect(printable(text)).toBe(shown)
  })

  it('is never obeyed', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(printable(text)).not.toMatch(obeyed)
        expect(printable(text)).not.toContain('\n')
        expect(printableLines(text)).not.toMatch(executed)
        expect(printableJson({ text }, 2)).not.toMatch(executed)
        expect(withoutLineEnds(printableLines(text))).not.toMatch(obeyed)
        expect(printableJson({ text })).not.toMatch(obeyed)
        expect(JSON.parse(printableJson({ text }, 2))).toEqual({ text })
      }),
    )
  })

  it('is never obeyed in a report, in any format', () => {
    const report = (text: string): ConformanceReport =>
      ({
        baseUrl: 'http://127.0.0.1:1',
        rules: [
          {
            id: 'list.array',
            section: '4.2',
            statement: 'A list is an array.',
            outcome: 'failed',
            reason: text,
            curl: 'curl',
          },
          { id: 'list.limit', section: '4.2', statement: 'A list has a limit.', outcome: 'skipped', reason: text },
        ],
        assumptions: [
          { id: 'create.status', section: '4.1', outcome: 'other', found: text, assumed: 201 },
          { id: 'list.order', section: '4.2', outcome: 'unseen', reason: text, assumed: 'added' },
        ],
        conforms: false,
        requests: 1,
        created: 0,
        plants: [{ id: text, name: text, tag: 't', as: 'caller', certain: true }],
        changes: [{ id: 'create.status', section: '4.1', was: text, is: text }],
        incomplete: text,
      }) as never
    fc.assert(
      fc.property(anyText, (text) => {
        for (const format of ['text', 'json', 'junit'] as const) {
          const rendered = renderConformance(report(text), format)
          expect(withoutLineEnds(rendered)).not.toMatch(obeyed)
          expect(rendered).not.toMatch(executed)
        }
      }),
    )
  })
})
