import { closeSync, openSync, readSync, realpathSync } from 'node:fs'
import { evidenceVariable } from '../util/evidence-variable.ts'
import { openEventLog, workerThreads } from './event-log.ts'
import { insideTestsVariable } from './events.ts'
import { patchModules } from './module-hook.ts'
import { guarded } from './recorder.ts'
import type { SuiteProcess } from './runners/runner.ts'
import { runners } from './runners/runners.ts'

// Every Node.js process of a test suite loads this before its program. It must be cheap and silent.

const maxText = 64 * 1024

const startOf = (file: string): string => {
  const descriptor = openSync(file, 'r')
  try {
    const buffer = Buffer.alloc(maxText)
    return buffer.toString('utf8', 0, readSync(descriptor, buffer))
  } finally {
    closeSync(descriptor)
  }
}

const scriptOf = (path: string | undefined): string => {
  if (path === undefined) return ''
  try {
    return realpathSync(path).replaceAll('\\', '/')
  } catch {
    return ''
  }
}

/** The tools that start a test runner are packages; or else a program that names the runner. */
const mayLoadRunner = ({ script, text }: SuiteProcess): boolean =>
  /\/node_modules\/(?!npm\/|corepack\/|yarn\/|pnpm\/)/.test(script) ||
  (script !== '' && !script.includes('/node_modules/') && /['"](?:mocha|jest|jest-cli|@jest\/core)['"]/.test(text()))

const observeProcess = (): void => {
  const folder = process.env[evidenceVariable]
  if (!folder || process.env[insideTestsVariable] !== undefined) return
  const script = scriptOf(process.argv[1])
  let text: string | undefined
  const suite: SuiteProcess = {
    script,
    text: () => {
      text ??= startOf(script)
      return text
    },
    isMainThread: () => workerThreads().isMainThread,
    log: openEventLog(folder),
    fileOf: (name) => `${import.meta.dirname}/${name}`,
  }
  const all = Object.values(runners)
  for (const { observe } of all) guarded(() => observe?.(suite))
  if (mayLoadRunner(suite)) patchModules(all.flatMap(({ patches }) => patches?.(suite) ?? []))
}

guarded(observeProcess)
