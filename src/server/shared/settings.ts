import { createHash } from 'node:crypto'
import type { Assumptions } from '../../core/assumptions/registry.ts'
import { assumptionRegistry } from '../../core/assumptions/registry.ts'
import type { Caller, FixturePlant } from '../../core/contract/schemas.ts'
import type { Fault } from '../../core/faults/fault.ts'
import { PlantMockError } from '../../util/errors.ts'

/** Protocol version of the commands and snapshots in the store. Bump it when the effect of a command changes. */
const format = 3

/** Everything that decides how a mock begins and behaves: all replicas must have the same. */
export type Settings = {
  readonly format: number
  /** The number of plants, and a digest of them. */
  readonly fixtures: { readonly count: number; readonly digest: string }
  /** The assumptions that are not default. */
  readonly assumptions: Readonly<Record<string, unknown>>
  readonly seed: number
  readonly faults: readonly Fault[]
  readonly tokens: readonly Caller[]
  readonly callers: Readonly<Record<string, Caller>>
  readonly prefer: boolean
  readonly journal: number
  readonly sessions: number
}

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)

/** A digest of plants whose order counts. */
export const fixturesIn = (plants: Iterable<FixturePlant>): Settings['fixtures'] => {
  const hash = createHash('sha256')
  let count = 0
  for (const { id = null, name, tag, access = null } of plants) {
    hash.update(`${JSON.stringify([id, name, tag, access])}\n`)
    count++
  }
  return { count, digest: hash.digest('base64url').slice(0, 22) }
}

export const notDefault = (assumptions: Assumptions): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    assumptionRegistry.flatMap((row) => (assumptions[row.id] === row.default ? [] : [[row.id, assumptions[row.id]]])),
  )

export const renderSettings = (settings: Omit<Settings, 'format'>): string => JSON.stringify({ format, ...settings })

/**
 * Compares the settings of this replica with those that the mock began with.
 * @param mock The mock in words, such as `the mock "default" in redis://127.0.0.1:6379/0`.
 * @throws PlantMockError that names the first difference.
 */
export const checkSettings = (own: string, theirs: string, mock: string): void => {
  if (own === theirs) return
  const [ours, known] = [own, theirs].map((text) => JSON.parse(text) as Settings)
  if (ours === undefined || known === undefined) return
  const name = settingNames.find((name) => JSON.stringify(ours[name]) !== JSON.stringify(known[name]))
  if (name === undefined) return
  if (name === 'format')
    throw new PlantMockError(
      `${mock} belongs to another version of plant-mock. Start all replicas with one version, choose another --store-name, or begin afresh with --store-reset.`,
    )
  throw new PlantMockError(
    `${mock} began with ${differences[name](known, ours)}. Start all replicas with the same options, choose another --store-name, or begin afresh with --store-reset.`,
  )
}

type SettingName = Exclude<keyof Settings, 'format'>

/** How a setting differs, in words. */
const differences: Readonly<Record<SettingName, (known: Settings, ours: Settings) => string>> = {
  fixtures: (known, ours) =>
    known.fixtures.count === ours.fixtures.count
      ? `other fixtures: ${known.fixtures.count} plants, as here, but not the same`
      : `other fixtures: ${known.fixtures.count} plants, here ${ours.fixtures.count}`,
  assumptions: (known, ours) => {
    const id = [...Object.keys(known.assumptions), ...Object.keys(ours.assumptions)].find(
      (id) => known.assumptions[id] !== ours.assumptions[id],
    )
    const shown = ({ assumptions }: Settings): string =>
      id === undefined || assumptions[id] === undefined ? 'the default' : String(assumptions[id])
    return `other assumptions: ${id} is ${shown(known)}, here ${shown(ours)}`
  },
  seed: (known, ours) => `another seed: ${known.seed}, here ${ours.seed}`,
  faults: (known, ours) =>
    `other faults, latency or fail rate: ${known.faults.length} faults, here ${ours.faults.length}`,
  tokens: (known, ours) => `other tokens: ${known.tokens.length}, here ${ours.tokens.length}, or not the same`,
  callers: () => 'another map of callers and tokens',
  prefer: (known) => `the header Prefer ${known.prefer ? 'on' : 'off'}, which is ${known.prefer ? 'off' : 'on'} here`,
  journal: (known, ours) => `a journal of ${known.journal} exchanges, here ${ours.journal}`,
  sessions: (known, ours) => `at most ${known.sessions} sessions, here ${ours.sessions}`,
}

const settingNames: readonly (keyof Settings)[] = ['format', ...(Object.keys(differences) as SettingName[])]
