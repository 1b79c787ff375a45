import { printable } from '../util/terminal.ts'
import { type AppliedRun, appliedRun, type Explanation, explain } from '../vary/search/explain.ts'
import { wholeCommand } from '../vary/search/observation.ts'
import type { TestRun } from '../vary/suite/test-run.ts'
import type { SuiteSession } from './suite-session.ts'
import type { Explanations, Planned, VaryReport } from './vary-session.ts'

/** Finds which exchanges break the first test of each finding, or the command where no test is known. */
export const explainFindings = async (
  { run, filesOf }: SuiteSession,
  planned: Planned,
  { broken, flaky }: Pick<VaryReport, 'broken' | 'flaky'>,
): Promise<Explanations> => {
  const found = new Map<string, Explanation>()
  let isStopped = false
  for (const { set, tests } of broken) {
    const { id = wholeCommand } = tests[0] ?? {}
    const alternatives = set.flatMap((key) => planned.get(key) ?? [])
    const apply = async (exchanges?: readonly number[]): Promise<AppliedRun> => {
      const served = { alternatives, ...(exchanges && { exchanges }) }
      const result = await run({ set, files: filesOf([id]), served })
      isStopped ||= result === undefined
      return result === undefined ? passedRun : appliedRun(result.run, result.observation, id)
    }
    // It has failed and passed under the same alternatives.
    const isFlaky = flaky.some((test) => test.id === id)
    const explanation = await explain(isFlaky ? async () => passedRun : apply)
    if (isStopped) break
    found.set(set.join(' '), explanation)
  }
  return found
}

const passedRun: AppliedRun = { failed: false, differing: [], earlier: [] }

/** One line about the exchanges of an explanation. */
export const reasonText = (
  { verdict, exchanges, differing }: Explanation,
  [test, ...others]: readonly TestRun[],
): string => {
  const reasons: Readonly<Record<typeof verdict, string>> = {
    alone: `this response alone is enough${differing === 1 ? '' : `; ${differing} differ`}`,
    together: `only ${exchanges.length} responses together, the smallest set found; ${differing} differ, and the last is needed`,
    flaky: 'not found, because repeated runs disagree',
  }
  return `${reasons[verdict]}${test === undefined || others.length === 0 ? '' : ` (in ${printable(test.name)})`}`
}
