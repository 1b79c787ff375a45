import { seededRandom } from '../../util/random.ts'

/** The mutant that each group of tests gets; `*` is the whole command. */
export type Serving<Id extends string> = Readonly<Record<string, Id>>

/** A mutant that a group of tests still needs. */
export type OpenMutant<Id extends string> = {
  readonly id: Id
  readonly group: string
  readonly file: string
  /** Whether a test has failed under it, which is to be repeated. */
  readonly isRepeat: boolean
}

/**
 * Plans the runs of a search: each call returns the next mutant of each group, one that no other group gets if possible.
 * In a file of several groups, failures are repeated in one half of the groups, and then in the other.
 */
export const mutantPlanner = <Id extends string>() => {
  const random = seededRandom(1)
  /** The files that have repeated a failure. */
  const repeated = new Set<string>()
  let rounds = 0
  let halves = new Map<string, boolean>()

  const isInHalf = (group: string): boolean => {
    const half = halves.get(group) ?? random() < 0.5
    halves.set(group, half)
    return half === (rounds % 2 === 1)
  }

  const withControls = (open: readonly OpenMutant<Id>[], file: string): readonly OpenMutant<Id>[] => {
    const others = open.filter((one) => one.file !== file)
    const repeats = open.filter((one) => one.file === file && one.isRepeat)
    const searched = open.filter((one) => one.file === file && !one.isRepeat)
    // Once soon, because results are lost if the tests depend on each other; then at the end, where most go together.
    if (repeats.length === 0 || (searched.length > 0 && repeated.has(file))) return [...others, ...searched]
    repeated.add(file)
    const groups = [...new Set(repeats.map(({ group }) => group))]
    const half = groups.filter(isInHalf)
    const served = half.length > 0 ? half : groups.slice(0, 1)
    return [...others, ...repeats.filter(({ group }) => served.includes(group))]
  }

  /** @param split The files with several groups. */
  return (open: readonly OpenMutant<Id>[], split: ReadonlySet<string>): Serving<Id> => {
    if (rounds++ % 2 === 0) halves = new Map()
    return assigned([...split].reduce(withControls, open))
  }
}

/** Groups with few choices choose first, and prefer mutants that few groups need. */
const assigned = <Id extends string>(open: readonly OpenMutant<Id>[]): Serving<Id> => {
  const choicesOf = new Map<string, OpenMutant<Id>[]>()
  const needs = new Map<Id, number>()
  for (const one of open) {
    choicesOf.set(one.group, [...(choicesOf.get(one.group) ?? []), one])
    needs.set(one.id, (needs.get(one.id) ?? 0) + 1)
  }
  const uses = new Map<Id, number>()
  const rankOf = ({ id }: OpenMutant<Id>): number => (uses.get(id) ?? 0) * open.length + (needs.get(id) ?? 0)
  const serve: Record<string, Id> = {}
  for (const [group, choices] of [...choicesOf].toSorted(([, a], [, b]) => a.length - b.length)) {
    const { id } = choices.reduce((best, one) => (rankOf(one) < rankOf(best) ? one : best))
    serve[group] = id
    uses.set(id, (uses.get(id) ?? 0) + 1)
  }
  return serve
}
