import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { exitCodeRows } from '../../src/cli/exit-codes.ts'
import { exitCodeTable } from '../../src/cli/help.ts'
import { optionTable } from '../../src/cli/option-table.ts'
import { optionRows } from '../../src/cli/options.ts'

const readme = readFileSync(new URL('../../src/cli/README.md', import.meta.url), 'utf8')

describe('the guide to the command line', () => {
  it('has the table of all options', () => {
    const [, table] = /<!-- options -->\n([\s\S]*?)<!-- \/options -->/.exec(readme) ?? []
    expect(table).toBe(optionTable())
    for (const name of optionRows.keys()) expect(table).toContain(`--${name}`)
  })

  it('names every command', () => {
    for (const command of Object.keys(commands)) expect(readme).toMatch(new RegExp(`plant-mock ${command}\\b`))
  })

  it('names every exit code', () => {
    expect(exitCodeTable().split('\n')).toHaveLength(exitCodeRows.length + 2)
    for (const { code, shown = `${code}` } of exitCodeRows) expect(readme).toContain(`\n| ${shown.padEnd(7)} |`)
  })
})
