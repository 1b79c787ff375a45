import { defaultJournalSize } from '../journal/journal.ts'
import { fixtureTable } from '../mock/check-fixtures.ts'
import { type CallerKeys, keyedFault, keyedPlants } from '../mock/commands.ts'
import { defaultSessions, initialAssumptions, initialFaults } from '../mock/instances.ts'
import type { PlantMockOptions } from '../mock/options.ts'
import { plantTable } from '../store/plant-table.ts'
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
