import { defaultAssumptions } from '../../core/assumptions/registry.ts'
import type { Recorded } from '../../core/journal/entry.ts'
import type { LocalInstance } from '../../core/mock/instance.ts'
import type { NamedSnapshots } from '../../core/mock/named-snapshots.ts'
import { asFixture, type StoredPlant } from '../../core/store/plant-store.ts'
import { plantTable } from '../../core/store/plant-table.ts'
import { decodeBody, encodeBody } from './encode.ts'
import type { Machine, SavedPlants } from './machine.ts'
import { notDefault } from './settings.ts'

/** A copy as text, for another replica of the same version and options. */
export const dumpMachine = (machine: Machine): string => JSON.stringify(dataOf(machine))

const dataOf = ({ instances, heldUntil, initialPlants }: Machine) => ({
  callers: instances.callers.dump(),
  heldUntil: [...heldUntil],
  root: dataOfInstance(instances.root, initialPlants),
  // The least recently used first.
  sessions: instances
    .sessionInstances()
    .map(([id, instance]) => [id, dataOfInstance(instance, initialPlants)] as const),
})

const dataOfInstance = (instance: LocalInstance, initialPlants: Machine['initialPlants']) => {
  const { state, base } = instance
  const rows = [...rowsOf(instance)]
  const positions = new Map(rows.map((row, position) => [row, position]))
  const { entries, ...journal } = state.journal.dump()
  return {
    // The plants that a reset restores; left out for those of the start, which every replica has.
    base: base.plants === initialPlants ? undefined : base.plants,
    plants: rows.map(asFixture),
    hidden: state.hidden.dump((plant) => positions.get(plant)),
    rates: state.rates.dump(),
    faults: state.faults.dump(),
    journal: { ...journal, entries: entries.map(dataOfEntry) },
    coverage: state.coverage.dump(),
    assumptions: state.assumptions,
    random: state.dumpRandom(),
    snapshots: snapshotsOf(instance).dump(),
  }
}

/** The copy of a mock takes snapshots as data. */
const snapshotsOf = ({ snapshots }: LocalInstance) => snapshots as NamedSnapshots<SavedPlants>

const rowsOf = ({ state }: LocalInstance): Iterable<StoredPlant> =>
  (state.plants.rows?.() ?? []) as Iterable<StoredPlant>

const dataOfEntry = (entry: Recorded) => ({
  ...entry,
  values: entry.values && notDefault(entry.values),
  body: encodeBody(entry.body),
  responseBody: encodeBody(entry.responseBody),
})

const entryOf = (data: ReturnType<typeof dataOfEntry>): Recorded => ({
  ...data,
  values: data.values && { ...defaultAssumptions, ...data.values },
  body: decodeBody(data.body),
  responseBody: decodeBody(data.responseBody),
})

export const restoreMachine = async (text: string, { instances, heldUntil, initialPlants }: Machine): Promise<void> => {
  const dump = JSON.parse(text) as ReturnType<typeof dataOf>
  instances.callers.restore(dump.callers)
  for (const [session, time] of dump.heldUntil) heldUntil.set(session, time)
  await restoreInstance(instances.root, dump.root, initialPlants)
  for (const [id, session] of dump.sessions) await restoreInstance(instances.session(id), session, initialPlants)
}

const restoreInstance = async (
  instance: LocalInstance,
  dump: ReturnType<typeof dataOfInstance>,
  initialPlants: Machine['initialPlants'],
): Promise<void> => {
  const { state } = instance
  const base = dump.base === undefined ? initialPlants : plantTable(dump.base)
  if (base !== instance.base.plants) await instance.load(base ?? plantTable([]))
  await state.plants.replaceAll(dump.plants)
  await instance.assume(dump.assumptions)
  const rows = [...rowsOf(instance)]
  state.hidden.restore(dump.hidden, (position) => rows[position] as StoredPlant)
  state.rates.restore(dump.rates)
  state.faults.restore(dump.faults)
  state.journal.restore({ ...dump.journal, entries: dump.journal.entries.map(entryOf) })
  state.coverage.restore(dump.coverage)
  state.restoreRandom(dump.random)
  snapshotsOf(instance).load(dump.snapshots)
}
