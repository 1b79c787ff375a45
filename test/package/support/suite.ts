import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Plan, planFile } from '../../../src/vary/evidence/plan.ts'
import { suiteEnvironment } from '../../../src/vary/suite/environment.ts'
import { readTestResults } from '../../../src/vary/suite/read-results.ts'
import type { TestResult } from '../../../src/vary/suite/test-result.ts'
import { openFolder } from '../../support/folder.ts'
import { root } from './cli.ts'

export type SuiteRun = {
  readonly code: number | null
  readonly out: string
  readonly results: readonly TestResult[] | undefined
  readonly folder: string
}

export const createProject = async (files: Readonly<Record<string, string>>) => {
  const folder = await openFolder()
  await symlink(`${root}node_modules`, join(folder, 'node_modules'))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }

  const runAs = async (plan: Plan | undefined, ...[program = '', ...args]: string[]): Promise<SuiteRun> => {
    const evidence = await mkdtemp(join(folder, 'evidence-'))
    if (plan !== undefined) await writeFile(join(evidence, planFile), JSON.stringify(plan))
    const { PATH } = process.env
    const env = suiteEnvironment({ PATH, HOME: folder, NO_COLOR: '1' }, evidence)
    const child = spawn(program, args, {
      cwd: folder,
      env: env as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        out += chunk
      })
    const [code] = await once(child, 'close')
    return { code: code as number | null, out, results: await readTestResults(evidence), folder: evidence }
  }
  const run = (...command: string[]) => runAs(undefined, ...command)
  return { folder, run, runAs }
}

export const brief = (results: readonly TestResult[] | undefined): readonly string[] | undefined =>
  results
    ?.map(({ file, name, line, outcome, message }) => {
      const text = [outcome, `${file.split('/').at(-1)} > ${name.split('/').at(-1)}`]
      return [...text, ...(outcome === 'failed' ? [`${line ?? '-'}: ${message?.split('\n')[0]}`] : [])].join(' | ')
    })
    .sort()
