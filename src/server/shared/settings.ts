import { createHash } from 'node:crypto'
import { type Assumptions, assumptionRegistry } from '../../core/assumptions/registry.ts'
import type { CallerKey } from '../../core/contract/caller.ts'
import type { Caller, FixturePlant } from '../../core/contract/schemas.ts'
import type { Fault } from '../../core/faults/fault.ts'
import { defaultJournalSize } from '../../core/journal/journal.ts'
import type { CallerKeys } from '../../core/mock/command-row.ts'
import { keyedFault, keyedPlants } from '../../core/mock/commands.ts'
import { defaultSessions, initialAssumptions, initialFaults } from '../../core/mock/instances.ts'
import type { PlantMockOptions } from '../../core/mock/options.ts'
import { fixtureTable } from '../../core/mock/plant-changes.ts'
import { plantTable } from '../../core/store/plant-table.ts'
import { PlantMockError } from '../../util/errors.ts'
import { createCallerKey } from '../persist/caller-key.ts'

/** Protocol version of the commands and snapshots in the store. Bump it when the effect of a command changes. */
const format = 4

/** Everything that decides how a mock begins and behaves: all replicas must have the same. */
type Settings = {
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

/**
 * The key of a caller is the name of a configured caller, a short token, or the digest of a long one.
 * @param callers Names of callers, with their tokens.
 */
export const callerKeys = (callers: Readonly<Record<string, Caller>> = {}): CallerKeys => {
  const digestOf = createCallerKey()
  const names = new Map(Object.entries(callers).map(([name, token]) => [token, name]))
  const known = new Set(names.values())
  const keyOf = (caller: Caller): CallerKey => (known.has(caller) ? (caller as CallerKey) : digestOf(caller))
  return { keyOf, keyOfToken: (token) => (names.get(token) as CallerKey | undefined) ?? keyOf(token) }
}

/** The options of each copy: callers by their keys, and everything that the environment decides, decided once. */
export const keyedOptions = async (
  { fixtures = [], tokens, callers, faults, onNotice: _, ...options }: Omit<PlantMockOptions, 'store'>,
  keys: CallerKeys,
  onNotice: (text: string) => void,
): Promise<PlantMockOptions> => {
  const assumptions = initialAssumptions({ ...options, ...(tokens && { tokens }) }, onNotice)
  const { assumptionSeed: __, ...rest } = options
  return {
    ...rest,
    assume: assumptions,
    fixtures: plantTable(keyedPlants({ plants: await fixtureTable(fixtures) }, keys).plants),
    ...(tokens && { tokens: tokens.map(keys.keyOf) }),
    ...(callers && { callers }),
    ...(faults && { faults: faults.map((fault) => keyedFault(fault, keys)) }),
    // A copy that is rebuilt has nothing to say.
    onNotice: () => undefined,
  }
}

/** @param options Those of a copy. */
export const settingsText = (options: PlantMockOptions): string => {
  const settings: Settings = {
    format,
    fixtures: digestOfPlants(options.fixtures as Iterable<FixturePlant>),
    assumptions: notDefault(initialAssumptions(options, () => undefined)),
    seed: options.seed ?? 1,
    faults: initialFaults(options),
    tokens: [...(options.tokens ?? [])].sort(),
    callers: Object.fromEntries(
      Object.entries(options.callers ?? {})
        .map(([name, token]) => [name, digestOf(createHash('sha256').update(token))] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
    prefer: options.prefer ?? true,
    journal: options.journal ?? defaultJournalSize,
    sessions: options.sessions ?? defaultSessions,
  }
  return JSON.stringify(settings)
}

const digestOf = (hash: ReturnType<typeof createHash>): string => hash.digest('base64url').slice(0, 22)

/** A digest of plants whose order counts. */
const digestOfPlants = (plants: Iterable<FixturePlant>): Settings['fixtures'] => {
  const hash = createHash('sha256')
  let count = 0
  for (const { id = null, name, tag, access = null } of plants) {
    hash.update(`${JSON.stringify([id, name, tag, access])}\n`)
    count++
  }
  return { count, digest: digestOf(hash) }
}

export const notDefault = (assumptions: Assumptions): Partial<Assumptions> =>
  Object.fromEntries(
    assumptionRegistry.flatMap((row) => (assumptions[row.id] === row.default ? [] : [[row.id, assumptions[row.id]]])),
  )

/**
 * Compares the settings of this replica with those that the mock began with.
 * @param mock The mock in words, such as `the mock "default" in redis://127.0.0.1:6379/0`.
 * @throws PlantMockError that names the first difference.
 */
export const checkSettings = (own: string, theirs: string, mock: string): void => {
  const [ours, known] = [own, theirs].map((text) => JSON.parse(text)) as [Settings, Settings]
  const differs = (name: keyof Settings): boolean => JSON.stringify(ours[name]) !== JSON.stringify(known[name])
  if (differs('format'))
    throw new PlantMockError(
      `${mock} belongs to another version of plant-mock. Start all replicas with one version, choose another --store-name, or begin afresh with --store-reset.`,
    )
  const name = (Object.keys(differences) as (keyof typeof differences)[]).find(differs)
  if (name !== undefined)
    throw new PlantMockError(
      `${mock} began with ${differences[name](known, ours)}. Start all replicas with the same options, choose another --store-name, or begin afresh with --store-reset.`,
    )
}

/** How a setting differs, in words. */
const differences: Readonly<Record<Exclude<keyof Settings, 'format'>, (known: Settings, ours: Settings) => string>> = {
  fixtures: (known, ours) =>
    known.fixtures.count === ours.fixtures.count
      ? `other fixtures: ${known.fixtures.count} plants, as here, but not the same`
      : `other fixtures: ${known.fixtures.count} plants, here ${ours.fixtures.count}`,
  assumptions(known, ours) {
    const id = [...Object.keys(known.assumptions), ...Object.keys(ours.assumptions)].find(
      (id) => known.assumptions[id] !== ours.assumptions[id],
    )
    const shown = ({ assumptions }: Settings): string => String(assumptions[id ?? ''] ?? 'the default')
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
