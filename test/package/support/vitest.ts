import { execute, type Finished, root } from './cli.ts'

export const runVitest = (
  folder: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> =>
  execute([`${root}node_modules/vitest/vitest.mjs`, 'run', '--root', folder, ...args], {
    env: { NO_COLOR: '1', ...env },
  })

export type VitestReport = {
  readonly success: boolean
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly {
      readonly title: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}
