import { realpathSync, writeFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node'
import { observerVariable } from '../../../core/mock/observer.ts'
import { prefixOf } from '../../evidence/plan.ts'
import { evidenceVariable } from '../../evidence/test-process.ts'
import { guarded, type RecordedTest, reporterRecorder, type TestRecorder } from '../recorder.ts'

type Failed = { readonly errors: () => readonly unknown[] }

export class EvidenceReporter implements Reporter {
  private readonly record = reporterRecorder('vitest')
  /** Each test is added at its start or its result, because Vitest may report the result first. */
  private readonly tests = new Map<string, RecordedTest>()
  private readonly ended = new Set<string>()
  private root = ''

  onInit(vitest: Vitest): void {
    this.root = vitest.config.root
    // Sets `updateSnapshot`, because some versions of Vitest read the option `update: 'none'` as a request to update.
    vitest.config.snapshotOptions.updateSnapshot = 'none'
    guarded(() => addSetupFile(vitest))
  }

  onTestRunStart(): void {
    this.record(() => {})
  }

  onTestModuleQueued(module: TestModule): void {
    this.record((recorder) => recorder.file('file-start', module.moduleId))
  }

  onTestCaseReady(test: TestCase): void {
    this.record((recorder) => this.start(recorder, test))
  }

  onTestCaseResult(test: TestCase): void {
    this.record((recorder) => {
      const started = this.start(recorder, test)
      const { state, errors } = test.result()
      if (state === 'pending') return
      const { startTime = started.start, duration = 0 } = test.diagnostic() ?? {}
      recorder.end({ ...started, start: Math.round(startTime) }, state, {
        error: errors?.[0],
        line: test.location?.line,
        ...(test.diagnostic() !== undefined && { at: Math.round(startTime + duration) }),
      })
    })
  }

  onTestSuiteResult(suite: TestSuite): void {
    this.failures(suite, suite.module, `${suite.fullName} > hook of the suite`)
  }

  onTestModuleEnd(module: TestModule): void {
    if (this.ended.has(module.id)) return
    this.ended.add(module.id)
    this.record((recorder) => recorder.file('file-end', module.moduleId))
    this.failures(module, module, module.moduleId)
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    // Ends test files here too, because Vitest 3 does not report the end of a file that fails to load.
    for (const module of modules) if (!/^(?:queued|pending)$/.test(module.state())) this.onTestModuleEnd(module)
    this.record((recorder) => {
      for (const error of errors) {
        const { VITEST_TEST_PATH: file, VITEST_TEST_NAME: test } = error as Record<string, string | undefined>
        recorder.fail(file ?? this.root, test === undefined ? 'unhandled error' : `${test} > unhandled error`, error)
      }
    })
  }

  private start(recorder: TestRecorder, test: TestCase): RecordedTest {
    const known = this.tests.get(test.id)
    const started = known ?? recorder.start(test.module.moduleId, prefixOf(test.module.project.name) + test.fullName)
    this.tests.set(test.id, started)
    return started
  }

  private failures(entity: Failed, module: TestModule, name: string): void {
    this.record((recorder) => {
      for (const error of entity.errors()) recorder.fail(module.moduleId, prefixOf(module.project.name) + name, error)
    })
  }
}

/** Ignores errors, because `edge-runtime` and similar environments cannot load plant-mock's observer. */
const setupFile = `import * as vitest from 'vitest'
try {
  const file = process.env.${observerVariable}
  process.getBuiltinModule('node:module').createRequire(file)(file).repeatTests(globalThis, vitest)
} catch {}
`

/** Skips browsers, which cannot load the setup file, and custom runners, which may not repeat tests. */
const addSetupFile = ({ config: { coverage, experimental }, projects }: Vitest): void => {
  // With coverage thresholds, does not repeat tests, because repetitions would hide a change that lowers the coverage.
  if ((coverage.enabled && coverage.thresholds !== undefined) || experimental?.viteModuleRunner === false) return
  const folder = realpathSync(process.env[evidenceVariable] ?? '').replaceAll('\\', '/')
  const file = `${folder}/repeat-tests.mjs`
  writeFileSync(file, setupFile)
  for (const { config, vite } of projects) {
    if (config.browser.enabled || config.runner !== undefined || config.setupFiles.includes(file)) continue
    // Allows Vite to serve the setup file from outside of the project, as environments such as jsdom require.
    vite.config.server.fs.allow.push(folder)
    config.setupFiles.unshift(file)
  }
}

export { EvidenceReporter as default }
