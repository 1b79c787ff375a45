import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { readTestResults } from '../../../src/vary/suite/read-results.ts'
import { openTestFolder } from '../../support/folder.ts'

let folder: string
beforeEach(async () => {
  folder = await openTestFolder()
})

const write = (name: string, ...events: readonly object[]): Promise<void> =>
  writeFile(join(folder, `tests-${name}.ndjson`), events.map((event) => `${JSON.stringify(event)}\n`).join(''))
const common = { pid: 1, file: '/a.js', name: 'one' }
const start = { ...common, type: 'start', at: 10 }
const end = { ...common, type: 'end', start: 10, at: 12, outcome: 'passed' }

describe('readTestResults', () => {
  it('is undefined when no runner was recognised', async () => {
    await writeFile(join(folder, 'requests-1.ndjson'), '{}\n')
    expect(await readTestResults(folder)).toBeUndefined()
  })

  it('has no tests when a runner found none', async () => {
    await write('1', { type: 'runner', runner: 'jest', at: 1 })
    expect(await readTestResults(folder)).toEqual([])
  })

  it('has a test with its file, name, time and process', async () => {
    await write('1', start, { ...end, outcome: 'failed', line: 3, message: 'no' })
    expect(await readTestResults(folder)).toEqual([
      {
        id: '/a.js > one',
        file: '/a.js',
        name: 'one',
        start: 10,
        end: 12,
        pid: 1,
        outcome: 'failed',
        line: 3,
        message: 'no',
      },
    ])
  })

  it('takes the last attempt', async () => {
    await write('1', start, { ...end, outcome: 'failed' }, start, { ...end })
    expect(await readTestResults(folder)).toMatchObject([{ outcome: 'passed' }])
  })

  it('has a test that did not end as unended, and ignores a truncated last line', async () => {
    await write('1', start, { ...start, name: 'two', at: 20 })
    await writeFile(join(folder, 'tests-2.ndjson'), `${JSON.stringify(start)}\n${JSON.stringify(end).slice(0, 30)}`)
    expect(await readTestResults(folder)).toMatchObject([
      { name: 'one', outcome: 'unended', start: 10, end: 20 },
      { name: 'one (2)', outcome: 'unended' },
      { name: 'two', outcome: 'unended' },
    ])
  })

  it('has a file whose worker was killed before it reported its tests as unended', async () => {
    const file = { runner: 'vitest', at: 1 }
    await write(
      '1',
      { ...file, type: 'file-start', file: '/a.js' },
      { ...file, type: 'file-start', file: '/b.js' },
      { ...file, type: 'file-end', file: '/b.js' },
    )
    expect(await readTestResults(folder)).toMatchObject([{ file: '/a.js', name: '/a.js', outcome: 'unended' }])
  })

  it.each([
    ['a result before its announcement', [end, start], 'passed'],
    ['a last attempt that was killed', [start, { ...end, outcome: 'failed' }, start], 'unended'],
  ])('counts attempts in any order: %s', async (_, events, outcome) => {
    await write('1', ...events)
    expect(await readTestResults(folder)).toMatchObject([{ name: 'one', outcome }])
  })

  it('numbers the same test of several processes in the order of the processes', async () => {
    await write('z', start, end)
    await write('a', { ...start, at: 30 }, { ...end, start: 30, at: 31 })
    expect(await readTestResults(folder)).toMatchObject([
      { name: 'one', start: 10 },
      { name: 'one (2)', start: 30 },
    ])
  })

  it.each<[string, unknown]>([
    ['torn JSON', '{"type":"end","file":"/a'],
    ['no JSON', 'Debugger attached.'],
    ['another value', 'null'],
    ['a list', '[[]]'],
    ['binary data', '\u0000\uFFFD\u0001'],
    ['a deep value', '['.repeat(200_000)],
    ['an event of another version', { ...end, type: 'finished' }],
    ['a type of every object', { ...end, type: 'constructor' }],
    ['an end without its members', { type: 'end' }],
  ])('ignores %s between the lines of a test', async (_, line) => {
    const text = typeof line === 'string' ? line : JSON.stringify(line)
    await writeFile(
      join(folder, 'tests-1.ndjson'),
      [start, end].map((event) => JSON.stringify(event)).join(`\n${text}\n`),
    )
    expect(await readTestResults(folder)).toMatchObject([{ name: 'one', outcome: 'passed' }])
  })

  it('reads more events than a call takes arguments', async () => {
    const line = `${JSON.stringify(start)}\n`
    await writeFile(join(folder, 'tests-1.ndjson'), line.repeat(150_000))
    expect(await readTestResults(folder)).toMatchObject([{ name: 'one', outcome: 'unended' }])
  })
})
