import { type AlternativeKey, idIn, type TestId } from '../suite/observe.ts'
import type { Demand, Judgement } from './judge-test.ts'

/** The alternatives to set in a run, and the tests with an open question. */
export type PlannedSet = { readonly set: readonly AlternativeKey[]; readonly tests: readonly TestId[] }

/**
 * Packs as many demands as possible into one run. Two values of one assumption exclude each other, and a test whose
 * demand is met takes no further alternative that is visible in it.
 * @param taken The sets of runs that take place at the same time.
 * @param each Puts a single alternative into each run.
 * @param fileOf The file of a test. An alternative is tried exactly only if no other is visible in its file, because a
 *   test may depend on others of its file.
 * @returns `undefined` when no test demands anything more.
 */
export const nextRun = (
  judgements: ReadonlyMap<TestId, Judgement>,
  taken: readonly PlannedSet[],
  each: boolean,
  fileOf: (test: TestId) => string,
): PlannedSet | undefined => {
  const demands = [...judgements].flatMap(([test, { demand }]) => {
    const remaining = demand && withoutTaken(test, demand, taken)
    return remaining === undefined ? [] : [{ test, demand: remaining }]
  })
  const row = firstRow(demands.flatMap(({ demand }) => (isOpen(demand) ? demand.members : [])))
  const run = emptyRun(judgements, each, fileOf)
  for (const { test, demand } of demands.filter(({ demand: { kind } }) => kind === 'exactly')) run.meet(test, demand)
  for (const { test, demand } of demands.filter(({ demand }) => demand.kind === 'some' && !isOpen(demand)))
    run.meet(test, demand)
  for (const { test, demand } of demands.filter(({ demand }) => isOpen(demand)))
    run.meet(test, { ...demand, members: demand.members.filter((key) => row.has(key)) })
  return run.planned()
}

/** The part of a demand that no run at the same time meets. */
const withoutTaken = (test: TestId, demand: Demand, taken: readonly PlannedSet[]): Demand | undefined => {
  const meeting = taken.filter(({ tests }) => tests.includes(test))
  if (meeting.length === 0) return demand
  if (!isOpen(demand)) return undefined
  const members = demand.members.filter((key) => !meeting.some(({ set }) => set.includes(key)))
  return members.length === 0 ? undefined : { ...demand, members }
}

const isOpen = (demand: Demand): demand is Extract<Demand, { kind: 'some' }> =>
  demand.kind === 'some' && demand.max === Number.POSITIVE_INFINITY

/**
 * The first alternative of each assumption. The registry lists the most common ones first, so that alternatives meet in a
 * run that also meet in real services.
 */
const firstRow = (keys: readonly AlternativeKey[]): ReadonlySet<AlternativeKey> => {
  const firstOf = new Map<string, AlternativeKey>()
  for (const key of keys) if (!firstOf.has(idIn(key))) firstOf.set(idIn(key), key)
  return new Set(firstOf.values())
}

const emptyRun = (judgements: ReadonlyMap<TestId, Judgement>, each: boolean, fileOf: (test: TestId) => string) => {
  const visibleInFile = new Map<string, Set<AlternativeKey>>()
  for (const [test, { visible }] of judgements) {
    const known = visibleInFile.get(fileOf(test)) ?? new Set()
    visibleInFile.set(fileOf(test), new Set([...known, ...visible]))
  }
  const set = new Map<string, AlternativeKey>()
  /** Whether an alternative must not be added, for each test whose demand is met. */
  const met = new Map<TestId, (key: AlternativeKey) => boolean>()

  const isVisible = (test: TestId, key: AlternativeKey): boolean => judgements.get(test)?.visible.has(key) ?? false

  const isNear = (test: TestId, key: AlternativeKey): boolean => visibleInFile.get(fileOf(test))?.has(key) ?? false

  const hasRoomFor = (key: AlternativeKey): boolean => {
    const value = set.get(idIn(key))
    if (value !== undefined) return value === key
    if (each && set.size > 0) return false
    for (const isExcluded of met.values()) if (isExcluded(key)) return false
    return true
  }

  const meetExactly = (test: TestId, members: readonly AlternativeKey[]): void => {
    if ([...set.values()].some((key) => isNear(test, key) && !members.includes(key))) return
    if (new Set(members.map(idIn)).size < members.length || !members.every(hasRoomFor)) return
    if (each && members.length + set.size > 1 && !members.every((key) => set.get(idIn(key)) === key)) return
    for (const key of members) set.set(idIn(key), key)
    met.set(test, (key) => isNear(test, key))
  }

  const meetSome = (test: TestId, { members, max, without }: Extract<Demand, { kind: 'some' }>): void => {
    const cleared = judgements.get(test)?.cleared
    const counts = (key: AlternativeKey): boolean =>
      isVisible(test, key) && (without?.has(idIn(key)) || !cleared?.has(key))
    const shown = (): readonly AlternativeKey[] => [...set.values()].filter(counts)
    if (shown().length > max || shown().some((key) => !members.includes(key))) return
    for (const key of members) {
      if (set.get(idIn(key)) === key) continue
      if (shown().length < max && hasRoomFor(key)) set.set(idIn(key), key)
    }
    if (shown().length > 0) met.set(test, (key) => counts(key) && (!members.includes(key) || shown().length >= max))
  }

  return {
    meet(test: TestId, demand: Demand): void {
      if (demand.kind === 'exactly') meetExactly(test, demand.members)
      else meetSome(test, demand)
    },
    planned: (): PlannedSet | undefined =>
      set.size === 0 ? undefined : { set: [...set.values()], tests: [...met.keys()] },
  }
}
