import { type ChangeKey, whole } from '../evidence/plan.ts'
import { type Observation, type PlannedRun, type Serve, servedIn, type TestId, wholeCommand } from '../suite/observe.ts'
import type { GroupId, Groups } from './groups.ts'
import { nextServe, type OpenTrial, runsFor } from './next-serve.ts'

export type Search = {
  readonly keys: readonly ChangeKey[]
  /** The runs without changes; the last one passed. */
  readonly unchanged: readonly Observation[]
  readonly groups: Groups
  /** The files of tests; `undefined` if the command cannot run single files. */
  readonly filesOf: (tests: readonly TestId[]) => readonly string[] | undefined
  /** Runs the suite; `undefined` if it was stopped. @param further Approximately how many runs follow. */
  readonly run: (planned: PlannedRun, further: number) => Promise<Observation | undefined>
  /** How many runs may be in progress at the same time. */
  readonly jobs: number
  /** Whether one failing test is enough to judge a change. Default: each test is judged. */
  readonly needsOneFailure?: boolean
  /** Receives the number of exercised changes, and approximately how many runs they need. */
  readonly onPlan?: (exercised: number, runs: number) => void
}

export const whyNotJudged = {
  unseen: 'no response showed it: a cache replied, or the suite set another value',
  flaky: 'only flaky tests exercise it',
  skipped: 'a test that exercises it was skipped',
  stopped: 'the search was stopped',
}
export type NotJudged = keyof typeof whyNotJudged

export type Verdict = {
  readonly key: ChangeKey
  /** `notExercised`: no response would change. */
  readonly status: 'fails' | 'passes' | 'notExercised' | 'notJudged'
  /** Present if `status` is `notJudged`. */
  readonly reason?: NotJudged
  /** The tests in which a response would change. */
  readonly exercisedBy: readonly TestId[]
  /** The tests and hooks that fail with the change; `wholeCommand` if only the command is known to fail. */
  readonly failing: readonly TestId[]
}

export type Verdicts = {
  readonly verdicts: readonly Verdict[]
  /** The tests that failed without a change, or both failed and passed with the same change. */
  readonly flaky: ReadonlySet<TestId>
}

/** The tests for which a change is not yet decided, by change. */
type Open = ReadonlyMap<ChangeKey, readonly TestId[]>

/** The results of one test under one change. */
type Trial = {
  fails: number
  passes: number
  /** How often the test passed without a response that showed the change. */
  unseen: number
  /** Whether the test failed in a run that served this change alone, to all groups that exercise the change. */
  failedAlone?: boolean
  passedAlone?: boolean
  /** The changes served in the run of the first failure. */
  failedIn?: Serve
}

/** Once a test has failed repeatedly under this many changes, one failure under a further change alone is enough. */
const enoughRepeats = 4
/** Bounds the search: a suite that behaves differently in each run would need runs without end. */
const maxRuns = 1_000

/**
 * Runs a suite with one change for each group of tests at a time, until each change is judged in each test that
 * exercises it. A pass counts if a response of the test showed the change; a failure counts if a run with this change
 * alone repeats it.
 */
export const judgeTrials = async (search: Search): Promise<Verdicts> => {
  const { keys, unchanged, groups, filesOf, run, jobs, needsOneFailure = false, onPlan } = search
  const known = new Set(unchanged.flatMap(({ passed }) => [...passed]))
  const flaky = new Set(unchanged.flatMap(({ failed }) => [...failed]))
  const meets = (test: TestId, key: ChangeKey): boolean =>
    unchanged.some(({ visible }) => visible.get(test)?.has(key) === true)
  const trials = new Map(
    keys.map((key) => {
      const met = [...known].filter((test) => meets(test, key))
      return [key, new Map(met.map((test): [TestId, Trial] => [test, newTrial()]))] as const
    }),
  )
  const trialsOf = (key: ChangeKey): Map<TestId, Trial> => trials.get(key) ?? new Map()
  const breaksCommand = new Set<ChangeKey>()
  /** Trials that are abandoned because more runs would show nothing, by key and group. */
  const givenUp = new Set<string>()
  /**
   * Runs to do next: with half of the changes, because the command failed; or once more, because the tests in `again`
   * failed without a change of their group.
   */
  const doubts: { readonly serve: Serve; readonly again?: readonly TestId[] }[] = []
  /** Failed tests that were repeated without changes. */
  const checked = new Set<TestId>()
  let runsAllFiles = false
  let runs = 0

  const { groupOf } = groups
  const hasFailedAgain = (key: ChangeKey, test: TestId): boolean => (trialsOf(key).get(test)?.fails ?? 0) > 1
  const isReliable = (test: TestId): boolean =>
    known.has(test) && keys.filter((key) => hasFailedAgain(key, test)).length >= enoughRepeats
  const isConfirmed = (key: ChangeKey, test: TestId): boolean =>
    !flaky.has(test) && trialsOf(key).get(test)?.failedAlone === true && (hasFailedAgain(key, test) || isReliable(test))
  const failingOf = (key: ChangeKey): readonly TestId[] =>
    [...trialsOf(key).keys()].filter((test) => isConfirmed(key, test))

  const openTests = (): Open =>
    new Map(
      keys.flatMap((key) => {
        if (breaksCommand.has(key)) return []
        const failing = failingOf(key)
        if (needsOneFailure && failing.length > 0) return []
        const failingGroups = new Set(failing.map(groupOf))
        const open = [...trialsOf(key)].filter(([test, { fails, passes, unseen }]) => {
          if (flaky.has(test) || givenUp.has(trialName(key, groupOf(test)))) return false
          if (fails > 0) return !isConfirmed(key, test)
          // A failing test or command may have kept other tests of the group from running. Do not try the others again.
          const isHidden = test === wholeCommand ? failing.length > 0 : failingGroups.has(groupOf(test))
          return passes + unseen === 0 && !isHidden
        })
        const failed = open.filter(([, { fails }]) => fails > 0)
        const next = needsOneFailure && failed.length > 0 ? failed : open
        return next.length === 0 ? [] : [[key, next.map(([test]) => test)] as const]
      }),
    )

  /** Starts over, because earlier runs mixed changes for tests that depend on each other. */
  const forget = (): void => {
    for (const ofKey of trials.values())
      for (const test of [...ofKey.keys()])
        if (known.has(test)) ofKey.set(test, newTrial())
        else ofKey.delete(test)
    for (const set of [breaksCommand, givenUp]) set.clear()
    doubts.length = 0
  }

  /** Handles a test that failed and passed with the same change: it is flaky, or another group's change broke it. */
  const contradict = (test: TestId, { failedIn = {}, failedAlone, passedAlone }: Trial): void => {
    if (!passedAlone) return
    if (failedAlone) flaky.add(test)
    else doubts.push({ serve: failedIn, again: [test] })
  }

  /** The groups that exercise a change. */
  const meeting = (key: ChangeKey): readonly GroupId[] => {
    const met = new Set([...trialsOf(key).keys()].map(groupOf))
    return met.has(whole) ? [whole] : [...met]
  }

  /** Whether a run serves one change alone, to all groups that exercise it: only this change can explain a failure. */
  const isAlone = (key: ChangeKey, serve: Serve): boolean =>
    servedIn(serve).length === 1 &&
    (serve[whole] !== undefined || meeting(key).every((group) => serve[group] !== undefined))

  const noteFailure = (key: ChangeKey, test: TestId, serve: Serve, isAlone: boolean): void => {
    const trial = trialsOf(key).get(test) ?? newTrial()
    trialsOf(key).set(test, trial)
    trial.fails++
    trial.failedIn ??= serve
    trial.failedAlone ||= isAlone
    contradict(test, trial)
    if (test === wholeCommand && hasFailedAgain(key, test)) breaksCommand.add(key)
  }

  const noteGroup = (
    group: GroupId,
    key: ChangeKey,
    serve: Serve,
    { passed, visible, ...observed }: Observation,
  ): void => {
    const isIn = (test: TestId): boolean => group === whole || groupOf(test) === group
    const failed = [...observed.failed].filter((test) => isIn(test) && !flaky.has(test))
    const alone = isAlone(key, serve)
    for (const test of failed) noteFailure(key, test, serve, alone)
    for (const [test, trial] of trialsOf(key)) {
      if (!isIn(test) || flaky.has(test)) continue
      // Hooks are recorded only when they fail.
      const hasPassed = passed.has(test) || (!known.has(test) && !observed.failed.has(test))
      if (!hasPassed) continue
      trial.passedAlone ||= alone
      if (trial.fails > 0) contradict(test, trial)
      if (visible.get(test)?.has(key)) trial.passes++
      // A failing test may deprive other tests of their preconditions.
      else if (failed.length === 0) trial.unseen++
    }
  }

  const note = (serve: Serve, observation: Observation, again: readonly TestId[]): void => {
    const { failed, passed, timedOut } = observation
    const served = servedIn(serve)
    const [key] = served
    for (const test of again) if (!failed.has(test)) flaky.add(test)
    // The test failed again without a change of its group, so it depends on another group.
    if (again.some((test) => failed.has(test) && !flaky.has(test))) {
      if (groups.join()) forget()
      return
    }
    const isCommandDown = timedOut || (failed.has(wholeCommand) && !flaky.has(wholeCommand))
    if (isCommandDown && served.length > 1) {
      const half = Math.ceil(served.length / 2)
      for (const part of [served.slice(0, half), served.slice(half)])
        doubts.push({
          serve: Object.fromEntries(Object.entries(serve).filter(([, keys]) => keys.some((key) => part.includes(key)))),
        })
      return
    }
    if (failed.has(wholeCommand) && !flaky.has(wholeCommand) && serve[whole] === undefined && key !== undefined)
      noteFailure(key, wholeCommand, serve, isAlone(key, serve))
    const isServed = (test: TestId): boolean => serve[whole] !== undefined || serve[groupOf(test)] !== undefined
    const strange = [...failed].filter((test) => !flaky.has(test) && test !== wholeCommand && !isServed(test))
    if (strange.length > 0 && again.length === 0) doubts.push({ serve, again: strange })
    const ran = new Set([...passed, ...failed].map(groupOf))
    for (const [group, [key]] of Object.entries(serve))
      if (key !== undefined && (group === whole || ran.has(group))) noteGroup(group, key, serve, observation)
  }

  const filesFor = (tests: readonly TestId[]): readonly string[] | undefined =>
    runsAllFiles || !groups.canSelectFiles() ? undefined : filesOf(tests)

  type Next = { readonly serve: Serve; readonly tests: readonly TestId[]; readonly again: readonly TestId[] }

  const inGroups = (tests: readonly TestId[]): ReadonlyMap<GroupId, readonly TestId[]> => {
    const byGroup = new Map<GroupId, TestId[]>()
    for (const test of tests) {
      const group = groupOf(test)
      const own = byGroup.get(group)
      if (own === undefined) byGroup.set(group, [test])
      else own.push(test)
    }
    return byGroup
  }

  const openTrials = (open: Open): readonly OpenTrial[] =>
    [...open].flatMap(([key, tests]) =>
      [...inGroups(tests)].map(([group, own]) => ({
        key,
        group,
        hasFailed: own.some((test) => (trialsOf(key).get(test)?.fails ?? 0) > 0),
      })),
    )

  /** The next runs, at most `jobs`. */
  const planNext = (open: Open): readonly Next[] => {
    if (doubts.length > 0)
      return doubts.splice(0, jobs).map(({ serve, again = [] }) => ({ serve, again, tests: [...known] }))
    const taken = new Set<string>()
    const planned: Next[] = []
    while (planned.length < jobs) {
      const serve = nextServe(
        openTrials(open).filter(({ key, group }) => !taken.has(trialName(key, group))),
        meeting,
      )
      const entries = Object.entries(serve)
      if (entries.length === 0) break
      for (const { key, group } of openTrials(open))
        if (serve[whole]?.includes(key) || serve[group]?.includes(key)) taken.add(trialName(key, group))
      const tests = entries.flatMap(([group, [key = '']]) =>
        [...trialsOf(key).keys()].filter((test) => group === whole || groupOf(test) === group),
      )
      planned.push({ serve, tests, again: [] })
    }
    return planned
  }

  const runOnce = (
    { serve, tests }: Pick<Next, 'serve' | 'tests'>,
    further: number,
  ): Promise<Observation | undefined> => {
    runs++
    return run({ serve, files: filesFor(tests) }, further)
  }

  /**
   * Repeats failed tests without changes.
   * @returns Whether the search continues.
   */
  const check = async (): Promise<boolean> => {
    const unchecked = [...new Set(keys.flatMap(failingOf))].filter((test) => !checked.has(test))
    const result = unchecked.length === 0 ? undefined : await runOnce({ serve: {}, tests: unchecked }, 0)
    if (result === undefined) return false
    if (result.failed.size > 0 && result.files !== undefined) {
      const again = await runOnce({ serve: {}, tests: unchecked }, 0)
      if (again === undefined) return false
      if ([...again.failed].some((test) => result.failed.has(test))) {
        // The file passes only after other files in the same process.
        runsAllFiles = true
        forget()
        return true
      }
    }
    for (const test of unchecked) checked.add(test)
    for (const test of result.failed) flaky.add(test)
    return result.failed.size > 0
  }

  /** A fingerprint of the findings. A repeated finding does not change it. */
  const knowledge = (): string =>
    [
      ...[...trials.values()].flatMap((ofKey) =>
        [...ofKey.values()].map(
          ({ fails, passes, unseen }) => `${Math.min(fails, 2)}${Math.min(passes, 1)}${Math.min(unseen, 1)}`,
        ),
      ),
      flaky.size,
      givenUp.size,
      doubts.length,
      ...[...known].map(groupOf),
    ].join()

  const exercised = keys.filter((key) => trialsOf(key).size > 0).length
  onPlan?.(exercised, runsFor(openTrials(openTests())))
  while (runs < maxRuns) {
    const before = knowledge()
    const open = openTests()
    const isChecking = doubts.length > 0
    const planned = planNext(open)
    if (planned.length === 0) {
      if (await check()) continue
      break
    }
    const further = Math.max(0, runsFor(openTrials(open)) - planned.length)
    const results = await Promise.all(planned.map((next) => runOnce(next, further)))
    for (const [index, result] of results.entries()) {
      const next = planned[index]
      if (result !== undefined && next !== undefined) note(next.serve, result, next.again)
    }
    if (results.some((result) => result === undefined)) break
    if (isChecking || knowledge() !== before) continue
    for (const { serve } of planned)
      for (const [group, [key = '']] of Object.entries(serve)) givenUp.add(trialName(key, group))
  }

  const open = openTests()
  const verdictOf = (key: ChangeKey): Verdict => {
    const all = [...trialsOf(key)].filter(([test]) => !flaky.has(test))
    const exercisedBy = [...trialsOf(key).keys()].filter((test) => meets(test, key))
    const failing = failingOf(key)
    const hasPassed = all.some(([, { passes }]) => passes > 0)
    const isGivenUp = all.some(([test]) => givenUp.has(trialName(key, groupOf(test))))
    const verdict = (): Pick<Verdict, 'status' | 'reason'> => {
      if (failing.length > 0) return { status: 'fails' }
      if (exercisedBy.length === 0) return { status: 'notExercised' }
      const notJudged = (reason: NotJudged) => ({ status: 'notJudged', reason }) as const
      if (all.length === 0) return notJudged('flaky')
      if (open.has(key)) return notJudged('stopped')
      if (isGivenUp) return notJudged('skipped')
      return hasPassed ? { status: 'passes' } : notJudged('unseen')
    }
    return { key, ...verdict(), exercisedBy, failing }
  }
  return { verdicts: keys.map(verdictOf), flaky }
}

const newTrial = (): Trial => ({ fails: 0, passes: 0, unseen: 0 })

const trialName = (key: ChangeKey, group: GroupId): string => `${key} ${group}`
