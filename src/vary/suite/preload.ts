import { readFileSync, realpathSync } from 'node:fs'
import { posix } from 'node:path'
import { evidenceVariable, insideTestsVariable } from '../evidence/test-process.ts'
import { guarded, openEventLog, workerThreads } from './recorder.ts'
import { jest } from './runners/jest.ts'
import { playwright, vitest } from './runners/main-process.ts'
import { mocha } from './runners/mocha.ts'
import { nodeTest } from './runners/node-test.ts'
import { type ProgramPackage, patchModules, type Runner, type SuiteProcess } from './runners/runner.ts'
import type { RunnerName } from './test-result.ts'

// Every Node.js process of a test suite loads this file, so it must be cheap and silent.

const runners: Readonly<Record<RunnerName, Runner>> = { 'node:test': nodeTest, mocha, jest, vitest, playwright }

const maxText = 64 * 1024

const scriptOf = (path: string | undefined): string => {
  if (path === undefined) return ''
  try {
    return realpathSync(path).replaceAll('\\', '/')
  } catch {
    return ''
  }
}

const packageManagers = ['npm', 'corepack', 'yarn', 'pnpm']

const packageOf = (script: string): ProgramPackage | undefined => {
  const [folder, name = ''] = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)(?=\/)/.exec(script) ?? []
  if (folder === undefined || packageManagers.includes(name)) return undefined
  const { bin } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as {
    readonly bin?: string | Readonly<Record<string, string>>
  }
  const commands = typeof bin === 'string' ? [bin] : Object.values(bin ?? {})
  const isCommand = commands.some((path) => posix.join(folder, path) === script)
  return { name, isCommand }
}

const mayLoadRunner = ({ script, text, ...suite }: SuiteProcess): boolean =>
  suite.package !== undefined ||
  (script !== '' && !script.includes('/node_modules/') && /['"](?:mocha|jest|jest-cli|@jest\/core)['"]/.test(text()))

const observeProcess = (): void => {
  const folder = process.env[evidenceVariable]
  if (!folder || process.env[insideTestsVariable] !== undefined) return
  const script = scriptOf(process.argv[1])
  let text: string | undefined
  let found: ProgramPackage | undefined
  guarded(() => {
    found = packageOf(script)
  })
  const suite: SuiteProcess = {
    script,
    package: found,
    text: () => {
      text ??= readFileSync(script, 'utf8').slice(0, maxText)
      return text
    },
    isMainThread: () => workerThreads().isMainThread,
    log: openEventLog(folder),
    builtFile: (name) => `${import.meta.dirname}/${name}`,
  }
  const all = Object.values(runners)
  if (mayLoadRunner(suite)) patchModules(all.flatMap(({ patches }) => patches?.(suite) ?? []))
  for (const { observe } of all) guarded(() => observe?.(suite))
}

guarded(observeProcess)
