import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.ts'

const guide = readFileSync(new URL('../../src/guides/command-line.md', import.meta.url), 'utf8')

describe('the guide to the command line', () => {
  it('names every command', () => {
    for (const command of Object.keys(commands)) expect(guide).toMatch(new RegExp(`plant-mock ${command}\\b`))
  })
})
