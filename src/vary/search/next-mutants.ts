import { seededRandom } from '../../util/random.ts'
import { whole } from '../evidence/serve-plan.ts'

/** The mutant that each group of tests gets; `*` is the whole command. */
export type Serving<Id extends string> = Readonly<Record<string, Id>>

export type OpenMutant<Id extends string> = {
  readonly id: Id
  /** One of the file; or the file itself or `*`, after each of the groups. */
  readonly group: string
  readonly file: string
}

/**
 * Plans the runs of a search: each call returns the next mutant of each group, one that no other group gets if possible.
 * In a file of several groups, one half of them gets mutants, and in the next run the other half.
 */
export const mutantPlanner = <Id extends string>() => {
  const random = seededRandom(1)
  let rounds = 0
  let halves = new Map<string, boolean>()

  const isInHalf = ({ group }: OpenMutant<Id>): boolean => {
    const half = halves.get(group) ?? random() < 0.5
    halves.set(group, half)
    return half === (rounds % 2 === 1)
  }

  const withControls = (open: readonly OpenMutant<Id>[], file: string): readonly OpenMutant<Id>[] => {
    const others = open.filter((one) => one.file !== file)
    const own = open.filter((one) => one.file === file)
    const inGroups = own.filter(({ group }) => group !== file && group !== whole)
    const half = inGroups.filter(isInHalf)
    if (half.length > 0) return [...others, ...half]
    return [...others, ...(inGroups.length > 0 ? inGroups : own)]
  }

  /** @param split The files with several groups. */
  return (open: readonly OpenMutant<Id>[], split: ReadonlySet<string>): Serving<Id> => {
    if (rounds++ % 2 === 0) halves = new Map()
    const next = [...split].reduce(withControls, open)
    const parts = next.filter(({ group }) => group !== whole)
    return assigned(parts.length > 0 ? parts : next)
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
