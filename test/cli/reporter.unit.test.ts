import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reportToGitHub } from '../../src/cli/reporter.ts'
import type { Finding } from '../../src/util/report.ts'
import { openFolder } from '../support/folder.ts'
import { reportOf } from '../support/report-value.ts'

const folder = await openFolder()

const test = { file: 'test/a,b:c.ts', line: 7, name: 'lists | <b>', message: '100 %\r\nlost \u001B[31m\u202E' }
const findings: readonly Finding[] = [
  { name: 'a=1', outcome: 'failed', tests: [test] },
  { name: 'b=1', outcome: 'skipped', tests: [test] },
]

const reported = async (environment: Readonly<Record<string, string>>): Promise<string> => {
  const errors: string[] = []
  const terminal = { environment, error: (text: string) => void errors.push(text) }
  await reportToGitHub(terminal, reportOf(findings))
  return errors.join('')
}

describe('in GitHub Actions', () => {
  it('a failure is annotated, and nothing else, with what a workflow command would obey escaped', async () => {
    expect(await reported({ GITHUB_ACTIONS: 'true' })).toBe(
      '::error file=test/a%2Cb%3Ac.ts,line=7,title=plant-mock vary::lists | <b>: a=1: Relied on%0A100 %25%0Alost \\u001b[31m\\u202e\n',
    )
  })

  it('a summary with a table is appended', async () => {
    const file = join(folder, 'summary.md')
    await reported({ GITHUB_STEP_SUMMARY: file })
    await reported({ GITHUB_STEP_SUMMARY: file })
    const text = await readFile(file, 'utf8')
    expect(text.match(/### plant-mock vary\n\nOne guess\./g)).toHaveLength(2)
    expect(text).toContain('| a=1: Relied on | lists &#124; &#60;b&#62; | test/a,b:c.ts:7 |')
  })

  it('a summary has no columns for tests that are not known', async () => {
    const file = join(folder, 'unknown.md')
    const terminal = { environment: { GITHUB_STEP_SUMMARY: file }, error: () => undefined }
    await reportToGitHub(terminal, reportOf([{ name: 'a=1', outcome: 'failed' }]))
    expect(await readFile(file, 'utf8')).toContain('| Finding |\n| --- |\n| a=1: Relied on |\n')
  })

  it('a summary that cannot be written is said, and nothing fails', async () => {
    expect(await reported({ GITHUB_STEP_SUMMARY: folder })).toMatch(/^The job summary cannot be written: EISDIR/)
  })

  it('nothing is written anywhere else', async () => {
    expect(await reported({})).toBe('')
  })
})
