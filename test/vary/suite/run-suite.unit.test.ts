import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runSuite } from '../../../src/vary/suite/run-suite.ts'
import { openFolder } from '../../support/folder.ts'

const folder = await openFolder()

describe('a run of a test suite', () => {
  const run = (script: string, timeout?: number, silence?: Parameters<typeof runSuite>[0]['silence']) =>
    runSuite({
      command: [process.execPath, '-e', script],
      environment: process.env,
      output: join(folder, 'output'),
      timeout,
      silence,
      signal: new AbortController().signal,
    })

  it('that never ends is ended at its timeout, and has failed', async () => {
    const result = await run('setInterval(() => {}, 1000)', 500)
    expect(result).toMatchObject({ passed: false, outcome: 'timed out after 0.5 s' })
  })

  it('is ended when it writes nothing, as if it watches files', async () => {
    const result = await run('setInterval(() => {}, 1000)', undefined, { limit: 60, written: async () => 0 })
    expect(result).toMatchObject({ isTimeout: true, outcome: 'wrote nothing for 0.06 s' })
  })

  it('is not ended while it writes', async () => {
    let size = 0
    const silence = { limit: 6, written: async () => ++size }
    expect(await run('setTimeout(() => {}, 300)', undefined, silence)).toMatchObject({ outcome: 'exit code 0' })
  })

  it('has the exit code of its command as the outcome, and its output in a file', async () => {
    expect(await run('console.log("the output"); process.exitCode = 3')).toMatchObject({
      passed: false,
      outcome: 'exit code 3',
    })
    expect(await readFile(join(folder, 'output'), 'utf8')).toContain('the output\n')
  })
})
