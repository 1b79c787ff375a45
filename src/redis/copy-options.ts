import { defaultJournalSize } from '../journal/journal.ts'
import { defaultSessions, initialAssumptions, initialFaults } from '../mock/instances.ts'
import type { PlantMockOptions } from '../mock/options.ts'
import { plantTable } from '../store/plant-table.ts'
import type { CallerKeys } from './caller-keys.ts'
import { digestOf, fixturesIn, notDefault, renderSettings } from './settings.ts'
import { keyedFault } from './shared-instance.ts'
import { withKeys } from './shared-plants.ts'

/** The options of each copy: callers by their keys, and everything that the environment decides, decided once. */
export const keyedOptions = async (
  { fixtures = [], tokens, callers, faults, onNotice: _, ...options }: Omit<PlantMockOptions, 'store'>,
  { keyOf, keyOfToken }: CallerKeys,
  onNotice: (text: string) => void,
): Promise<PlantMockOptions> => {
  const assumptions = initialAssumptions({ ...options, ...(tokens && { tokens }) }, onNotice)
  const { assumptionSeed: __, ...rest } = options
  return {
    ...rest,
    assume: assumptions,
    fixtures: plantTable(await withKeys(fixtures, keyOf)),
    ...(tokens && { tokens: tokens.map(keyOf) }),
    ...(callers && { callers }),
    ...(faults && { faults: faults.map((fault) => keyedFault(fault, keyOfToken)) }),
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
