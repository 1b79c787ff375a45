import type { RunnerTestCase, RunnerTestSuite } from 'vitest'
import type { EvidenceLog } from './evidence-log.ts'
import { type ChangeKey, keyOf, type Plan, prefixOf, type TestId, testId } from './plan.ts'
import { currentRepetition, type Repetition, recorded } from './repetitions.ts'

export type Vitest = Partial<Pick<typeof import('vitest'), 'TestRunner' | 'aroundEach'>>

/**
 * Repeats each test of a file under the changes that the plan names for it, before and after them without a change, and
 * records the repetitions. A setup file calls it, before other hooks are registered.
 */
export const repeatTests = ({ TestRunner, aroundEach }: Vitest, plan: Plan, evidence: EvidenceLog): void => {
  // Vitest has no `aroundEach` before 4.1.
  if (TestRunner === undefined || aroundEach === undefined) return
  const collector = TestRunner.getCurrentSuite()
  const tests = new Map<RunnerTestCase, readonly Repetition[]>()
  const repetition = (test: TestId, key?: ChangeKey): Repetition => {
    const change = plan.changes.find((one) => keyOf(one) === key)
    return {
      test,
      change,
      requests: [],
      hasBegun: false,
      isRunning: false,
      isShown: false,
      isShared: false,
      outcome: undefined,
    }
  }

  collector.on('beforeAll', () => {
    const { file } = collector
    if (file === undefined) return
    const ids = testsIn(file).map(idOf)
    for (const task of testsIn(file)) {
      const id = idOf(task)
      if (task.repeats || ids.indexOf(id) !== ids.lastIndexOf(id)) continue
      const keys = plan.repeats?.[id] ?? []
      const repetitions =
        keys.length === 0 ? [repetition(id)] : [undefined, ...keys, undefined].map((key) => repetition(id, key))
      tests.set(task, repetitions)
      if (keys.length > 0) task.repeats = keys.length + 1
    }
    if (plan.isReversed) reverse(file)
  })

  collector.on('aroundEach', async (runTest, { task, signal }) => {
    const own = tests.get(task)
    const { result } = task
    const last = own?.findLast(({ hasBegun }) => hasBegun)
    // A retry sets the state to `run`, so the repetition continues. Any other state ends it.
    if (last !== undefined && result !== undefined && result.state !== 'run') {
      last.outcome = (result.state === 'pass') === Boolean(task.fails) ? 'failed' : 'passed'
      // A failure must not count for the next repetition.
      result.state = 'run'
      result.retryCount = 0
      delete result.errors
    }
    const present = own?.find(({ outcome }) => outcome === undefined)
    if (present === undefined) return runTest()
    // Code that ran into its timeout may still be running.
    present.isShared ||= signal.aborted
    present.hasBegun = true
    present.isRunning = true
    await currentRepetition.run(present, runTest).finally(() => {
      present.isRunning = false
    })
  })

  collector.on('afterAll', () => {
    for (const [{ result }, repetitions] of tests) {
      const begun = repetitions.filter(({ hasBegun }) => hasBegun)
      const last = begun.at(-1)
      if (last === undefined) continue
      if (result?.state === 'pass') last.outcome = 'passed'
      evidence.write({ type: 'repeated', repetitions: begun.map(recorded) }, undefined, last.test)
    }
  })
}

const testsIn = ({ tasks }: RunnerTestSuite): readonly RunnerTestCase[] =>
  tasks.flatMap((task) => (task.type === 'suite' ? testsIn(task) : task))

/** As the reporter identifies it, unless another test of the file has the same name. */
const idOf = ({ file, fullTestName }: RunnerTestCase): TestId =>
  testId(file.filepath, prefixOf(file.projectName) + fullTestName)

/** Shows which tests depend on the tests before them. */
const reverse = ({ tasks }: RunnerTestSuite): void => {
  tasks.reverse()
  for (const task of tasks) if (task.type === 'suite') reverse(task)
}
