import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { routeTable } from '../../../src/server/control/routes.ts'

const rowsOf = (table: string): readonly string[] =>
  table.split('\n').flatMap((line) => (/^\| `/.test(line) ? [line.replaceAll(/ +/g, ' ')] : []))

describe('the route table', () => {
  it('is up to date in the guide (npm run generate writes it)', () => {
    const guide = readFileSync(new URL('../../../src/guides/control.md', import.meta.url), 'utf8')
    const [, shown = ''] = /<!-- routes -->\n([\s\S]*?)<!-- \/routes -->/.exec(guide) ?? []
    expect(rowsOf(shown)).toEqual(rowsOf(routeTable()))
  })
})
