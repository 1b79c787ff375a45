import type { CallerKey } from '../../core/contract/caller.ts'
import type { Caller } from '../../core/contract/schemas.ts'
import { defaultJournalSize } from '../../core/journal/journal.ts'
import { fixtureTable } from '../../core/mock/check-fixtures.ts'
import type { CallerKeys } from '../../core/mock/command-row.ts'
import { keyedFault, keyedPlants } from '../../core/mock/commands.ts'
import { defaultSessions, initialAssumptions, initialFaults } from '../../core/mock/instances.ts'
import type { PlantMockOptions } from '../../core/mock/options.ts'
import { plantTable } from '../../core/store/plant-table.ts'
import { createCallerKey } from '../persist/caller-key.ts'
import { digestOf, fixturesIn, notDefault, renderSettings } from './settings.ts'

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

export const settingsOf = (options: PlantMockOptions): string =>
  renderSettings({
    fixtures: fixturesIn(options.fixtures as Iterable<never>),
    assumptions: notDefault(initialAssumptions(options, () => undefined)),
    seed: options.seed ?? 1,
    faults: initialFaults(options),
    tokens: [...(options.tokens ?? [])].sort(),
    callers: Object.fromEntries(
      Object.entries(options.callers ?? {})
        .map(([name, token]) => [name, digestOf(token)] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
    prefer: options.prefer ?? true,
    journal: options.journal ?? defaultJournalSize,
    sessions: options.sessions ?? defaultSessions,
  })

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
