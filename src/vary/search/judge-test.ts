import { type AlternativeKey, idIn, isSameSet, type Observation, type TestId, wholeCommand } from '../suite/observe.ts'

type Trial = {
  /** The alternatives in force that are visible in this test; others cannot change its result. */
  readonly members: readonly AlternativeKey[]
  /** The members that were visible in a response to any test of this run, if a response can show them. */
  readonly shown: readonly AlternativeKey[]
  /** The members that were visible in a response to this test. */
  readonly shownHere: readonly AlternativeKey[]
  readonly failed: boolean
}

/** The alternatives that the next run must set to settle a question about a test. */
export type Demand =
  /** These alternatives, and no other that is visible in the test. */
  | { readonly kind: 'exactly'; readonly members: readonly AlternativeKey[] }
  /** Some of these alternatives, at most `max` of them, and no value of the assumptions `without`. */
  | {
      readonly kind: 'some'
      readonly members: readonly AlternativeKey[]
      readonly max: number
      readonly without?: ReadonlySet<string>
    }

/** The alternatives that break a test together, but not alone; or a single one. */
export type BreakingSet = readonly AlternativeKey[]

export type Judgement = {
  /** Whether the test failed and passed under the same alternatives. */
  readonly isFlaky: boolean
  /** The alternatives that are visible in the test. */
  readonly visible: ReadonlySet<AlternativeKey>
  /** The alternatives that do not break the test alone. */
  readonly cleared: ReadonlySet<AlternativeKey>
  /** The alternatives that seem to break the test alone, confirmed or not. */
  readonly suspects: ReadonlySet<AlternativeKey>
  /** The alternatives that were set alone and never visible in a response. */
  readonly ineffective: ReadonlySet<AlternativeKey>
  readonly causes: readonly BreakingSet[]
  /** `undefined` when nothing is left to find out. */
  readonly demand: Demand | undefined
}

/** How often a test has to fail under a cause alone. */
const aloneFailures = { usual: 1, wholeCommand: 3, flaky: 5 }
/** How often it has to fail in all, or under the cause alone, before chance is ruled out. */
const enoughFailures = { inAll: 5, alone: 4 }
/** Larger groups are halved. */
const maxTriedOneByOne = 3

/** Judges a test by all runs so far: which alternatives break it, and what to find out next. */
export const judgeTest = (test: TestId, observations: readonly Observation[]): Judgement => {
  const visibleIn = ({ visible }: Observation): readonly AlternativeKey[] => [...(visible.get(test) ?? [])]
  const seen = new Set(observations.flatMap(visibleIn))
  const visible = new Set([...seen, ...unseenSuspects(test, seen, observations)])
  const trials = observations.filter(({ failed, passed }) => failed.has(test) || passed.has(test)).map(trialOf)
  const failures = trials.filter(({ failed }) => failed)
  const passes = trials.filter(({ failed }) => !failed)

  function trialOf(run: Observation): Trial {
    const members = run.set.filter((key) => visible.has(key))
    const shown = members.filter((key) => !seen.has(key) || isShown(key, run))
    const shownHere = members.filter((key) => run.visible.get(test)?.has(key))
    return { members, shown, shownHere, failed: run.failed.has(test) }
  }

  const isFlaky = failures.some((failure) => passes.some((pass) => isSameSet(failure.members, pass.members)))
  const failsUnchanged = failures.some(({ members }) => members.length === 0)

  const seenUnchanged = new Set(observations.filter(({ set }) => set.length === 0).flatMap(visibleIn))
  /**
   * A run clears an alternative only if it was visible in a response: another of the group may have hidden it. Alone, it
   * need not be visible if it was so only beside another before.
   */
  const clears = ({ members, shown }: Trial, key: AlternativeKey): boolean =>
    members.includes(key) && (shown.includes(key) || (members.length === 1 && !seenUnchanged.has(key)))
  const cleared = new Set([...visible].filter((key) => passes.some((pass) => clears(pass, key))))

  const countAlone = (cause: BreakingSet): number => failures.filter(({ members }) => isSameSet(members, cause)).length
  const countWith = (cause: BreakingSet): number =>
    failures.filter(({ members }) => cause.every((key) => members.includes(key))).length
  const isConfirmed = (cause: BreakingSet): boolean => {
    const alone = countAlone(cause)
    const kind = isFlaky ? 'flaky' : test === wholeCommand ? 'wholeCommand' : 'usual'
    return (
      alone >= aloneFailures[kind] &&
      countWith(cause) >= 2 &&
      (alone >= enoughFailures.alone || failures.length >= enoughFailures.inAll)
    )
  }

  /** These did not take effect: nothing could hide them, and no response showed them. */
  const ineffective = new Set(
    passes.flatMap(({ members, shown }) =>
      members.length === 1 && shown.length === 0 ? members.filter((key) => seenUnchanged.has(key)) : [],
    ),
  )

  const suspects = new Set([...visible].filter((key) => !cleared.has(key) && countAlone([key]) > 0))
  const interactions: BreakingSet[] = []
  const isExplained = ({ members }: Trial): boolean =>
    members.some((key) => suspects.has(key)) ||
    interactions.some((cause) => cause.every((key) => members.includes(key))) ||
    passes.some((pass) => isSameSet(pass.members, members))

  const isPassing = (set: BreakingSet): boolean =>
    set.length === 0 ||
    (set.length === 1 && cleared.has(set[0] as string)) ||
    passes.some((pass) => isSameSet(pass.members, set))

  /** Finds the smallest failing part of a group whose members do not break the test alone; or asks for a run. */
  const reduce = (): Demand | undefined => {
    for (;;) {
      const unexplained = failures
        .filter((failure) => !isExplained(failure))
        .map(({ members }) => ({ members, open: members.filter((key) => !cleared.has(key) && !ineffective.has(key)) }))
      const [smallest] = unexplained.toSorted(
        (a, b) => a.open.length - b.open.length || a.members.length - b.members.length,
      )
      if (smallest === undefined) return undefined
      const { members, open } = smallest
      const [only] = open
      if (open.length === 1 && only !== undefined) return exactly([only])
      if (open.length > 1)
        return { kind: 'some', members: open, max: open.length <= maxTriedOneByOne ? 1 : Math.ceil(open.length / 2) }
      // A repeat is cheaper than a reduction, and tells a flaky test. It need not be repeated for a part of the group.
      if (countWith(members) < 2 || (isFlaky && countAlone(members) < 2)) return exactly(members)
      const untried = partsOf(members).find((part) => !isPassing(part))
      if (untried !== undefined) return exactly(untried)
      interactions.push(members)
    }
  }

  const demand = (): Demand | undefined => {
    if (failsUnchanged) return undefined
    const reduction = reduce()
    if (reduction !== undefined) return reduction
    const open = [...visible].filter((key) => !cleared.has(key) && !suspects.has(key) && !ineffective.has(key))
    // Other values of an assumption that breaks the test will probably break it too.
    const probable = open.find((key) => [...suspects].some((suspect) => idIn(suspect) === idIn(key)))
    if (probable !== undefined) return exactly([probable])
    const unconfirmed = [...[...suspects].map((key) => [key]), ...interactions].find((cause) => !isConfirmed(cause))
    if (unconfirmed !== undefined) return exactly(unconfirmed)
    const hiddenIn = (key: AlternativeKey) => passes.filter((pass) => pass.members.includes(key) && !clears(pass, key))
    const twice = open.find((key) => hiddenIn(key).length > 1)
    if (twice !== undefined) return exactly([twice])
    const [hiding] = open.flatMap(hiddenIn)
    if (hiding !== undefined) {
      // Only an alternative that had an effect can have hidden another.
      const without = new Set(hiding.shownHere.map(idIn))
      const members = open.filter((key) => !without.has(idIn(key)))
      return { kind: 'some', members, max: Number.POSITIVE_INFINITY, without }
    }
    if (open.length > 0) return { kind: 'some', members: open, max: Number.POSITIVE_INFINITY }
    const beside = untriedBeside()
    return beside && exactly(beside)
  }

  /** Alternatives that only others made visible, with these others: once each. */
  const untriedBeside = (): BreakingSet | undefined => {
    const reveals = observations
      .filter(({ set, passed }) => set.length > 0 && passed.has(test))
      .map((run) => ({
        members: run.set.filter((key) => visible.has(key)),
        revealed: visibleIn(run).filter((key) => cleared.has(key) && !seenUnchanged.has(key)),
      }))
      .toSorted((a, b) => a.members.length - b.members.length)
    const isTried = (key: AlternativeKey): boolean =>
      reveals.some(
        ({ members, revealed }) =>
          revealed.includes(key) &&
          trials.some(
            (trial) => [key, ...members].every((other) => trial.members.includes(other)) && trial.members.length > 1,
          ),
      )
    for (const { members, revealed } of reveals) {
      const ids = new Set(members.map(idIn))
      const added = revealed.filter((key) => !ids.has(idIn(key)) && !isTried(key) && ids.add(idIn(key)))
      if (members.length > 0 && added.length > 0) return [...members, ...added]
    }
    return undefined
  }

  const wanted = demand()
  const causes = failsUnchanged ? [] : [...[...suspects].map((key) => [key]), ...interactions].filter(isConfirmed)
  return { isFlaky: isFlaky && causes.length === 0, visible, cleared, suspects, ineffective, causes, demand: wanted }
}

/** Whether an alternative was visible in a response to any test of the run. */
const isShown = (key: AlternativeKey, run: Observation): boolean => {
  const shown = shownIn.get(run) ?? new Set([...new Set(run.visible.values())].flatMap((keys) => [...keys]))
  shownIn.set(run, shown)
  return shown.has(key)
}

/** Made once for each run: a suite may have many thousand tests. */
const shownIn = new WeakMap<Observation, ReadonlySet<AlternativeKey>>()

/**
 * A test that fails under some alternatives, and passes with the same ones as far as it sees them, may depend on an
 * earlier test: so each of the others may be the cause.
 */
const unseenSuspects = (
  test: TestId,
  seen: ReadonlySet<AlternativeKey>,
  observations: readonly Observation[],
): readonly AlternativeKey[] => {
  const seenIn = (set: readonly AlternativeKey[]) => set.filter((key) => seen.has(key))
  const passing = observations.filter(({ passed }) => passed.has(test)).map(({ set }) => seenIn(set))
  return observations
    .filter(({ set, failed }) => failed.has(test) && passing.some((other) => isSameSet(other, seenIn(set))))
    .flatMap(({ set }) => set)
}

const exactly = (members: readonly AlternativeKey[]): Demand => ({ kind: 'exactly', members })

/** The halves of a group, then the group without a quarter, then without one member. */
const partsOf = (group: BreakingSet): readonly BreakingSet[] => {
  const chunks = (size: number): readonly BreakingSet[] =>
    Array.from({ length: Math.ceil(group.length / size) }, (_, index) => group.slice(index * size, (index + 1) * size))
  const without = (chunk: BreakingSet): BreakingSet => group.filter((key) => !chunk.includes(key))
  const half = Math.ceil(group.length / 2)
  const quarter = Math.ceil(group.length / 4)
  const larger = group.length > maxTriedOneByOne ? [...chunks(half), ...chunks(quarter).map(without)] : []
  return [...larger, ...chunks(1).map(without)]
}
