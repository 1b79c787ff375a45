import { type Observation, type TestId, wholeCommand } from './observation.ts'

/** The mutant that each file gets; `*` is every file. */
export type Serving<Id extends string> = Readonly<Record<string, Id>>

/** One run under mutants. */
export type MutantRun = {
  readonly observation: Observation
  readonly timedOut: boolean
}

export type MutantSearch<Id extends string> = {
  readonly mutants: readonly Id[]
  /** The runs without mutants; the last one passed. */
  readonly unchanged: readonly Observation[]
  /** Whether each exchange tells the file of its test, so that each file can get its own mutant. */
  readonly isFileKnown: boolean
  readonly fileOf: (test: TestId) => string
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

/** What is known of a mutant. */
type State = {
  /** The tests that meet it, by file. */
  readonly met: ReadonlyMap<string, readonly TestId[]>
  /** The files whose tests passed, and those in which no response showed it. */
  readonly passed: Set<string>
  readonly unseen: Set<string>
  /** How often each test failed. */
  readonly failures: Map<TestId, number>
}

/** How many mutants a test has to fail under again before a single failure of it counts. */
const enoughRepeats = 4

/**
 * Serves mutants to the tests that meet them, until a test has failed or all have passed. A failure is repeated, and the
 * tests that failed run once more without mutants: one that passes now, or fails there, is flaky and counts for nothing.
 */
export const killMutants = async <Id extends string>(search: MutantSearch<Id>): Promise<MutantResults<Id>> => {
  const { mutants, unchanged, fileOf, run, jobs = 1 } = search
  const flaky = new Set(unchanged.flatMap(({ failed }) => [...failed]))
  const states = new Map(mutants.map((id) => [id, stateOf(id, unchanged, flaky, fileOf)] as const))
  /** Tests that ran without mutants after they had failed under some. */
  const checked = new Set<TestId>()
  let isPacked = search.isFileKnown

  const killersOf = ({ failures }: State): readonly TestId[] => [...failures.keys()].filter((test) => !flaky.has(test))
  const hasFailedAgain = (state: State, test: TestId): boolean => (state.failures.get(test) ?? 0) > 1
  const isReliable = (test: TestId): boolean =>
    [...states.values()].filter((state) => hasFailedAgain(state, test)).length >= enoughRepeats
  /** A test that fails without meeting its mutant depends on others, if it is not flaky. */
  const isSure = (id: Id, state: State): boolean =>
    killersOf(state).some((test) => hasFailedAgain(state, test) || (meets(unchanged, test, id) && isReliable(test)))
  const isOpenIn = (id: Id, state: State, file: string): boolean => {
    const killers = killersOf(state).map(fileIn)
    if (killers.length > 0) return !isSure(id, state) && killers.some((own) => own === file || !state.met.has(own))
    return !state.passed.has(file) && !state.unseen.has(file)
  }
  const fileIn = (test: TestId): string => (test === wholeCommand ? '' : fileOf(test))

  /** The next mutant of each file: one that no other file gets in this run, if possible. */
  const plan = (taken: ReadonlySet<Id>): Serving<Id> => {
    const open = [...states].flatMap(([id, state]) =>
      taken.has(id) ? [] : [...state.met.keys()].flatMap((file) => (isOpenIn(id, state, file) ? [{ id, file }] : [])),
    )
    if (!isPacked) return open[0] === undefined ? {} : ({ '*': open[0].id } as Serving<Id>)
    const serve: Record<string, Id> = {}
    const uses = new Map<Id, number>()
    for (const file of new Set(open.map(({ file }) => file))) {
      const usesOf = ({ id }: { readonly id: Id }): number => uses.get(id) ?? 0
      const [least] = open.filter((one) => one.file === file).toSorted((a, b) => usesOf(a) - usesOf(b))
      if (least === undefined) continue
      serve[file] = least.id
      uses.set(least.id, usesOf(least) + 1)
    }
    return serve
  }

  const testsOf = (serve: Serving<Id>): readonly TestId[] =>
    [...states].flatMap(([id, { met }]) =>
      [...met].flatMap(([file, tests]) => (serve[file] === id || serve['*'] === id ? tests : [])),
    )

  const note = (serve: Serving<Id>, { observation, timedOut }: MutantRun): void => {
    const failed = [...observation.failed].filter((test) => !flaky.has(test))
    const isWhole = serve['*'] !== undefined
    // The failure could be that of any file.
    if (!isWhole && (timedOut || failed.includes(wholeCommand))) {
      isPacked = false
      return
    }
    // A runner may stop at the first failure: other files did not run.
    const ran = new Set([...observation.passed, ...observation.failed].map(fileIn))
    if (!isWhole && !Object.keys(serve).some((file) => ran.has(file))) isPacked = false
    for (const [id, state] of states) {
      const files = [...state.met.keys()].filter((file) =>
        isWhole ? serve['*'] === id : serve[file] === id && ran.has(file),
      )
      if (files.length === 0) continue
      const failures = failed.filter((test) => isWhole || files.includes(fileIn(test)))
      const before = killersOf(state)
      for (const test of failures) state.failures.set(test, (state.failures.get(test) ?? 0) + 1)
      if (before.length > 0) {
        // The repeat of a failure: a test that passes now is flaky.
        for (const test of before)
          if ((isWhole ? ran.has(fileIn(test)) : files.includes(fileIn(test))) && !failures.includes(test))
            flaky.add(test)
        continue
      }
      for (const file of files) {
        const isShown = [...observation.visible].some(
          ([test, keys]) => (isWhole || fileIn(test) === file) && keys.has(id),
        )
        if (failures.some((test) => isWhole || fileIn(test) === file)) continue
        if (isShown) state.passed.add(file)
        else if (isWhole) state.unseen.add(file)
        else isPacked = false
      }
    }
  }

  /** @returns Whether tests had to be checked, and the search was not stopped. */
  const check = async (): Promise<boolean> => {
    const killers = new Set([...states.values()].flatMap(killersOf))
    const unchecked = [...killers].filter((test) => !checked.has(test))
    const result = unchecked.length === 0 ? undefined : await run({}, unchecked)
    for (const test of unchecked) checked.add(test)
    for (const test of result?.observation.failed ?? []) flaky.add(test)
    return result !== undefined
  }

  for (;;) {
    const taken = new Set<Id>()
    const planned: Serving<Id>[] = []
    while (planned.length < jobs) {
      const serve = plan(taken)
      if (Object.keys(serve).length === 0) break
      for (const id of Object.values(serve)) taken.add(id)
      planned.push(serve)
    }
    const results = await Promise.all(planned.map(async (serve) => [serve, await run(serve, testsOf(serve))] as const))
    for (const [serve, result] of results) if (result !== undefined) note(serve, result)
    if (results.some(([, result]) => result === undefined)) break
    if (planned.length === 0 && !(await check())) break
  }

  const resultOf = (id: Id, state: State): MutantResult<Id> => {
    const metBy = [...state.met.values()].flat().filter((test) => !flaky.has(test))
    const killedBy = killersOf(state)
    const isDone = [...state.met.keys()].every((file) => state.passed.has(file))
    const isKilled = isSure(id, state)
    const status = metBy.length === 0 ? 'notMet' : isKilled ? 'killed' : isDone ? 'survived' : 'notJudged'
    return { id, status, metBy, killedBy }
  }
  return { results: [...states].map(([id, state]) => resultOf(id, state)), flaky: [...flaky] }
}

const meets = (runs: readonly Observation[], test: TestId, id: string): boolean =>
  runs.some(({ visible }) => visible.get(test)?.has(id))

/** The command as a whole meets a mutant only if no test does. */
const stateOf = (
  id: string,
  unchanged: readonly Observation[],
  flaky: ReadonlySet<TestId>,
  fileOf: (test: TestId) => string,
): State => {
  const tests = [...new Set(unchanged.flatMap(({ visible }) => [...visible.keys()]))].filter(
    (test) => !flaky.has(test) && meets(unchanged, test, id),
  )
  const known = tests.filter((test) => test !== wholeCommand)
  const met = new Map<string, readonly TestId[]>()
  for (const test of known.length > 0 ? known : tests) {
    const file = test === wholeCommand ? '' : fileOf(test)
    met.set(file, [...(met.get(file) ?? []), test])
  }
  return { met, passed: new Set(), unseen: new Set(), failures: new Map() }
}
