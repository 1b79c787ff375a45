import type { RunnerTestCase, RunnerTestSuite } from 'vitest'
import type { EvidenceLog } from './evidence-log.ts'
import { keyOf, type Plan, prefixOf, type TestId, testId } from './plan.ts'
import { createRepetition, currentRepetition, type Repetition, recorded } from './repetitions.ts'

export type Vitest = Partial<Pick<typeof import('vitest'), 'TestRunner' | 'aroundEach'>>

export const repeatTests = ({ TestRunner, aroundEach }: Vitest, plan: Plan, evidence: EvidenceLog): void => {
  // Vitest before 4.1 has no `aroundEach`, so its tests are not repeated.
  if (TestRunner === undefined || aroundEach === undefined) return
  const collector = TestRunner.getCurrentSuite()
  const tests = new Map<RunnerTestCase, { readonly waiting: Repetition[]; readonly begun: Repetition[] }>()

  collector.on('beforeAll', () => {
    const { file } = collector
    if (file === undefined) return
    const ids = testsIn(file).map(idOf)
    for (const task of testsIn(file)) {
      const id = idOf(task)
      if (task.repeats || ids.indexOf(id) !== ids.lastIndexOf(id)) continue
      const keys = plan.repeats?.[id] ?? []
      const changes = keys.map((key) => plan.changes.find((change) => keyOf(change) === key))
      const all = changes.length === 0 ? [undefined] : [undefined, ...changes, undefined]
      task.repeats = all.length - 1
      tests.set(task, { waiting: all.map((change) => createRepetition(id, change)), begun: [] })
    }
    if (plan.isReversed) reverse(file)
  })

  collector.on('aroundEach', async (runTest, { task, signal }) => {
    const { waiting, begun } = tests.get(task) ?? { waiting: [], begun: [] }
    const { result } = task
    const last = begun.at(-1)
    // Vitest sets the state to `run` before each repetition. With another state, the last repetition has ended.
    if (last !== undefined && result !== undefined && result.state !== 'run') {
      last.outcome = (result.state === 'pass') === Boolean(task.fails) ? 'failed' : 'passed'
      result.state = 'run'
      result.retryCount = 0
      delete result.errors
    }
    if (last === undefined || last.outcome !== undefined) begun.push(...waiting.splice(0, 1))
    const present = begun.at(-1)
    if (present === undefined || present.outcome !== undefined) return runTest()
    // Code of an earlier repetition that timed out may still be running.
    present.isShared ||= signal.aborted
    present.isRunning = true
    await currentRepetition.run(present, runTest).finally(() => {
      present.isRunning = false
    })
  })

  collector.on('afterAll', () => {
    for (const [{ result }, { begun }] of tests) {
      const last = begun.at(-1)
      if (last === undefined) continue
      if (result?.state === 'pass') last.outcome = 'passed'
      evidence.write({ type: 'repeated', repetitions: begun.map(recorded) }, undefined, last.test)
    }
  })
}

const testsIn = ({ tasks }: RunnerTestSuite): readonly RunnerTestCase[] =>
  tasks.flatMap((task) => (task.type === 'suite' ? testsIn(task) : task))

const idOf = ({ file, fullTestName }: RunnerTestCase): TestId =>
  testId(file.filepath, prefixOf(file.projectName) + fullTestName)

const reverse = ({ tasks }: RunnerTestSuite): void => {
  tasks.reverse()
  for (const task of tasks) if (task.type === 'suite') reverse(task)
}
