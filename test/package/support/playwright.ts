import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromiumEnvironment, executablePath } from '../browser/chromium.ts'
import { execute, root } from './cli.ts'

export type PlaywrightTest = {
  readonly project: string
  readonly title: string
  readonly outcome: 'expected' | 'unexpected' | 'flaky' | 'skipped'
  readonly errors: readonly string[]
  readonly attachments: Readonly<Record<string, string>>
}

type Suite = {
  readonly suites?: readonly Suite[]
  readonly specs?: readonly {
    readonly title: string
    readonly tests: readonly {
      readonly projectName: string
      readonly status: PlaywrightTest['outcome']
      readonly results: readonly {
        readonly errors: readonly { readonly message?: string }[]
        readonly attachments: readonly { readonly name: string; readonly body?: string }[]
      }[]
    }[]
  }[]
}
type Report = { readonly suites: readonly Suite[]; readonly errors: readonly { readonly message?: string }[] }

export const runPlaywright = async (
  config: string,
  {
    args = [],
    env = {},
    cwd = root,
  }: { args?: readonly string[]; env?: Readonly<Record<string, string>>; cwd?: string } = {},
): Promise<readonly PlaywrightTest[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
  const report = join(folder, 'report.json')
  const { out, error } = await execute(
    [
      `${root}node_modules/@playwright/test/cli.js`,
      'test',
      ...['--config', config, '--output', join(folder, 'results'), '--reporter', 'json', ...args],
    ],
    {
      cwd,
      env: {
        CI: 'true',
        CHROMIUM: executablePath,
        ...chromiumEnvironment,
        PLAYWRIGHT_JSON_OUTPUT_NAME: report,
        ...env,
      },
    },
  )
  try {
    const { suites, errors } = JSON.parse(await readFile(report, 'utf8')) as Report
    if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'))
    return suites.flatMap(testsIn)
  } catch (cause) {
    throw new Error(`Playwright failed to run: ${out}${error}`, { cause })
  } finally {
    await rm(folder, { recursive: true })
  }
}

const testsIn = ({ suites = [], specs = [] }: Suite): readonly PlaywrightTest[] => [
  ...specs.flatMap(({ title, tests }) =>
    tests.map(({ projectName, status, results }) => ({
      project: projectName,
      title,
      outcome: status,
      errors: results.flatMap(({ errors }) => errors.map(({ message = '' }) => message)),
      attachments: Object.fromEntries(
        results.flatMap(({ attachments }) =>
          attachments.map(({ name, body = '' }) => [name, Buffer.from(body, 'base64').toString()]),
        ),
      ),
    })),
  ),
  ...suites.flatMap(testsIn),
]

export const failuresIn = (tests: readonly PlaywrightTest[]): readonly string[] =>
  tests
    .filter(({ outcome }) => outcome !== 'expected')
    .map(({ title, outcome, errors }) => [title, outcome, ...errors].join('\n'))
