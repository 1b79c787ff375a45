import type { Observation, PlannedRun } from '../suite/observe.ts'
import { judge, nextRuns, type State } from './judge.ts'

type Run = (planned: PlannedRun) => Promise<Observation | undefined>

export const runChanges = async (begun: State, run: Run, jobs: number): Promise<State> => {
  let state = begun
  for (;;) {
    const planned = nextRuns(state, jobs)
    const results = await Promise.all(planned.map(run))
    for (const result of results) if (result !== undefined) state = judge(state, result)
    if (results.length === 0 || results.includes(undefined)) return state
  }
}
