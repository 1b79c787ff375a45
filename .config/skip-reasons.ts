import type { UserConsoleLog } from 'vitest'
import type { Reporter, TestCase } from 'vitest/node'

/** Prints below the summary why tests were skipped. */
export const skipReasons = (): Reporter => {
  const reasons = new Set<string>()
  return {
    onUserConsoleLog({ content }: UserConsoleLog) {
      for (const [, reason = ''] of content.matchAll(/^Skipped: (.*)$/gm)) reasons.add(reason)
    },
    onTestCaseResult(test: TestCase) {
      const result = test.result()
      if (result.state === 'skipped' && result.note !== undefined) reasons.add(`${test.name}: ${result.note}`)
    },
    onTestRunEnd() {
      for (const reason of [...reasons].sort()) console.log(`Skipped: ${reason}`)
    },
  }
}
