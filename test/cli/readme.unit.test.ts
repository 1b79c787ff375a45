import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { exitCodeRows } from '../../src/cli/exit-codes.ts'
import { exitCodeTable, optionList } from '../../src/cli/help.ts'
import { optionRows } from '../../src/cli/options.ts'

const guide = readFileSync(new URL('../../src/guides/command-line.md', import.meta.url), 'utf8')

describe('the guide to the command line', () => {
  it('has the list of all options', () => {
    const [, list] = /<!-- options -->\n([\s\S]*?)<!-- \/options -->/.exec(guide) ?? []
    expect(list).toBe(optionList())
    for (const name of optionRows.keys()) expect(list).toContain(`--${name}`)
  })

  it('names every command', () => {
    for (const command of Object.keys(commands)) expect(guide).toMatch(new RegExp(`plant-mock ${command}\\b`))
  })

  it('names every exit code', () => {
    expect(exitCodeTable().split('\n')).toHaveLength(exitCodeRows.length + 2)
    for (const { code, shown = `${code}` } of exitCodeRows) expect(guide).toContain(`\n| ${shown.padEnd(7)} |`)
  })
})
