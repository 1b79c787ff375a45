import type { Assumptions } from '../../core/assumptions/registry.ts'
import type { Alternative } from '../shadows/evidence.ts'
import type { TestRun } from '../suite/test-run.ts'
import { type AlternativeKey, idIn, type TestId, wholeCommand } from './observation.ts'
import type { Sighting } from './read-evidence.ts'

/** The alternatives to look for in a run. */
export type Lookout = {
  readonly base: Assumptions
  /** The alternatives that are in force. */
  readonly set: readonly AlternativeKey[]
  /** The alternatives to be tried in all. */
  readonly planned: readonly AlternativeKey[]
  /** The values that the mocks compared, as they count them. */
  readonly compared: readonly Alternative[]
}

/** As text, such as `list.order=newest`. */
export const keyOf = ({ id, value }: Alternative): AlternativeKey => `${id}=${value}`

/**
 * The alternatives that a sighting stands for. Where one is in force, it was visible if its assumption would have shown
 * with the value of the base.
 */
export const alternativesIn = (
  { alternatives }: Pick<Sighting, 'alternatives'>,
  { base, set, planned, compared }: Lookout,
): readonly AlternativeKey[] => {
  const inForce = new Map(set.map((key) => [idIn(key), key]))
  if (alternatives === 'all') return [...set, ...planned.filter((key) => !inForce.has(idIn(key)))]
  return alternatives.flatMap((index) => {
    const alternative = compared[index]
    if (alternative === undefined) return []
    const active = inForce.get(alternative.id)
    if (active !== undefined) return alternative.value === base[alternative.id] ? [active] : []
    const key = keyOf(alternative)
    return planned.includes(key) ? [key] : []
  })
}

/**
 * The sightings of each test: those in the same file or process, where these are known, and while the test ran. An
 * exchange outside of all tests, such as in a hook, may matter to every later test of its process; without one, it belongs
 * to the command.
 */
export const sightingsByTest = (
  tests: readonly TestRun[],
  sightings: readonly Sighting[],
): ReadonlyMap<TestId, readonly Sighting[]> => {
  const processes = new Set(tests.flatMap(({ pid }) => pid ?? []))
  const isNear = (sighting: Sighting, { file, pid }: TestRun): boolean => {
    if (sighting.file !== undefined) return sighting.file === file
    return pid === undefined || !processes.has(sighting.pid) || pid === sighting.pid
  }
  const byTest = new Map<TestId, Sighting[]>([wholeCommand, ...tests.map(({ id }) => id)].map((id) => [id, []]))
  for (const sighting of sightings) {
    const near = tests.filter((test) => isNear(sighting, test))
    const during = near.filter((test) => isDuring(sighting, test))
    const owners = during.length > 0 ? during : near.filter(({ start }) => sighting.at <= start)
    for (const id of owners.length > 0 ? owners.map((test) => test.id) : [wholeCommand]) byTest.get(id)?.push(sighting)
  }
  return byTest
}

/** All times are whole milliseconds of one clock, so that an exchange may also count for a test that ended just before. */
const isDuring = ({ since, at }: Sighting, { start, end }: TestRun): boolean => since <= end && at >= start
