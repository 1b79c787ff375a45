import type { AssumptionId } from '../../core/assumptions/registry.ts'
import { type AlternativeKey, idIn, isSameSet, type SuiteRun, type TestId, wholeCommand } from '../suite/observe.ts'
import type { TestResult } from '../suite/test-result.ts'
import type { Findings } from './find-causes.ts'

/** Alternatives that break tests: one, or several that do so only together. */
export type Broken = {
  readonly set: readonly AlternativeKey[]
  /** The tests that fail; none when only the command is known to fail. */
  readonly tests: readonly TestResult[]
}

export type Summary = {
  readonly broken: readonly Broken[]
  readonly flaky: readonly TestResult[]
  /** Whether the command failed and passed under the same alternatives, without a test that did. */
  readonly isCommandFlaky: boolean
  readonly passed: readonly AlternativeKey[]
  /** Not exercised: no response would change. */
  readonly notMet: readonly AlternativeKey[]
  /** Tests set these assumptions themselves. */
  readonly fixed: readonly AlternativeKey[]
  /** Set, but never visible in a response: a cache replied, or the suite set something else. */
  readonly ineffective: readonly AlternativeKey[]
  /** Visible, but undecided: the search was stopped, or only flaky tests see them. */
  readonly notJudged: readonly AlternativeKey[]
  readonly metBy: ReadonlyMap<AlternativeKey, readonly TestId[]>
}

/** The failed tests of each run by id: a suite may have many thousand tests. */
type Failures = readonly { readonly set: readonly AlternativeKey[]; readonly tests: ReadonlyMap<TestId, TestResult> }[]

/**
 * Sums up a search.
 * @param planned The alternatives to be tried.
 * @param failedTests The failed tests of each run, for their messages.
 */
export const summarise = (
  { judgements, observations }: Findings,
  planned: readonly AlternativeKey[],
  fixedIds: ReadonlySet<AssumptionId>,
  failedTests: readonly Pick<SuiteRun, 'set' | 'tests'>[],
): Summary => {
  const failures = failedTests.map(({ set, tests = [] }) => ({
    set,
    tests: new Map(tests.map((test) => [test.id, test])),
  }))
  const tried = new Set(observations.flatMap(({ set }) => set))
  const judged = [...judgements.values()]
  const broken = brokenIn(judgements, planned, failures)
  const single = new Set(broken.flatMap(({ set }) => (set.length === 1 ? set : [])))
  const isVisible = (key: AlternativeKey): boolean => judged.some(({ visible }) => visible.has(key))
  const isCleared = (key: AlternativeKey): boolean =>
    tried.has(key) && judged.every(({ visible, cleared }) => !visible.has(key) || cleared.has(key))
  const others = planned.filter((key) => !single.has(key))
  const unseen = others.filter((key) => !isVisible(key))
  const isFixed = (key: AlternativeKey): boolean => fixedIds.has(idIn(key) as AssumptionId)
  const flakyTests = [...judgements].flatMap(([test, { isFlaky }]) => (isFlaky ? [test] : []))
  return {
    broken,
    flaky: flakyTests.flatMap((test) => lastFailure(test, [], failures) ?? []),
    isCommandFlaky: flakyTests.includes(wholeCommand),
    passed: others.filter((key) => isVisible(key) && isCleared(key)),
    notMet: unseen.filter((key) => !isFixed(key)),
    fixed: unseen.filter(isFixed),
    ineffective: others.filter((key) => judged.some(({ ineffective }) => ineffective.has(key))),
    notJudged: others.filter((key) => isVisible(key) && !isCleared(key)),
    metBy: new Map(planned.map((key) => [key, metBy(judgements, key)])),
  }
}

const metBy = (judgements: Findings['judgements'], key: AlternativeKey): readonly TestId[] =>
  [...judgements].flatMap(([test, { visible }]) => (test !== wholeCommand && visible.has(key) ? [test] : []))

/** The causes of all tests, in the order of the alternatives. */
const brokenIn = (
  judgements: Findings['judgements'],
  planned: readonly AlternativeKey[],
  failures: Failures,
): readonly Broken[] => {
  const found: { set: readonly AlternativeKey[]; tests: TestResult[] }[] = []
  for (const [test, { causes }] of judgements)
    for (const set of causes) {
      const known = found.find((other) => isSameSet(other.set, set))
      const entry = known ?? { set, tests: [] }
      if (known === undefined) found.push(entry)
      entry.tests.push(...(test === wholeCommand ? [] : (lastFailure(test, set, failures) ?? [])))
    }
  const position = ({ set }: Broken): number => Math.min(...set.map((key) => planned.indexOf(key)))
  return found.toSorted((a, b) => a.set.length - b.set.length || position(a) - position(b))
}

/** The failure of a test under these alternatives, with as few others as possible. */
const lastFailure = (test: TestId, set: readonly AlternativeKey[], failures: Failures): [TestResult] | undefined => {
  const [run] = failures
    .filter(({ set: all, tests }) => set.every((key) => all.includes(key)) && tests.has(test))
    .toSorted((a, b) => a.set.length - b.set.length)
  const found = run?.tests.get(test)
  return found && [found]
}
