import { type Judgement, judgeTest } from './judge-test.ts'
import { nextRun, type PlannedRun } from './next-run.ts'
import { type AlternativeKey, type Observation, type TestId, wholeCommand } from './observation.ts'

export type Search = {
  /** The first run, without any alternative. */
  readonly first: Observation
  /** Runs the suite. Runs are independent of each other. `undefined` when it was stopped. */
  readonly run: (planned: PlannedRun) => Promise<Observation | undefined>
  /** Whether each run has a single alternative. Default: false. */
  readonly each?: boolean
  /** How many passing runs clear an alternative. Default: 1. */
  readonly repeat?: number
  /** Alternatives that count as visible in every test, whether or not an answer shows them. Default: none. */
  readonly always?: readonly AlternativeKey[]
}

/** The runs of a search, and the verdict about each test. */
export type Findings = {
  readonly observations: readonly Observation[]
  readonly judgements: ReadonlyMap<TestId, Judgement>
}

/** A suite that changes at random from run to run could demand runs without end. */
const maxRuns = 500

/**
 * Runs a suite under alternatives until it is known for each test and each alternative that is visible in it whether the
 * one breaks the other.
 */
export const findCauses = async ({ first, run, each = false, repeat = 1, always = [] }: Search): Promise<Findings> => {
  const observations: Observation[] = []
  const record = (observation: Observation): void => {
    observations.push(always.length === 0 ? observation : withVisible(observation, always))
  }
  record(first)
  for (let runs = 1; runs < maxRuns; runs++) {
    const planned = plan(observations, judgeAll(observations, repeat), each)
    const observation = planned && (await run(planned))
    if (observation === undefined) break
    record(observation)
  }
  return { observations, judgements: judgeAll(observations, repeat) }
}

/** Once a test has failed, repeats the first run: a failure there is none of an alternative. */
const plan = (
  observations: readonly Observation[],
  judgements: ReadonlyMap<TestId, Judgement>,
  each: boolean,
): PlannedRun | undefined => {
  const failed = observations.flatMap(({ failed }) => [...failed])
  const isRepeated = observations.filter(({ set }) => set.length === 0).length > 1
  if (failed.length > 0 && !isRepeated) return { set: [], tests: [...new Set(failed)] }
  return nextRun(judgements, { each })
}

const judgeAll = (observations: readonly Observation[], repeat: number): ReadonlyMap<TestId, Judgement> => {
  const tests = new Set(observations.flatMap(({ failed, passed }) => [...failed, ...passed]))
  const isCommandAlone = tests.size === 1
  const hasCommandFailed = observations.some(({ failed }) => failed.has(wholeCommand))
  if (!isCommandAlone && !hasCommandFailed) tests.delete(wholeCommand)
  return new Map([...tests].map((test) => [test, judgeTest(test, observations, repeat)]))
}

const withVisible = (observation: Observation, always: readonly AlternativeKey[]): Observation => {
  const tests = [...observation.failed, ...observation.passed]
  const visible = tests.map((test) => [test, new Set([...(observation.visible.get(test) ?? []), ...always])] as const)
  return { ...observation, visible: new Map(visible) }
}
