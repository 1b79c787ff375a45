import type { Reporter, Suite, TestCase, TestError, TestResult } from '@playwright/test/reporter'
import { type RecordedTest, reporterRecorder } from '../recorder.ts'
import type { TestOutcome } from '../test-result.ts'

export class EvidenceReporter implements Reporter {
  private readonly record = reporterRecorder('playwright')
  private readonly attempts = new Map<string, RecordedTest>()

  onBegin(): void {
    this.record(() => {})
  }

  onTestBegin(test: TestCase, { startTime }: TestResult): void {
    this.record((recorder) => {
      const earlier = this.attempts.get(test.id)
      const started =
        earlier === undefined
          ? recorder.start(fileOf(test.parent) ?? test.location.file, nameOf(test), startTime.getTime())
          : recorder.retry(earlier)
      this.attempts.set(test.id, started)
    })
  }

  onTestEnd(test: TestCase, { status, error, startTime, duration, steps }: TestResult): void {
    this.record((recorder) => {
      const started = this.attempts.get(test.id)
      if (started === undefined) return
      const start = startTime.getTime()
      recorder.end({ ...started, start }, outcomeOf(test, status), {
        at: Math.max(start + duration, ...steps.map((step) => step.startTime.getTime() + step.duration)),
        error: error && plainError(error),
        line: [error?.location, test.location].find((place) => place?.file === started.file)?.line,
      })
    })
  }

  onError(error: TestError): void {
    this.record((recorder) => {
      // Ignores the error that Playwright adds after `maxFailures` failed tests.
      if (/Testing stopped early/.test(plainError(error).message ?? '')) return
      const file = error.location?.file ?? process.cwd()
      recorder.fail(file, error.location === undefined ? 'error outside of the tests' : file, plainError(error))
    })
  }

  printsToStdio(): boolean {
    return false
  }
}

const fileOf = (suite: Suite | undefined): string | undefined =>
  suite?.type === 'file' ? suite.location?.file : suite && fileOf(suite.parent)

const nameOf = (test: TestCase): string => {
  const [, project, , ...titles] = test.titlePath()
  return (project ? `[${project}] ` : '') + titles.join(' > ')
}

const plainError = ({ message, value, stack }: TestError) => ({
  message: message?.replace(/^Error: /, '') ?? value,
  stack,
})

const outcomeOf = ({ expectedStatus }: TestCase, status: TestResult['status']): TestOutcome => {
  if (status === 'skipped') return 'skipped'
  if (status === 'interrupted') return 'unended'
  return status === expectedStatus ? 'passed' : 'failed'
}

export { EvidenceReporter as default }
