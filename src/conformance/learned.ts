import type { AssumptionFile, Entries, Entry } from '../assumptions/file.ts'
import { type AssumptionId, assumptionRegistry } from '../assumptions/registry.ts'
import type { Observation } from '../assumptions/resolve.ts'
import type { AssumptionResult } from './check.ts'

/** An assumption whose observed behaviour differs from what a file expects. */
export type Change = {
  readonly id: AssumptionId
  readonly section: string
  /** A value, or behaviour in words. */
  readonly was: string
  readonly is: string
}

/** The value or the behaviour that a result shows; `undefined` for an unseen one. */
const seenIn = (result: AssumptionResult): string | undefined =>
  result.outcome === 'unseen' ? undefined : String(result.found)

const seenBefore = (entry: Entry | undefined): string | undefined => {
  if (entry === undefined || 'unseen' in entry) return undefined
  return 'value' in entry ? String(entry.value) : entry.other
}

/** A delay was measured, and differs from night to night: by less than this factor, it is the same. */
const maxDelayFactor = 3

const delayIn = (seen: string): number => Number(/^after-ms:(\d+)$/.exec(seen)?.[1] ?? Number.NaN)

const isSame = (was: string, is: string): boolean => {
  if (was === is) return true
  const ratio = delayIn(was) / delayIn(is)
  return ratio < maxDelayFactor && ratio > 1 / maxDelayFactor
}

/** Compares results with an assumptions file. What either did not see is no change. */
export const changesSince = (results: readonly AssumptionResult[], expected: Entries): readonly Change[] =>
  results.flatMap((result) => {
    const [was, is] = [seenBefore(expected.get(result.id)), seenIn(result)]
    return was === undefined || is === undefined || isSame(was, is)
      ? []
      : [{ id: result.id, section: result.section, was, is }]
  })

const $schema = './node_modules/plant-mock/fixtures/assumptions.schema.json'

/**
 * The assumptions file of a service: what was seen, also behaviour that is no value, and why the rest was not. An entry
 * of the previous file stays as it is unless something else was seen, so that the file changes only with the service.
 */
export const learn = (
  results: readonly AssumptionResult[],
  previous: Entries,
  observed: Observation,
): AssumptionFile => {
  const found = new Map(results.map((result) => [result.id, result]))
  const entries = assumptionRegistry.flatMap(({ id }) => {
    const result = found.get(id)
    const entry = result === undefined ? previous.get(id) : learnOne(result, previous.get(id), observed)
    return entry === undefined ? [] : [[id, entry] as const]
  })
  return { $schema, assumptions: Object.fromEntries(entries) }
}

const learnOne = (result: AssumptionResult, previous: Entry | undefined, observed: Observation): Entry => {
  const [was, seen] = [seenBefore(previous), seenIn(result)]
  if (previous !== undefined && (seen === undefined || (was !== undefined && isSame(was, seen)))) return previous
  if (result.outcome === 'unseen') return { unseen: result.reason }
  return result.outcome === 'other' ? { other: result.found, observed } : { value: result.found, observed }
}
