import type { RunnerTestCase, RunnerTestSuite } from 'vitest'
import type { EvidenceLog } from './evidence-log.ts'
import { type ChangeKey, keyOf, type Plan, prefixOf, type TestId, testId } from './plan.ts'
import { currentRepetition, type Repetition, recorded } from './repetitions.ts'

export type Vitest = Partial<Pick<typeof import('vitest'), 'TestRunner' | 'aroundEach'>>

/** A test with the changes of its repetitions. */
type Repeated = {
  readonly id: TestId
  /** `undefined` for a repetition without a change. */
  readonly keys: readonly (ChangeKey | undefined)[]
  readonly repetitions: Repetition[]
}

/**
 * Repeats each test of a file under the changes that the plan names for it, before and after them without a change, and
 * records the repetitions. A setup file calls it, before other hooks are registered.
 */
export const repeatTests = (
  { TestRunner, aroundEach }: Vitest,
  { plan, evidence }: { readonly plan: Plan; readonly evidence: EvidenceLog },
): void => {
  // Vitest has no `aroundEach` before 4.1.
  if (TestRunner === undefined || aroundEach === undefined) return
  const changes = new Map(plan.changes.map((change) => [keyOf(change), change]))
  const collector = TestRunner.getCurrentSuite()
  const tests = new Map<RunnerTestCase, Repeated>()

  collector.on('beforeAll', () => {
    const { file } = collector
    if (file === undefined) return
    const ids = testsIn(file).map(idOf)
    for (const task of testsIn(file)) {
      const id = idOf(task)
      if (task.repeats || ids.indexOf(id) !== ids.lastIndexOf(id)) continue
      const served = plan.repeats?.[id] ?? []
      const keys = served.length === 0 ? [undefined] : [undefined, ...served, undefined]
      tests.set(task, { id, keys, repetitions: [] })
      if (keys.length > 1) task.repeats = keys.length - 1
    }
    if (plan.isReversed) reverse(file)
  })

  collector.on('aroundEach', async (runTest, { task, signal }) => {
    const own = tests.get(task)
    if (own === undefined) return runTest()
    const last = own.repetitions.at(-1)
    const { result } = task
    // A retry sets the state to `run`, so the repetition continues. Any other state ends it.
    const hasEnded = last !== undefined && result !== undefined && result.state !== 'run'
    if (hasEnded) {
      last.outcome = (result.state === 'pass') === Boolean(task.fails) ? 'failed' : 'passed'
      // A failure must not count for the next repetition.
      result.state = 'run'
      delete result.errors
    }
    const repetition = last === undefined || hasEnded ? begin(own) : last
    // Code that ran into its timeout may still be running.
    repetition.isShared ||= signal.aborted
    repetition.isRunning = true
    await currentRepetition.run(repetition, runTest).finally(() => {
      repetition.isRunning = false
    })
  })

  const begin = ({ id, keys, repetitions }: Repeated): Repetition => {
    const change = changes.get(keys[repetitions.length] ?? '')
    const repetition = { test: id, change, requests: [], isRunning: true, isShown: false, isShared: false }
    repetitions.push(repetition)
    return repetition
  }

  collector.on('afterAll', () => {
    for (const [{ result }, { id, repetitions }] of tests) {
      const last = repetitions.at(-1)
      if (last === undefined) continue
      if (result?.state === 'pass') last.outcome = 'passed'
      evidence.write({ type: 'repeated', repetitions: repetitions.map(recorded) }, undefined, id)
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
