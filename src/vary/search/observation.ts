/** An alternative as text, such as `list.order=newest`. */
export type AlternativeKey = string

/** Identifies a test: its file and its name. */
export type TestId = string

/** Stands for the whole command, which fails or passes where no test is known. */
export const wholeCommand: TestId = ''

/** One run of a test suite, as far as the planner is concerned. */
export type Observation = {
  /** The alternatives that were in force; none for a run without changes. */
  readonly set: readonly AlternativeKey[]
  /** The test files that ran; `undefined` for all. */
  readonly files: readonly string[] | undefined
  readonly failed: ReadonlySet<TestId>
  readonly passed: ReadonlySet<TestId>
  /** The alternatives that would change a response to a test. One that was set belongs to a test if a response depends on it. */
  readonly visible: ReadonlyMap<TestId, ReadonlySet<AlternativeKey>>
}

/** The assumption of an alternative: `list.order` of `list.order=newest`. */
export const idIn = (key: AlternativeKey): string => key.slice(0, key.indexOf('='))

export const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((key) => b.includes(key))
