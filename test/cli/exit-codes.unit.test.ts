import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { allCommands } from '../../src/cli/commands.ts'
import { exitCodeRows, exitCodes } from '../../src/cli/exit-codes.ts'
import { exitCodesOf, helpText } from '../../src/cli/help.ts'

const folder = new URL('../../src/cli/', import.meta.url)
const sources = readdirSync(folder)
  .filter((file) => file.endsWith('.ts') && file !== 'exit-codes.ts')
  .map((file) => ({ file, text: readFileSync(new URL(file, folder), 'utf8') }))

describe('the table of exit codes', () => {
  it('has each code once, in ascending order', () => {
    const codes = exitCodeRows.map(({ code }) => code)
    expect(codes).toEqual([...new Set(codes)].sort((a, b) => a - b))
  })

  it.each(sources)('is where $file has its codes from', ({ text }) => {
    expect(text).not.toMatch(/\bexit(?:Code)?(?:\(| = )\d|\b128 \+ \(/)
  })

  it.each(allCommands)('is in the help of %s', (command) => {
    const rows = exitCodesOf(command)
    expect(rows.map(([code]) => code)).toContain(`${exitCodes.success}`)
    const text = helpText(command, '1.2.3')
    const width = Math.max(...rows.map(([code]) => code.length))
    for (const [code, meaning] of rows) expect(text).toContain(`\n  ${code.padEnd(width)}  ${meaning.slice(0, 20)}`)
  })

  it('promises no exit at a second signal from run, which passes each one on', () => {
    expect(exitCodesOf('run').filter(([, meaning]) => meaning.includes('second'))).toEqual([])
    expect(exitCodesOf('serve').filter(([, meaning]) => meaning.includes('second'))).toHaveLength(3)
  })
})
