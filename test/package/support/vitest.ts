import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Finished, root } from './cli.ts'

/** Runs vitest in a folder, apart from the vitest that runs this, and without colours. */
export const runVitest = async (
  folder: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> => {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [`${root}node_modules/vitest/vitest.mjs`, 'run', '--root', folder, ...args], {
    env: { PATH, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const text = { out: '', error: '' }
  child.stdout.on('data', (chunk) => {
    text.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    text.error += chunk
  })
  const [code] = await once(child, 'close')
  return { code: code as number | null, ...text }
}

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
