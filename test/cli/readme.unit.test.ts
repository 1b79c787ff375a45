import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { exitCodeRows } from '../../src/cli/exit-codes.ts'
import { optionRows } from '../../src/cli/options.ts'

const guide = readFileSync(new URL('../../src/guides/command-line.md', import.meta.url), 'utf8')

describe('the guide to the command line', () => {
  it('names every option', () => {
    for (const name of optionRows.keys()) expect(guide).toContain(`--${name}`)
  })

  it('names every command', () => {
    for (const command of Object.keys(commands)) expect(guide).toMatch(new RegExp(`plant-mock ${command}\\b`))
  })

  it('names every exit code', () => {
    for (const { code, shown = `${code}` } of exitCodeRows) expect(guide).toContain(`\n- **${shown}**: `)
  })
})
