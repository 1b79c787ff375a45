import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { routeList } from '../../../src/server/control/handle.ts'

describe('the list of routes', () => {
  it('is up to date in the guide (npm run generate writes it)', () => {
    const guide = readFileSync(new URL('../../../src/guides/control.md', import.meta.url), 'utf8')
    const [, shown = ''] = /<!-- routes -->\n([\s\S]*?)<!-- \/routes -->/.exec(guide) ?? []
    expect(shown).toBe(routeList())
  })
})
