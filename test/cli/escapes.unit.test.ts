import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { finish } from '../support/command-line.ts'
import { openFolder } from '../support/folder.ts'

const nasty = '\u009B31m\u202E\u001B[2J'
const obeyed = (printed: string) => ['\u009B', '\u202E', '\u001B'].filter((character) => printed.includes(character))

const folder = await openFolder()

const printedBy = async (...args: readonly string[]): Promise<string> => {
  const { out, error } = await finish(args)
  return out + error
}

describe('a command prints no control characters', () => {
  it.each([['assumptions'], ['assumptions', '--json'], ['contract']])(
    'of an assumptions file: %s %s',
    async (...args) => {
      const file = join(folder, 'learned.json')
      const observed = { host: `host${nasty}`, date: '2026-01-02' }
      const value = JSON.stringify({ message: '{detail}', hint: nasty })
      await writeFile(file, JSON.stringify({ assumptions: { 'error.body': { value, observed } } }))
      const printed = await printedBy(...args, '--assumptions', file)
      expect(printed).toContain('u202e')
      expect(obeyed(printed)).toEqual([])
    },
  )

  it.each([
    [`--assume`, `error.body={"a":"${nasty}`],
    ['--assumptions', `${nasty}.json`],
  ])('of an argument: %s', async (...args) => {
    expect(obeyed(await printedBy('assumptions', ...args))).toEqual([])
  })

  it('and no password of an address', async () => {
    for (const args of [
      ['verify', 'https://me:s3cret@host:99999', '--token', 'a'],
      ['verify', 'https://host', 'https://me:s3cret@host', '--token', 'a'],
      ['--upstream', 'ftp://me:s3cret@host'],
      ['https://me:s3cret@host'],
      ['--port', 'https://me:s3cret@host'],
    ]) {
      const printed = await printedBy(...args)
      expect(printed).toMatch(/^plant-mock: /)
      expect(printed).not.toContain('s3cret')
    }
  })
})
