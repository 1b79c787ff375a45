import { whole } from '../evidence/serve-plan.ts'
import { type Observation, type TestId, wholeCommand } from '../suite/observe.ts'
import { mutantPlanner, type OpenMutant, type Serving } from './next-mutants.ts'

export type MutantRun = {
  /** A test that did not run has neither failed nor passed. */
  readonly observation: Observation
  readonly timedOut: boolean
}

export type MutantSearch<Id extends string> = {
  readonly mutants: readonly Id[]
  /** The runs without mutants; the last one passed. */
  readonly unchanged: readonly Observation[]
  readonly fileOf: (test: TestId) => string
  /** Whether each exchange tells the file of its test, so that each file can get its own mutant. */
  readonly isFileKnown: boolean
  /** The tests that share the state of a mock, as a name that no file has. Default: those of a file. */
  readonly groupOf?: (test: TestId) => string
  /** Runs these tests with their files; a serving of nothing is a run without mutants. `undefined` when it was stopped. */
  readonly run: (serve: Serving<Id>, tests: readonly TestId[]) => Promise<MutantRun | undefined>
  /** How many runs may take place at the same time. Default: 1. */
  readonly jobs?: number
}

export type MutantResult<Id extends string> = {
  readonly id: Id
  /** `notMet`: no response would change. `notJudged`: the search was stopped, or no response showed it. */
  readonly status: 'killed' | 'survived' | 'notMet' | 'notJudged'
  /** The tests in which a response would change. */
  readonly metBy: readonly TestId[]
  readonly killedBy: readonly TestId[]
}

export type MutantResults<Id extends string> = {
  readonly results: readonly MutantResult<Id>[]
  readonly flaky: readonly TestId[]
}

/** How many mutants a test has to fail under again before a single failure of it counts. */
const enoughRepeats = 4

/**
 * Serves mutants to the tests that meet them, until a test has failed or all have passed, as README.md describes it. Tests
 * that failed run once more without mutants: one that passes when repeated, or fails there, is flaky and counts for
 * nothing.
 */
export const killMutants = async <Id extends string>(search: MutantSearch<Id>): Promise<MutantResults<Id>> => {
  const { mutants, unchanged, fileOf, groupOf = fileOf, run, jobs = 1 } = search
  const flaky = new Set(unchanged.flatMap(({ failed }) => [...failed]))
  const known = new Set(unchanged.flatMap(({ passed }) => [...passed]))
  const states = new Map(mutants.map((id) => [id, stateOf(id, unchanged, flaky)] as const))
  const split = new Set([...known].filter((test) => groupOf(test) !== fileOf(test)).map(fileOf))
  /** Tests that ran without mutants after they had failed under some. */
  const checked = new Set<TestId>()
  /** Whether each run has all files, because they depend on each other. */
  let runsAll = false
  let isPacked = search.isFileKnown || split.size > 0
  const plan = mutantPlanner<Id>()

  const groupIn = (test: TestId): string => {
    if (!isPacked) return whole
    if (test === wholeCommand) return ''
    return split.has(fileOf(test)) ? groupOf(test) : fileOf(test)
  }
  const groupsOf = ({ met }: State): ReadonlySet<string> => new Set(met.map(groupIn))

  const killersOf = ({ failures }: State): readonly TestId[] => [...failures.keys()].filter((test) => !flaky.has(test))
  const hasFailedAgain = (state: State, test: TestId): boolean => (state.failures.get(test) ?? 0) > 1
  const isReliable = (test: TestId): boolean =>
    [...states.values()].filter((state) => hasFailedAgain(state, test)).length >= enoughRepeats
  /** A test that fails without meeting its mutant depends on others, if it is not flaky. */
  const isSure = (id: Id, state: State): boolean =>
    killersOf(state).some(
      (test) =>
        hasFailedAgain(state, test) ||
        // In a file with groups, the mutant of another group may have made it fail.
        (!split.has(fileOf(test)) && meets(unchanged, test, id) && isReliable(test)),
    )
  const isDone = (state: State, test: TestId): boolean => state.passed.has(test) || flaky.has(test)
  const needs = (state: State, test: TestId): boolean => !isDone(state, test) && !state.unseen.has(test)
  const isOpenIn = (id: Id, state: State, group: string): boolean => {
    const killers = killersOf(state).map(groupIn)
    if (killers.length > 0)
      return !isSure(id, state) && killers.some((own) => own === group || !groupsOf(state).has(own))
    return state.met.some((test) => groupIn(test) === group && needs(state, test) && !state.passedApart.has(test))
  }

  const forget = (isDoubtful: (test: TestId) => boolean): void => {
    for (const { met, passed, passedApart, unseen, failures } of states.values())
      for (const test of [...met, ...failures.keys()].filter(isDoubtful))
        for (const results of [passed, passedApart, unseen, failures]) results.delete(test)
  }

  /**
   * Makes one group of the tests of a file, and forgets their results, which mutants of other groups may have caused.
   * @returns Whether it had groups.
   */
  const join = (file: string): boolean => {
    if (!split.delete(file)) return false
    if (!search.isFileKnown) isPacked = false
    forget((test) => fileOf(test) === file)
    return true
  }

  /** The mutants that groups, files or the command still need, without those that another run gets. */
  const openOnes = (taken: ReadonlySet<Id>): readonly OpenMutant<Id>[] =>
    [...states].flatMap(([id, state]) => {
      if (taken.has(id)) return []
      const fileOfGroup = new Map(state.met.map((test) => [groupIn(test), fileOf(test)]))
      const groups = [...fileOfGroup].filter(([group]) => isOpenIn(id, state, group))
      if (groups.length > 0 || killersOf(state).length > 0) return groups.map(([group, file]) => ({ id, group, file }))
      const files = new Set(state.met.filter((test) => needs(state, test)).map(fileOf))
      return [...files].map((file) => ({ id, group: search.isFileKnown ? file : whole, file }))
    })

  /** The group of a test in a run, which may also serve a mutant to a file with groups, or to the whole command. */
  const groupUnder =
    (serve: Serving<Id>) =>
    (test: TestId): string => {
      if (serve[whole] !== undefined) return whole
      const file = fileOf(test)
      return test !== wholeCommand && serve[file] !== undefined ? file : groupIn(test)
    }

  const testsOf = (serve: Serving<Id>): readonly TestId[] =>
    [...states].flatMap(([id, { met }]) => met.filter((test) => serve[groupUnder(serve)(test)] === id))

  const note = (serve: Serving<Id>, { observation, timedOut }: MutantRun): void => {
    const { passed, visible } = observation
    const failed = [...observation.failed].filter((test) => !flaky.has(test))
    const isWhole = serve[whole] !== undefined
    const groupOfRun = groupUnder(serve)
    // The failure could be that of any group.
    if (!isWhole && (timedOut || failed.includes(wholeCommand))) {
      isPacked = false
      return
    }
    const shows = (test: TestId, id: Id | undefined): boolean => id !== undefined && visible.get(test)?.has(id) === true
    for (const test of failed) if (!isWhole && !shows(test, serve[groupOfRun(test)])) join(fileOf(test))
    // A runner may stop at the first failure: other files did not run.
    const ran = new Set([...passed, ...failed].map(groupOfRun))
    if (!isWhole && !Object.keys(serve).some((group) => ran.has(group))) isPacked = false
    for (const [id, state] of states) {
      const isServed = (test: TestId): boolean => {
        const group = groupOfRun(test)
        return serve[group] === id && (isWhole || ran.has(group))
      }
      const met = state.met.filter(isServed)
      if (met.length === 0) continue
      const failures = failed.filter(isServed)
      const before = killersOf(state)
      for (const test of failures) state.failures.set(test, (state.failures.get(test) ?? 0) + 1)
      if (before.length > 0) {
        // A test that passes when repeated is flaky, as is a hook; or the mutant of another group made it fail.
        for (const test of before.filter(isServed))
          if (!failures.includes(test) && (passed.has(test) || !known.has(test)))
            if (!join(fileOf(test))) flaky.add(test)
        continue
      }
      const partOf = isWhole ? fileOf : groupOfRun
      const shown = new Set([...visible].flatMap(([test, keys]) => (keys.has(id) ? [partOf(test)] : [])))
      const failing = new Set(failures.map(groupOfRun))
      for (const test of met) {
        if (failing.has(groupOfRun(test))) continue
        const isShown = shown.has(partOf(test))
        const isApart = split.has(fileOf(test)) && !isWhole && groupOfRun(test) !== fileOf(test)
        if (isShown && passed.has(test)) (isApart ? state.passedApart : state.passed).add(test)
        else if (isWhole) state.unseen.add(test)
        else if (isShown) continue
        else if (split.has(fileOf(test))) join(fileOf(test))
        else isPacked = false
      }
    }
  }

  /** @returns Whether tests had to be checked, and the search was not stopped. */
  const check = async (): Promise<boolean> => {
    const killers = new Set([...states.values()].flatMap(killersOf))
    const unchecked = [...killers].filter((test) => !checked.has(test))
    const result = unchecked.length === 0 ? undefined : await run({}, runsAll ? [...known] : unchecked)
    if (result === undefined) return false
    const { failed, files } = result.observation
    if (failed.size > 0 && files !== undefined) {
      // Its file passes only after other files, in the same process.
      runsAll = true
      isPacked = false
      forget(() => true)
      return true
    }
    for (const test of unchecked) checked.add(test)
    for (const test of failed) flaky.add(test)
    return true
  }

  /** Changes with everything that a run can show. */
  const knowledge = (): string => {
    const ofStates = [...states.values()].map(({ passed, passedApart, unseen, failures }) =>
      [passed.size, passedApart.size, unseen.size, ...failures.values()].join(),
    )
    return [...ofStates, flaky.size, split.size, isPacked].join()
  }

  for (;;) {
    const before = knowledge()
    const taken = new Set<Id>()
    const planned: Serving<Id>[] = []
    while (planned.length < jobs) {
      const serve = plan(openOnes(taken), split)
      if (Object.keys(serve).length === 0) break
      for (const id of Object.values(serve)) taken.add(id)
      planned.push(serve)
    }
    const results = await Promise.all(
      planned.map(async (serve) => [serve, await run(serve, runsAll ? [...known] : testsOf(serve))] as const),
    )
    for (const [serve, result] of results) if (result !== undefined) note(serve, result)
    if (results.some(([, result]) => result === undefined)) break
    if (planned.length === 0 && !(await check())) break
    if (planned.length > 0 && knowledge() === before) {
      // A test may never run, because an earlier one fails.
      if (!isPacked) break
      isPacked = false
    }
  }

  const resultOf = (id: Id, state: State): MutantResult<Id> => {
    const metBy = state.met.filter((test) => !flaky.has(test))
    const killedBy = killersOf(state)
    // A line at the end of a test counts for the next one too, which then may never show the mutant again.
    const survived = state.passed.size > 0 && state.met.every((test) => isDone(state, test) || state.unseen.has(test))
    const isKilled = isSure(id, state)
    const status = metBy.length === 0 ? 'notMet' : isKilled ? 'killed' : survived ? 'survived' : 'notJudged'
    return { id, status, metBy, killedBy }
  }
  return { results: [...states].map(([id, state]) => resultOf(id, state)), flaky: [...flaky] }
}

const meets = (runs: readonly Observation[], test: TestId, id: string): boolean =>
  runs.some(({ visible }) => visible.get(test)?.has(id))

type State = ReturnType<typeof stateOf>

const stateOf = (id: string, unchanged: readonly Observation[], flaky: ReadonlySet<TestId>) => {
  const tests = [...new Set(unchanged.flatMap(({ visible }) => [...visible.keys()]))].filter(
    (test) => !flaky.has(test) && meets(unchanged, test, id),
  )
  const known = tests.filter((test) => test !== wholeCommand)
  return {
    /** The command as a whole meets a mutant only if no test does. */
    met: known.length > 0 ? known : tests,
    passed: new Set<TestId>(),
    /** The tests that passed while other groups of their file had no mutant, or another one. */
    passedApart: new Set<TestId>(),
    /** Those that ran without a response that showed it. */
    unseen: new Set<TestId>(),
    failures: new Map<TestId, number>(),
  }
}
